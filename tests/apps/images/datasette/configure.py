"""Write Datasette's configuration: one account (admin / secret123) and one write form."""
import base64
import hashlib
import json
import sys

digest = hashlib.pbkdf2_hmac("sha256", b"secret123", b"salt1234", 260_000)
password = "pbkdf2_sha256$260000$salt1234$" + base64.b64encode(digest).decode()
config = {
    "title": "Book shop 書店",
    "plugins": {
        "datasette-auth-passwords": {
            "admin_password_hash": password,
            "actors": {"admin": {"id": "admin", "name": "Admin"}},
        }
    },
    "databases": {
        "shop": {
            "queries": {
                "add_note": {
                    "sql": "insert into notes(body) values (:body)",
                    "write": True,
                    "on_success_message": "Note added",
                    "allow": {"id": "admin"},
                }
            }
        }
    },
}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(config, file)
