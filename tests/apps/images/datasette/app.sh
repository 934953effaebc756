#!/usr/bin/env bash
. "$(dirname "$(readlink -f "$0")")/../common.sh"
case $version in
v0.64) packages="datasette==0.64.8 datasette-auth-passwords==1.1.1 setuptools<81" options=--metadata ;;
v1.0a) packages="datasette==1.0a41 datasette-auth-passwords==1.1.1" options=--config ;;
esac
case $action in
setup)
  # shellcheck disable=SC2086
  once from_pypi $packages
  fresh_state
  "$python" "$here/mkdb.py" "$state/shop.db"
  "$python" "$here/configure.py" "$state/config.json"
  ;;
start)
  exec "$prefix/bin/datasette" serve "$state/shop.db" $options "$state/config.json" \
    -h 127.0.0.1 -p "$port" --secret fixed-secret-for-tests --setting default_cache_ttl 0
  ;;
esac
