# the same agent goal on another path: pages in another order, some twice, one write only (as an agent would differ from the recorded tour)
def tour(T):
    p = T.page
    T.step('row', lambda: (T.go('/shop/books/7'), T.see('源氏物語 #6')))
    T.step('facet', lambda: (T.go('/shop/books?_facet=lang&lang=ja'), T.see('紫式部')))
    T.step('table', lambda: (T.go('/shop/books?_size=20'), T.see('源氏物語 #1')))
    T.step('table again', lambda: (T.go('/shop/books?_size=20'), T.see('源氏物語 #1')))
    T.step('db', lambda: (T.go('/shop'), p.locator('a[href="/shop/books"]').first.wait_for()))
    T.step('db again', lambda: (T.go('/shop'), p.locator('a[href="/shop/books"]').first.wait_for()))
    def login():
        T.go('/-/login'); p.fill('input[name=username]', 'admin'); p.fill('input[name=password]', 'secret123')
        p.click('input[type=submit]'); p.wait_for_load_state(); T.go('/'); T.see('Admin')
    T.step('login', login)
    def note(text):
        T.go('/shop/add_note'); p.fill('input[name=body], textarea[name=body]', text)
        with p.expect_navigation(): p.locator('form[action*="add_note"] input[type=submit], form.sql input[type=submit]').first.click()
        T.see('Note added')
    T.step('add note 1', lambda: note('first note 第一'))
    T.step('notes 1', lambda: (T.go('/shop/notes'), T.see('first note 第一'), T.see('1 row')))
    T.step('notes 1 again', lambda: (T.go('/shop/notes'), T.see('first note 第一'), T.see('1 row')))
