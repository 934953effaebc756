#!/usr/bin/env bash
. "$(dirname "$(readlink -f "$0")")/../common.sh"
case $version in
v5) package=verdaccio@5.33.0 ;;
v6) package=verdaccio@6.8.0 ;;
esac

serve() {
  exec node "$prefix/node_modules/verdaccio/bin/verdaccio" \
    --config "$state/config.yaml" --listen "127.0.0.1:$port"
}

case $action in
setup)
  once from_npm '{"private": true, "overrides": {"node-fetch": "2.6.7"}}' "$package"
  fresh_state
  cp "$here/config.yaml" "$state/config.yaml"
  serve >/dev/null 2>&1 &
  server=$!
  trap 'kill $server; wait $server || true' EXIT
  "$python" "$here/publish.py" "http://127.0.0.1:$port"
  ;;
start)
  serve
  ;;
esac
