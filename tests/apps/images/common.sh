# Read by every app.sh, which is called: app.sh setup|start VERSION PORT PYTHON HOST.
# Says where an app is installed (once) and where its state lies (anew for each setup).
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
action=$1 version=$2 port=$3 python=$4 host=$5
cache=${ENVSVC_APPS_CACHE:-$here/../../../../.cache/apps}/$(basename "$here")
prefix=$cache/$version state=$cache/run-$version-$port

# once COMMAND...: run it in a fresh $prefix unless it has succeeded before; two wait for each other.
once() {
  mkdir -p "$cache"
  exec 9>"$cache/$version.lock"
  flock 9
  if [ ! -e "$prefix/installed" ]; then
    rm -rf "$prefix"
    "$@"
    touch "$prefix/installed"
  fi
  exec 9>&-
}

# from_pypi PACKAGE...: into a virtual environment. No cache: a wheel that was built for one
# folder may have that folder's name in it.
from_pypi() {
  "$python" -m venv "$prefix"
  "$prefix/bin/pip" install --quiet --no-compile --no-cache-dir "$@"
}

# from_npm PACKAGE_JSON PACKAGE...: into a folder of its own.
from_npm() {
  mkdir -p "$prefix"
  printf '%s\n' "$1" >"$prefix/package.json"
  shift
  (cd "$prefix" && npm install --no-audit --no-fund --loglevel=error "$@")
}

# fresh_state: an empty $state; what earlier runs left is removed when it is old.
fresh_state() {
  find "$cache" -maxdepth 1 -name 'run-*' -mmin +120 -exec rm -rf {} +
  rm -rf "$state"
  mkdir -p "$state"
}
