#!/usr/bin/env bash
. "$(dirname "$(readlink -f "$0")")/../common.sh"
case $version in
v3) package=node-red@3.1.15 ;;
v4) package=node-red@4.1.15 ;;
esac
case $action in
setup)
  once from_npm '{"private": true}' "$package"
  fresh_state
  hash=$(cd "$prefix" && node -e "console.log(require('bcryptjs').hashSync('secret123', 8))")
  sed "s|@HASH@|$hash|" "$here/settings.js" >"$state/settings.js"
  cp "$here/seed_flows.json" "$state/flows.json"
  ;;
start)
  cd "$state" # a flows.json in the current folder would be taken instead
  exec node "$prefix/node_modules/node-red/red.js" -u "$state" -p "$port"
  ;;
esac
