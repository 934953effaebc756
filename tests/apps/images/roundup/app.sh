#!/usr/bin/env bash
# app.sh setup|start VERSION PORT PYTHON HOST: install once into the cache, make a fresh state, run.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
action=$1 version=$2 port=$3 python=$4 host=$5
cache=${ENVSVC_APPS_CACHE:-$here/../../../../.cache/apps}/roundup
venv=$cache/$version state=$cache/run-$version-$port
case $version in
v2.3) packages="roundup==2.3.0 legacy-cgi" ;;
v2.6) packages="roundup==2.6.0" ;;
esac
case $action in
setup)
  if [ ! -e "$venv/installed" ]; then
    mkdir -p "$cache"
    "$python" -m venv --clear "$venv"
    # No cache: a wheel of 2.3 built for one folder has that folder's name in it.
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --no-compile --no-cache-dir $packages
    touch "$venv/installed"
  fi
  rm -rf "$state"
  "$venv/bin/roundup-admin" -i "$state" install classic sqlite
  sed -i -E \
    -e "s|^#?web = .*|web = http://$host/demo/|" \
    -e "s|^#?domain = .*|domain = example.org|" \
    -e "0,/^#?host = .*/s||host = localhost|" "$state/config.ini"
  "$venv/bin/roundup-admin" -i "$state" initialise secret123
  ;;
start)
  export SENDMAILDEBUG=$state/mail.txt
  exec "$venv/bin/python" "$here/serve.py" "$state" "$port"
  ;;
esac
