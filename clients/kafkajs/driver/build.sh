#!/bin/sh
# Installs the client below $CLIENTBOOK_CACHE, beside a copy of the driver, where Node.js finds it. Installs again only when the lock file has changed.
set -e
cd "$(dirname "$0")"
cp driver.js "$CLIENTBOOK_CACHE/"
cmp -s package-lock.json "$CLIENTBOOK_CACHE/installed.json" && exit 0
cp package.json package-lock.json "$CLIENTBOOK_CACHE/"
npm ci --silent --no-audit --no-fund --prefix "$CLIENTBOOK_CACHE"
cp package-lock.json "$CLIENTBOOK_CACHE/installed.json"
