#!/usr/bin/env bash
# A minute of `make siege`, 15 s of it quiet for comparison: the service behind nginx and HAProxy with TLS, attacked in all known ways at once.
# scripts/siege has the sentences, and why they hold on a busy machine. Most of its time is waiting.
# program: release
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
siege=$here/../../scripts/siege
for tool in nginx haproxy openssl ss curl /usr/lib/nginx/modules/ngx_stream_module.so; do
    if ! command -v "$tool" >/dev/null && [ ! -e "$tool" ]; then
        echo "1..1"
        echo "ok 1 - a siege # SKIP $tool is not installed"
        exit 0
    fi
done
place=$(mktemp -d "${TMPDIR:-/tmp}/starcloak-siege.XXXXXX") || exit 1
trap 'rm -rf "$place"' EXIT
"$siege" --tap --place "$place/here" 45
