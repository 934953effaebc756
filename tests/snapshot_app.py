"""The app in the containers of the tests: busybox serves it, /data is a volume."""

REPOSITORY = "shop-under-test"
LINKS = ("sh", "cat", "httpd", "wc", "mkdir", "nc")

_CART = """#!/bin/sh
[ -n "$QUERY_STRING" ] && echo "$QUERY_STRING" >>/data/cart
printf 'Content-Type: text/plain\\n\\ncart:'
cat /data/cart 2>/dev/null
"""
# It is busy for as many asks as the file says, each time it is started.
_HEALTH = """#!/bin/sh
echo >>/asked
if [ "$(wc -l </asked)" -le "$(cat /data/busy_asks 2>/dev/null || echo 0)" ]; then
  printf 'Status: 503 Busy\\n\\nloading'
else
  printf 'Content-Type: text/plain\\n\\nopen'
fi
"""
_RANDOM = """#!/bin/sh
printf 'Content-Type: text/plain\\n\\n%s' "$(cat /proc/sys/kernel/random/uuid)"
"""

FILES = {
    "www/index.html": "the shop",
    "www/cgi-bin/cart": _CART,
    "www/cgi-bin/health": _HEALTH,
    "www/cgi-bin/random": _RANDOM,
    "data/.keep": "",
}

APP_YAML = """
app: shop
virtual_host: shop.test
versions: {v1: {url: "http://127.0.0.1:1"}}
default_tour: full
tours: {full: full.yaml}
secrets: {run: SHOP_RUN_SECRET}
ready: {path: /cgi-bin/health, contains: open, answers: 3, timeout_s: 20}
snapshot: {state: [/cgi-bin/cart]}
"""
