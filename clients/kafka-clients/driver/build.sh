#!/bin/sh
# Fetches the client and compiles the driver, both below $CLIENTBOOK_CACHE. Fetches again only when pom.xml has changed.
set -e
cd "$(dirname "$0")"
if ! cmp -s pom.xml "$CLIENTBOOK_CACHE/pom.xml"; then
  rm -rf "$CLIENTBOOK_CACHE/lib"
  mvn --quiet --batch-mode dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$CLIENTBOOK_CACHE/lib"
  cp pom.xml "$CLIENTBOOK_CACHE/pom.xml"
fi
exec javac --release 17 -Xlint:all,-processing -cp "$CLIENTBOOK_CACHE/lib/*" -d "$CLIENTBOOK_CACHE/classes" Driver.java
