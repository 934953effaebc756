#!/usr/bin/env bash
# app.sh setup|start VERSION PORT PYTHON: install once into the cache, make a fresh state, run.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
action=$1 version=$2 port=$3 python=$4
cache=${ENVSVC_APPS_CACHE:-$here/../../../../.cache/apps}/datasette
venv=$cache/$version state=$cache/run-$version-$port
case $version in
v0.64) packages="datasette==0.64.8 datasette-auth-passwords==1.1.1 setuptools<81" options=--metadata ;;
v1.0a) packages="datasette==1.0a41 datasette-auth-passwords==1.1.1" options=--config ;;
esac
case $action in
setup)
  if [ ! -e "$venv/installed" ]; then
    mkdir -p "$cache"
    "$python" -m venv --clear "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --no-compile $packages
    touch "$venv/installed"
  fi
  rm -rf "$state" && mkdir -p "$state"
  "$python" "$here/mkdb.py" "$state/shop.db"
  "$python" "$here/configure.py" "$state/config.json"
  ;;
start)
  exec "$venv/bin/datasette" serve "$state/shop.db" $options "$state/config.json" \
    -h 127.0.0.1 -p "$port" --secret fixed-secret-for-tests --setting default_cache_ttl 0
  ;;
esac
