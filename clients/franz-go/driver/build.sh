#!/bin/sh
# Builds the driver below $CLIENTBOOK_CACHE; Go keeps what it downloads and compiles in caches of its own.
set -e
cd "$(dirname "$0")"
exec go build -mod=readonly -o "$CLIENTBOOK_CACHE/driver" .
