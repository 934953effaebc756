#!/usr/bin/env bash
. "$(dirname "$(readlink -f "$0")")/../common.sh"
case $version in
v5.2) package=tiddlywiki@5.2.7 ;;
v5.4) package=tiddlywiki@5.4.1 ;;
esac
tiddlywiki=$prefix/node_modules/.bin/tiddlywiki
case $action in
setup)
  once from_npm '{"private": true}' "$package"
  fresh_state
  "$tiddlywiki" "$state/wiki" --init server
  mkdir -p "$state/wiki/tiddlers"
  cp "$here/cjk.tid" "$state/wiki/tiddlers/cjk.tid"
  ;;
start)
  exec "$tiddlywiki" "$state/wiki" --listen "port=$port" host=127.0.0.1 \
    username=admin password=secret123 'readers=(anon)' writers=admin
  ;;
esac
