"""The pages that a visitor sees without signing in, and the files behind them."""

HOME = "/demo/"


def tour(T):
    p = T.page
    T.step("home", lambda: (T.go("/demo/"), p.locator("input[name=__login_name]").wait_for()))
    T.step("all issues", lambda: T.go("/demo/issue?@template=index"))
    T.step("sorted issues", lambda: T.go("/demo/issue?@columns=id,activity,title,creator,status&@sort=id"))
    T.step("search form", lambda: T.go("/demo/issue?@template=search"))
    T.step("search", lambda: T.go("/demo/issue?@search_text=pump&@columns=id,title,status&@sort=id"))
    T.step("register form", lambda: (T.go("/demo/user?@template=register"), p.locator("form").first.wait_for()))
    T.step("lost password form", lambda: T.go("/demo/user?@template=forgotten"))
    T.step("help", lambda: T.go("/demo/keyword?@template=item", ok=True))
