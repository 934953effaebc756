"""What visitors change: sessions, carts, wishlists, orders and jobs, in one SQLite memory."""

import sqlite3
from dataclasses import dataclass
from secrets import token_urlsafe

SCHEMA = """
CREATE TABLE sessions (token TEXT PRIMARY KEY, email TEXT NOT NULL);
CREATE TABLE cart_lines (
    cart TEXT, product TEXT, quantity INTEGER NOT NULL, PRIMARY KEY (cart, product));
CREATE TABLE wishes (cart TEXT, product TEXT, PRIMARY KEY (cart, product));
CREATE TABLE orders (id INTEGER PRIMARY KEY, email TEXT NOT NULL);
CREATE TABLE order_lines (
    order_id INTEGER, product TEXT, quantity INTEGER NOT NULL, cents INTEGER NOT NULL);
CREATE TABLE jobs (id INTEGER PRIMARY KEY, asks INTEGER NOT NULL DEFAULT 0);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """So many pieces of one product."""

    product: str
    quantity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedLine:
    """So many pieces of one product, at the price of one piece when they were ordered."""

    product: str
    quantity: int
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One finished purchase."""

    id: int
    lines: tuple[PricedLine, ...]

    @property
    def total_cents(self) -> int:
        """What the order costs."""
        return sum(line.quantity * line.cents for line in self.lines)


class Store:
    """The shop's memory; empty when the process starts, gone when it ends."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None)
        self._db.executescript(SCHEMA)

    def close(self) -> None:
        """Forget everything."""
        self._db.close()

    def open_session(self, email: str) -> str:
        """Sign *email* in and return the new session's token."""
        token = token_urlsafe(24)
        self._db.execute("INSERT INTO sessions VALUES (?, ?)", (token, email))
        return token

    def shopper(self, token: str | None) -> str | None:
        """Return who is signed in with *token*; None if nobody is."""
        row = self._db.execute("SELECT email FROM sessions WHERE token = ?", (token,)).fetchone()
        return None if row is None else str(row[0])

    def end_session(self, token: str | None) -> None:
        """Sign out; an unknown token is no error."""
        self._db.execute("DELETE FROM sessions WHERE token = ?", (token,))

    def add_to_cart(self, cart: str, line: Line) -> None:
        """Add pieces to those already in the cart."""
        self._db.execute(
            "INSERT INTO cart_lines VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity",
            (cart, line.product, line.quantity),
        )

    def set_quantity(self, cart: str, line: Line) -> None:
        """Change how many pieces the cart holds; a product not in the cart stays out."""
        self._db.execute(
            "UPDATE cart_lines SET quantity = ? WHERE cart = ? AND product = ?",
            (line.quantity, cart, line.product),
        )

    def remove_from_cart(self, cart: str, product: str) -> None:
        """Take a product out of the cart."""
        self._db.execute("DELETE FROM cart_lines WHERE cart = ? AND product = ?", (cart, product))

    def cart(self, cart: str | None) -> list[Line]:
        """Return the cart's lines by product id; empty for a visitor without a cart."""
        rows = self._db.execute(
            "SELECT product, quantity FROM cart_lines WHERE cart = ? ORDER BY product", (cart,)
        )
        return [Line(product=product, quantity=quantity) for product, quantity in rows]

    def place_order(self, email: str, cart: str, lines: list[PricedLine]) -> int:
        """Turn a cart into an order, empty the cart, and return the order's number."""
        number = self._insert("INSERT INTO orders (email) VALUES (?)", email)
        self._db.executemany(
            "INSERT INTO order_lines VALUES (?, ?, ?, ?)",
            [(number, line.product, line.quantity, line.cents) for line in lines],
        )
        self._db.execute("DELETE FROM cart_lines WHERE cart = ?", (cart,))
        return number

    def orders(self, email: str) -> list[Order]:
        """Return a shopper's orders, oldest first."""
        rows = self._db.execute("SELECT id FROM orders WHERE email = ? ORDER BY id", (email,))
        return [Order(id=number, lines=self._order_lines(number)) for (number,) in rows.fetchall()]

    def set_wish(self, cart: str, product: str, *, wanted: bool) -> None:
        """Put a product on the wishlist or take it off; repeating changes nothing."""
        statement = (
            "INSERT OR IGNORE INTO wishes VALUES (?, ?)"
            if wanted
            else "DELETE FROM wishes WHERE cart = ? AND product = ?"
        )
        self._db.execute(statement, (cart, product))

    def wishes(self, cart: str | None) -> list[str]:
        """Return the wished product ids in order."""
        rows = self._db.execute(
            "SELECT product FROM wishes WHERE cart = ? ORDER BY product", (cart,)
        )
        return [product for (product,) in rows]

    def start_job(self) -> int:
        """Start a job and return its number."""
        return self._insert("INSERT INTO jobs DEFAULT VALUES")

    def ask_job(self, job: int) -> int | None:
        """Count one more ask and return all asks so far; None if there is no such job."""
        row = self._db.execute(
            "UPDATE jobs SET asks = asks + 1 WHERE id = ? RETURNING asks", (job,)
        ).fetchone()
        return None if row is None else int(row[0])

    def _order_lines(self, order: int) -> tuple[PricedLine, ...]:
        rows = self._db.execute(
            "SELECT product, quantity, cents FROM order_lines WHERE order_id = ?", (order,)
        )
        return tuple(
            PricedLine(product=product, quantity=quantity, cents=cents)
            for product, quantity, cents in rows
        )

    def _insert(self, statement: str, *values: str) -> int:
        row = self._db.execute(f"{statement} RETURNING id", values).fetchone()
        return int(row[0])
