#!/usr/bin/env bash
# Builds build/starcloak-client.jar with nothing but a JDK (11 or later).
# usage: build.sh [FOLDER]      FOLDER: where to put it in place of build
set -euo pipefail
cd "$(dirname "$0")"
to=${1:-build}
mkdir -p "$to"
rm -rf "$to/classes"
javac --release 11 -encoding UTF-8 -Xlint:all -Werror -d "$to/classes" src/main/java/org/starcloak/client/*.java
jar --create --file "$to/starcloak-client.jar" -C "$to/classes" . -C ../.. LICENSE
