#!/usr/bin/env bash
. "$(dirname "$(readlink -f "$0")")/../common.sh"
case $version in
v3.2) packages="django-oscar[sorl-thumbnail]==3.2.6 whoosh setuptools<81" ;;
v4.1) packages="django-oscar[sorl-thumbnail]==4.1 django-treebeard<5 whoosh" ;;
esac
export DJANGO_SETTINGS_MODULE=settings PYTHONPATH=$here/project PYTHONDONTWRITEBYTECODE=1
django="$prefix/bin/python -W ignore -m django"

# The shop that every run starts from; filling it takes a minute, so it is kept with the packages.
seeded() {
  from_pypi "$@"
  export RUN=$prefix/seed
  mkdir "$RUN"
  $django migrate -v0
  "$prefix/bin/python" -W ignore "$here/project/seed.py"
  $django rebuild_index --noinput
}

case $action in
setup)
  # shellcheck disable=SC2086
  once seeded $packages
  fresh_state
  cp -r "$prefix/seed/." "$state"
  ;;
start)
  export RUN=$state
  exec $django runserver --noreload "127.0.0.1:$port"
  ;;
esac
