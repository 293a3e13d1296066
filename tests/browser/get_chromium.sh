#!/bin/sh
# A Chromium for the browser tests, when none is there: Debian's package for root, else Playwright's own.
# Without one the browser tests are skipped, except in CI, where that is a failure.
python=$1
found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
[ -n "$STDIAL_CHROMIUM" ] && exit 0
found >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null && found >/dev/null && exit 0
fi
"$python" -m playwright install chromium && exit 0
echo "No Chromium could be installed; set STDIAL_CHROMIUM to one." >&2
[ -z "$CI" ]
