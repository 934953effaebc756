"""``envsvc exec``: clients of every kind, strict misses, exit codes, the sealed network."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from envsvc.playback.session import SessionReport, Verdict

pytestmark = pytest.mark.loopback

PYTHON = sys.executable
URLLIB = (
    "import sys, urllib.request\n"
    "sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())"
)
HTTPX = "import httpx, sys; print(httpx.get(sys.argv[1]).text)"
# Node before 24 has no proxy support of its own: the tunnel is made by hand, the certificate
# is checked by Node.
NODE = """
const http = require('http'), https = require('https'), url = new URL(process.argv[1]);
const proxy = new URL(process.env.HTTPS_PROXY);
const show = r => r.on('data', d => process.stdout.write(d));
const tunnel = http.request({host: proxy.hostname, port: proxy.port, method: 'CONNECT',
  path: url.hostname + ':443'});
tunnel.on('connect', (_, socket) => https.get(url, {socket, agent: false}, show)).end();
"""
JAVA = """
import java.net.URI;
import java.net.http.*;
class Get {
    public static void main(String[] words) throws Exception {
        var plain = HttpRequest.newBuilder(URI.create("http://shop.test/")).build();
        var client = HttpClient.newBuilder().proxy(java.net.ProxySelector.getDefault()).build();
        System.out.println(client.send(plain, HttpResponse.BodyHandlers.ofString()).body());
        System.out.write(URI.create(words[0]).toURL().openStream().readAllBytes());
        System.out.flush();
    }
}
"""


def run(workspace: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ``envsvc exec`` in *workspace*."""
    return subprocess.run(
        [PYTHON, "-m", "envsvc.cli.main", "-C", str(workspace), "exec", "--app", "shop/v1", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


CLIENTS = {
    "curl": ("curl", "--silent"),
    "urllib": (PYTHON, "-c", URLLIB),
    "httpx": (PYTHON, "-c", HTTPX),
}


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("client", CLIENTS)
def test_the_environment_brings_a_client_to_the_cassette(
    workspace: Path, client: str, scheme: str
) -> None:
    """D10: proxy and CA variables are set for the client."""
    finished = run(workspace, "--", *CLIENTS[client], f"{scheme}://shop.test/")

    assert finished.stdout.strip() == {"http": "<h1>home</h1>", "https": "<h1>secure</h1>"}[scheme]
    assert finished.returncode == 0


@pytest.mark.parametrize("client", [name for name in ("node", "java") if shutil.which(name)])
def test_other_runtimes_trust_the_certificate(workspace: Path, tmp_path: Path, client: str) -> None:
    """D10: Node and Java, where the machine has them, accept our certificate unasked."""
    (tmp_path / "Get.java").write_text(JAVA)
    words = {"node": ("node", "-e", NODE), "java": ("java", str(tmp_path / "Get.java"))}[client]
    finished = run(workspace, "--", *words, "https://shop.test/")

    assert "<h1>secure</h1>" in finished.stdout, finished.stderr
    assert client == "node" or "<h1>home</h1>" in finished.stdout


def test_the_exit_code_is_the_agents(workspace: Path) -> None:
    """D18: without a strict miss the exit code is the command's."""
    finished = run(workspace, "--", PYTHON, "-c", "raise SystemExit(7)")

    assert finished.returncode == 7


def test_a_strict_miss_ends_the_agent_with_exit_code_4(workspace: Path) -> None:
    """S0-10: the episode is unreplayable, whatever the agent would have said."""
    started = time.monotonic()
    finished = run(workspace, "--", "sh", "-c", "curl --silent http://shop.test/new; sleep 50")

    assert finished.returncode == 4
    assert time.monotonic() - started < 30


def test_a_strict_miss_is_explained_with_the_command_that_records_it(workspace: Path) -> None:
    """S0-12: request, reason, what is nearest and a command to copy are printed."""
    finished = run(workspace, "--", "curl", "--silent", "http://shop.test/api?page=2")
    said = finished.stdout + finished.stderr

    assert "GET http://shop.test/api?page=2" in said
    assert "query_differs" in said
    assert "query page: asked 2, recorded (nothing)" in said
    assert "envsvc record --app shop/v1 --from-misses" in said


def test_policy_error_lets_the_agent_go_on(workspace: Path) -> None:
    """S3-12: a neutral 404, counted, and the agent's own exit code."""
    finished = run(workspace, "--policy", "error", "--", "curl", "-sf", "http://shop.test/new")

    assert finished.returncode == 22
    assert "miss_task" in finished.stderr


def test_the_report_is_written_as_a_file(workspace: Path, tmp_path: Path) -> None:
    """S0-14: a machine-readable report remains after the stop."""
    path = tmp_path / "out" / "report.json"
    run(workspace, "--report", str(path), "--", "curl", "--silent", "http://shop.test/new")
    report = msgspec.json.decode(path.read_bytes(), type=SessionReport)

    assert report.verdict is Verdict.UNREPLAYABLE
    assert [miss.url for miss in report.misses] == ["http://shop.test/new"]


def test_a_command_that_is_not_there_is_a_clear_error(workspace: Path) -> None:
    """D18: what, where, what next, with a stable code."""
    finished = run(workspace, "--", "no-such-command-anywhere")

    assert finished.returncode == 2
    assert "E404" in finished.stderr


SEALED = """
import os, socket, sys, urllib.request
print(urllib.request.urlopen("https://shop.test/").read().decode())
found = sorted(name for _, name in socket.if_nameindex())
print("interfaces", found)
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=2)
    print("got out")
except OSError:
    print("no way out")
"""


def test_sealed_leaves_no_other_way_out(workspace: Path) -> None:
    """D10: in the agent's namespace there is the proxy and nothing else, not even loopback."""
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        finished = run(workspace, "--sealed", "--", PYTHON, "-c", SEALED, str(port))

    assert "<h1>secure</h1>" in finished.stdout
    assert "interfaces ['lo']" in finished.stdout
    assert "no way out" in finished.stdout


def test_sealed_without_the_rights_is_a_clear_error() -> None:
    """D10: without the rights for a namespace nothing is run."""
    finished = subprocess.run(
        ["setpriv", "--bounding-set=-sys_admin", PYTHON, "-c", UNSHARE],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert "E403" in finished.stdout


UNSHARE = """
from envsvc.adapters.network_namespace import SealedNotPossibleError, sealed_network
try:
    with sealed_network():
        print("sealed")
except SealedNotPossibleError as error:
    print(error.code)
"""
