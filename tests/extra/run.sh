#!/bin/sh
# The tests that need gigabytes or another runtime, in an environment of their own: torch, and Spark on Java 17.
set -e
python=${PYTHON:-python3}
home=.venv-extra
test -x $home/bin/python || $python -m venv $home
if [ ! -f $home/.made ] || [ requirements-extra.txt -nt $home/.made ] || [ requirements.txt -nt $home/.made ]; then
  $home/bin/python -m pip install --quiet --requirement requirements-extra.txt
  $home/bin/python -m pip install --quiet --no-deps --editable . --config-settings editable_mode=compat
  touch $home/.made
fi
if ! command -v java >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless >/dev/null || true
  fi
  command -v java >/dev/null || { echo "No Java 17 here: the Spark tests cannot run." >&2; [ -z "$CI" ] || exit 1; }
fi
exec $home/bin/python -m pytest tests/extra -m extra
