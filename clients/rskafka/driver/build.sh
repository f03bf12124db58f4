#!/bin/sh
# Builds the driver below $CLIENTBOOK_CACHE. Cargo writes its lock file beside the manifest, so the sources are copied there first.
set -e
src="$CLIENTBOOK_CACHE/src"
mkdir -p "$src/src"
cmp -s Cargo.toml "$src/Cargo.toml" || cp Cargo.toml "$src/"
cmp -s src/main.rs "$src/src/main.rs" || cp src/main.rs "$src/src/"
cd "$src"
[ Cargo.lock -nt Cargo.toml ] || cargo generate-lockfile --quiet
RUSTC_VERSION=$(rustc --version | cut -d' ' -f2)
export RUSTC_VERSION
exec cargo build --quiet --release --locked --target-dir "$CLIENTBOOK_CACHE/target"
