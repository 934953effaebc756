"""Fill an empty registry: one account (admin / secret123), two packages, three versions."""

import base64
import hashlib
import io
import json
import sys
import tarfile
import time
import urllib.error
import urllib.request

BASE = sys.argv[1]
PACKAGES = {"left-shop": ["1.0.0", "1.1.0"], "cjk-utils": ["0.1.0"]}
DESCRIPTION = "テスト package"


def put(path, document, token=""):
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        BASE + path, json.dumps(document).encode(), headers, method="PUT"
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def wait_until_ready():
    for _ in range(100):
        try:
            urllib.request.urlopen(BASE + "/-/ping").close()
        except urllib.error.URLError:
            time.sleep(0.2)
        else:
            return


def tarball(name, version):
    package = {"name": name, "version": version, "description": DESCRIPTION, "license": "MIT"}
    files = {"package/package.json": json.dumps(package), "package/README.md": readme(name, version)}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def readme(name, version):
    return f"# {name}\n\n日本語の説明 {version}"


def publish(name, version, token):
    data, file = tarball(name, version), f"{name}-{version}.tgz"
    described = {
        "name": name,
        "version": version,
        "description": DESCRIPTION,
        "license": "MIT",
        "readme": readme(name, version),
        "_id": f"{name}@{version}",
        "dist": {
            "shasum": hashlib.sha1(data).hexdigest(),
            "tarball": f"{BASE}/{name}/-/{file}",
        },
    }
    attachment = {
        "content_type": "application/octet-stream",
        "data": base64.b64encode(data).decode(),
        "length": len(data),
    }
    document = {
        "_id": name,
        "name": name,
        "description": DESCRIPTION,
        "dist-tags": {"latest": version},
        "versions": {version: described},
        "readme": readme(name, version),
        "_attachments": {file: attachment},
    }
    put(f"/{name}", document, token)


wait_until_ready()
account = {"name": "admin", "password": "secret123"}
token = put("/-/user/org.couchdb.user:admin", account)["token"]
for name, versions in PACKAGES.items():
    for version in versions:
        publish(name, version, token)
