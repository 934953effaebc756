"""The servers that are compared: envsvc serve, nginx, mitmdump --server-replay."""

import base64
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.certificates import CertificateAuthority
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Response
from envsvc.exchange.redact import Redactor
from tests.bench import content
from tests.bench.processes import free_port, running, wait_for_port

ENVSVC = (sys.executable, "-m", "envsvc.cli.main")
MITMDUMP = (str(Path(sys.executable).with_name("mitmdump")), "-q")


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A server that runs: https through a tunnel at ``port`` if it is a proxy, else directly."""

    pid: int
    port: int
    tls_port: int
    is_proxy: bool


class Place:
    """The bench's own folder: a workspace, an authority, and files of the other servers."""

    def __init__(self, folder: Path) -> None:
        """Use *folder*, made on first use, and make it envsvc's home for us and our servers."""
        self.folder = folder.resolve()
        self.workspace = self.folder / "workspace"
        self.home = self.folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        os.environ["ENVSVC_HOME"] = str(self.home)
        self.authority = CertificateAuthority(self.home / "ca")

    def cassette(self, app: str, exchanges: Iterable[Exchange]) -> None:
        """Have a sealed cassette of *exchanges* in the workspace; one that is whole stays."""
        folder = self.workspace / "images" / app
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "app.yaml").write_text(content.app_yaml(app))
        store = CassetteFiles(self.workspace / "har")
        try:
            store.load(app, content.VERSION, Redactor({}))
        except EnvsvcError:  # not there yet, or written by another version of envsvc
            store.write(content.manifest(app), exchanges)

    def log(self, name: str) -> Path:
        """Return the file for what a server prints."""
        return self.folder / f"{name}.log"


@contextmanager
def envsvc_serving(place: Place, app: str) -> Iterator[Served]:
    """Run ``envsvc serve`` as people run it."""
    port, log = free_port(), place.log("envsvc")
    where = [*ENVSVC, "--workspace", str(place.workspace)]
    what = ["serve", "--app", app, "--port", str(port), "--admin-port", str(free_port())]
    with running([*where, *what], log) as process:
        wait_for_port(process, port, log)
        yield Served(pid=process.pid, port=port, tls_port=port, is_proxy=True)


@contextmanager
def nginx_serving(place: Place) -> Iterator[Served]:
    """Run nginx with one worker over the same bodies as files, tuned as its manual advises."""
    root = place.folder / "nginx"
    for path in (*content.JSON_PATHS, content.PAGE_PATH):
        file = root / "www" / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.body_of(path))
    port, tls_port, log = free_port(), free_port(), place.log("nginx")
    pair = place.home / "ca" / "mitmproxy-ca.pem"  # key and self-signed certificate in one
    config = root / "nginx.conf"
    config.write_text(_NGINX.format(root=root, port=port, tls_port=tls_port, pair=pair))
    with running(["nginx", "-c", config, "-p", root, "-e", log], log) as process:
        wait_for_port(process, tls_port, log)
        yield Served(pid=process.pid, port=port, tls_port=tls_port, is_proxy=False)


@contextmanager
def mitmdump_serving(place: Place) -> Iterator[Served]:
    """Run mitmdump's replay of the same answers, set to be as fast as it can be."""
    traffic, port, log = place.folder / "mitmdump.har", free_port(), place.log("mitmdump")
    traffic.write_bytes(_plain_har(content.small_exchanges()))
    options = {
        "server_replay_reuse": "true",
        "server_replay_extra": "kill",
        "connection_strategy": "lazy",
        "upstream_cert": "false",
        "confdir": str(place.home / "mitmdump"),
        "listen_host": "127.0.0.1",
        "listen_port": str(port),
    }
    words = [word for option in options.items() for word in ("--set", "=".join(option))]
    command = [*MITMDUMP, *words, "--server-replay", str(traffic)]
    with running(command, log) as process:
        wait_for_port(process, port, log)
        yield Served(pid=process.pid, port=port, tls_port=port, is_proxy=True)


# One process and no log, as the others. Files are opened for each request, which is the default.
_NGINX = """\
daemon off;
master_process off;
worker_processes 1;
pid {root}/pid;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  types {{ text/html html; application/json json; }}
  client_body_temp_path {root}/body;
  proxy_temp_path {root}/proxy;
  fastcgi_temp_path {root}/fastcgi;
  uwsgi_temp_path {root}/uwsgi;
  scgi_temp_path {root}/scgi;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate {pair};
    ssl_certificate_key {pair};
    root {root}/www;
  }}
}}
"""


def _plain_har(exchanges: Iterable[Exchange]) -> bytes:
    """Return a HAR with the bodies inside, as mitmdump reads it."""
    entries = [_har_entry(exchange) for exchange in exchanges]
    log = {"version": "1.2", "creator": {"name": "bench", "version": "1"}, "entries": entries}
    return json.dumps({"log": log}).encode()


def _har_entry(exchange: Exchange) -> dict[str, object]:
    request, answer = exchange.request, exchange.answer
    assert isinstance(answer, Response)
    headers = (*answer.headers, ("Content-Length", str(len(answer.body))))
    body = {"size": len(answer.body), "encoding": "base64"}
    return {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 1,
        "serverIPAddress": "127.0.0.1",
        "request": {
            "method": request.method,
            "url": request.url,
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Host", "value": urlsplit(request.url).netloc}],
            "cookies": [],
            "queryString": [],
        },
        "response": {
            "status": answer.status,
            "statusText": answer.reason,
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": name, "value": value} for name, value in headers],
            "cookies": [],
            "content": {**body, "text": base64.b64encode(answer.body).decode()},
        },
        "timings": {"send": 0, "wait": 1, "receive": 0},
    }
