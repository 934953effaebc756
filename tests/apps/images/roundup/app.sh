#!/usr/bin/env bash
. "$(dirname "$(readlink -f "$0")")/../common.sh"
case $version in
v2.3) packages="roundup==2.3.0 legacy-cgi" ;;
v2.6) packages="roundup==2.6.0" ;;
esac
case $action in
setup)
  # shellcheck disable=SC2086
  once from_pypi $packages
  fresh_state
  "$prefix/bin/roundup-admin" -i "$state" install classic sqlite
  sed -i -E \
    -e "s|^#?web = .*|web = http://$host/demo/|" \
    -e "s|^#?domain = .*|domain = example.org|" \
    -e "0,/^#?host = .*/s||host = localhost|" "$state/config.ini"
  "$prefix/bin/roundup-admin" -i "$state" initialise secret123
  ;;
start)
  export SENDMAILDEBUG=$state/mail.txt
  exec "$prefix/bin/python" "$here/serve.py" "$state" "$port"
  ;;
esac
