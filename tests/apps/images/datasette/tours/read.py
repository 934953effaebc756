"""The pages that change nothing."""


def tour(T):
    p = T.page
    sql = "/-/query" if T.ver == "v1.0a" else ""
    T.step("home", lambda: (T.go("/"), T.see("shop")))
    T.step("database", lambda: (T.go("/shop"), p.locator('a[href="/shop/books"]').first.wait_for()))
    T.step("table", lambda: (T.go("/shop/books?_size=20"), T.see("源氏物語 #1")))
    T.step("next page", lambda: (p.locator("a", has_text="Next page").first.click(), p.wait_for_url("**_next=20*")))
    T.step("facet", lambda: (T.go("/shop/books?_facet=lang&lang=ja"), T.see("紫式部")))
    T.step("row", lambda: (T.go("/shop/books/7"), T.see("源氏物語 #6")))
    T.step("json", lambda: T.go("/shop/books.json?_shape=array&_size=5"))
    T.step("sql", lambda: (T.go(f"/shop{sql}?sql=select+lang,+count(*)+from+books+group+by+lang"), T.see("ja")))
