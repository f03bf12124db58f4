#!/bin/sh
# Makes a virtual environment below $CLIENTBOOK_CACHE. Installs again only when requirements.txt has changed.
set -e
cd "$(dirname "$0")"
cmp -s requirements.txt "$CLIENTBOOK_CACHE/requirements.txt" && exit 0
python3 -m venv --clear "$CLIENTBOOK_CACHE/venv"
"$CLIENTBOOK_CACHE/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
cp requirements.txt "$CLIENTBOOK_CACHE/requirements.txt"
