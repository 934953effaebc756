"""Tokens that prove that a posted form came from one of our pages."""

from secrets import token_urlsafe

from itsdangerous import BadSignature, Signer


class FormTokens:
    """Issues and checks form tokens.

    A token is random and signed, and not bound to a visitor: forms are shown before a visitor
    has any cookie. SameSite cookies keep other sites from posting as someone.
    """

    def __init__(self) -> None:
        self._signer = Signer(token_urlsafe(32))

    def issue(self) -> str:
        """Return a new token."""
        return self._signer.sign(token_urlsafe(12)).decode()

    def is_ours(self, token: str) -> bool:
        """Tell whether this process issued *token*."""
        try:
            self._signer.unsign(token)
        except BadSignature:
            return False
        return True
