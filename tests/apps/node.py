"""Have Node.js, which three of the apps run on."""

import os
import re
import shutil
import subprocess

AT_LEAST = 20  # what verdaccio v6 and tiddlywiki v5.4 ask for
_PACKAGES = ("nodejs", "npm")
_MAJOR = re.compile(r"v(\d+)\.")


class NodeMissingError(RuntimeError):
    """There is no Node.js that is new enough, and none could be installed."""


def ensure_node() -> None:
    """Have node and npm on the PATH, from Debian's packages if need be and allowed.

    Raises: NodeMissingError.
    """
    if _is_there():
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise NodeMissingError(_message("they can only be installed here by apt-get as root"))
    tried = _apt_get("install") or (_apt_get("update") and _apt_get("install"))
    if not tried or not _is_there():
        raise NodeMissingError(_message("apt-get has none that is new enough"))


def major_version(text: str) -> int:
    """Return the first number of what ``node --version`` prints, 0 if it prints something else."""
    found = _MAJOR.match(text)
    return int(found[1]) if found else 0


def _is_there() -> bool:
    if shutil.which("node") is None or shutil.which("npm") is None:
        return False
    printed = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    return major_version(printed.stdout) >= AT_LEAST


def _apt_get(action: str) -> bool:
    packages = _PACKAGES if action == "install" else ()
    done = subprocess.run(
        ["apt-get", "-qq", "-y", action, *packages],
        check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    return done.returncode == 0


def _message(why: str) -> str:
    return (
        f"nodered, verdaccio and tiddlywiki need node {AT_LEAST} or newer and npm; {why}. "
        "Install them (https://nodejs.org), then run this again; or leave these apps out."
    )
