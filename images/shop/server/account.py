"""Signing in and out."""

from secrets import compare_digest

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.site import SESSION_COOKIE, checked_form, render, site_of, text_field

# The demo's only account; it guards nothing.
EMAIL = "shopper@example.org"
PASSWORD = "secret123"  # noqa: S105 - every tour shows it


async def login_form(request: Request) -> Response:
    """Show the form."""
    return render(request, "login.html", {"email": "", "is_refused": False})


async def login(request: Request) -> Response:
    """Sign in and go to the cart, or show the form again with 401."""
    form = await checked_form(request)
    email = text_field(form, "email")
    if not is_account(email, text_field(form, "password")):
        return render(request, "login.html", {"email": email, "is_refused": True}, status=401)
    response = RedirectResponse("/cart", 303)
    token = site_of(request).store.open_session(email)
    response.set_cookie(SESSION_COOKIE, token, httponly=True, samesite="lax")
    return response


async def logout(request: Request) -> Response:
    """Sign out and go home."""
    await checked_form(request)
    site_of(request).store.end_session(request.cookies.get(SESSION_COOKIE))
    response = RedirectResponse("/", 303)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return response


def is_account(email: str, password: str) -> bool:
    """Tell whether both belong to the demo's account."""
    return email == EMAIL and compare_digest(password.encode(), PASSWORD.encode())


routes = [
    Route("/login", login_form, methods=["GET"]),
    Route("/login", login, methods=["POST"]),
    Route("/logout", logout, methods=["POST"]),
]
