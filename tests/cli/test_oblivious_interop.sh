#!/usr/bin/env bash
# HPKE, binary HTTP, Oblivious HTTP and Privacy Pass of ours with implementations by others, which npm
# fetches once (tests/interop/package-lock.json has versions and hashes). Skipped without them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
peer=$(realpath -m "$(dirname "${STARCLOAK:-build/asan/starcloak}")/tests/oblivious_peer")

skip() {
    echo "1..1"
    echo "ok 1 - implementations by others # SKIP $1"
    exit 0
}
command -v node >/dev/null && command -v npm >/dev/null || skip "Node.js or npm is missing"
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] ||
    skip "Node.js 18 is needed, this is $(node --version)"
installed=tests/interop/node_modules/.package-lock.json
if [ ! -e "$installed" ] || [ tests/interop/package-lock.json -nt "$installed" ]; then
    (cd tests/interop && npm ci --ignore-scripts) >&2 || skip "npm could not fetch tests/interop/package-lock.json"
    touch "$installed"
fi
exec node tests/interop/interop.mjs "$peer"
