#!/usr/bin/env bash
# The clients in clients/: built and installed as users would, and asked to keep what docs/clients.md
# promises, by one script of scenarios against a real service, over lines that are cut.
# shellcheck source-path=SCRIPTDIR disable=SC2154,SC2317
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

clients=$repository/clients
# Debian's: it has setuptools, which another in the path may lack.
python=/usr/bin/python3
drivers=()

# driver LANGUAGE COMMAND...: how its driver is called, as a line of JSON.
driver() {
    drivers+=("$("$python" -c 'import json, sys; print(json.dumps({sys.argv[1]: sys.argv[2:]}))' "$@")")
}

# has COMMAND...: whether all are installed.
has() {
    local name
    for name; do command -v "$name" >/dev/null || return 1; done
}

# tried SENTENCE COMMAND...: the command succeeds; what it said is shown if not.
tried() {
    local sentence=$1
    shift
    command_line=$*
    "$@" >"$out" 2>"$err" </dev/null
    status=$?
    if [[ $status == 0 ]]; then pass "$sentence"; else fail "$sentence"; fi
}

# version FILE PATTERN: what stands in the place of the pattern's group.
version() { sed -nE "s/$2/\1/p" "$clients/$1" | head -n 1; }

# --- One version ------------------------------------------------------------------------------------

release=$("$STARCLOAK" --version | sed -nE '1s/^starcloak ([0-9.]+).*/\1/p')
check "the program has a version" test -n "$release"
equal "the TypeScript client has it too" "$(version typescript/package.json ' *"version": "([^"]+)".*')" "$release"
equal "and the Python client" "$(version python/pyproject.toml 'version = "([^"]+)"')" "$release"
equal "and the Java client" "$(version java/pom.xml '^  <version>([^<]+)<.*')" "$release"

# --- TypeScript -------------------------------------------------------------------------------------

packed=
if has node npm; then
    "$repository/scripts/web" install >"$out" 2>&1
    tried "types are those of openapi.json" node "$clients/typescript/generate_types.mjs" --check
    tried "the TypeScript client is packed" npm pack --pack-destination "$work" "$clients/typescript"
    packed=$(ls "$work"/starcloak-client-*.tgz)
    equal "the package has code, types, licence and nothing else" \
        "$(tar tzf "$packed" | grep -cvE '^package/(dist/[a-z]+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$')" 0
    equal "and needs no other" "$(tar xzOf "$packed" package/package.json | jq '.dependencies // {} | length')" 0
    tried "TypeScript: what needs no service" node --test "$clients/typescript/test/"
    mkdir "$work/node" && echo '{"private":true}' >"$work/node/package.json"
    tried "npm installs it without a network" npm install --offline --no-audit --no-fund --prefix "$work/node" "$packed"
    module=$work/node/node_modules/@starcloak/client/dist/index.js
    driver typescript node "$clients/conformance/driver.mjs" "$module"
else
    skip "the TypeScript client" "no Node.js"
fi

# --- Python -----------------------------------------------------------------------------------------

if "$python" -c 'import setuptools, pip' 2>"$err"; then
    # A copy: setuptools writes beside the sources.
    cp -rL "$clients/python" "$work/python-source"
    tried "pip installs the Python client without a network" "$python" -m pip install --no-index --no-build-isolation \
        --no-deps --quiet --target "$work/python" "$work/python-source"
    check "with its mark for type checkers" test -e "$work/python/starcloak/client/py.typed"
    tried "Python: what needs no service" env PYTHONPATH="$work/python" "$python" -W error \
        -m unittest discover -s "$clients/python/tests"
    driver python env "PYTHONPATH=$work/python" "$python" "$clients/conformance/driver.py"
else
    skip "the Python client" "no pip or no setuptools"
fi

# --- Java -------------------------------------------------------------------------------------------

if has javac jar java; then
    tried "the Java client is built with nothing but a JDK" "$clients/java/build.sh" "$work/java"
    jar=$work/java/starcloak-client.jar
    compile() { javac --release 11 -encoding UTF-8 -Xlint:all -Werror -cp "$jar" -d "$work/java/more" "$@"; }
    tried "its tests too" compile "$clients"/java/src/test/java/org/starcloak/client/*.java \
        "$clients"/conformance/java/org/starcloak/client/*.java
    tried "Java: what needs no service" java -cp "$jar:$work/java/more" org.starcloak.client.ClientTest
    driver java java -XX:TieredStopAtLevel=1 -cp "$jar:$work/java/more" org.starcloak.client.Driver
else
    skip "the Java client" "no JDK"
fi

# --- A page of another origin, beside the scenarios ---------------------------------------------------

chromium=${CHROMIUM:-/usr/bin/chromium}
page=
city city.scm
"$STARCLOAK" token key keys
read -r port other_port <<<"$(free_ports 2)"
start service "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$(id -un)" --token-keys keys \
    --origins "http://localhost:$port" --address-rate 0 --user-rate 0 --crowd 1
service=http://$(address_of service)
start company "$STARCLOAK" load "$service" city.scm --key keys -n 80 --duration 3600 --k 3:1 --l 2:1 --sigma-t 4:1 \
    --pause 1:0.5 --metrics off --check 0 --quiet
if [[ -n $packed && -x $chromium && -d $repository/web/node_modules/playwright-core ]]; then
    query='{"position":{"edge":17,"offset_m":1},"profile":{"k":2,"l":1,"max_wait_s":30},"request":{"type":"knn","k":3}}'
    token page >page.token
    node "$clients/conformance/page.mjs" "$packed" "$service" "$port" "$query" <page.token >page.out 2>page.err &
    page=$!
fi

# --- All of them, against a real service ------------------------------------------------------------

# taken FILE: the checks of a TAP file, as checks of this script.
taken() {
    local line said=
    while IFS= read -r line; do
        case $line in
        'ok '*' # SKIP '*) line=${line#ok * - } && skip "${line% # SKIP *}" "${line##* # SKIP }" ;;
        'ok '*) pass "${line#ok * - }" ;;
        'not ok '*) fail "${line#not ok * - }" && said=yes ;;
        *) [[ -z $said ]] || echo "$line" ;;
        esac
    done <"$1"
}

if [[ ${#drivers[@]} -gt 0 ]]; then
    printf '%s\n' "${drivers[@]}" | jq -s add >drivers.json
    equal "every client that was built is asked" "$(jq length drivers.json)" ${#drivers[@]}
    command_line="clients/conformance/run.py"
    "$python" "$clients/conformance/run.py" "$STARCLOAK" drivers.json >scenarios.tap 2>"$err"
    status=$?
    : >"$out"
    taken scenarios.tap
    check "all scenarios were played to their end" grep -q '^1\.\.' scenarios.tap
else
    skip "scenarios" "no client was built"
fi

# --- What became of the page ------------------------------------------------------------------------

if [[ -n $page ]]; then
    command_line="clients/conformance/page.mjs"
    ended "$page"
    cp page.out "$out" && cp page.err "$err"
    check "a page of another origin has an answer" true_of "$out" '.outcome == "answered" and (.objects | length) == 3'
    check "and the browser no complaint" true_of "$out" '.complaints == []'
    echo "# $(jq -c '{installed_s, page_s, answered_s}' "$out")"
    node "$clients/conformance/page.mjs" "$packed" "$service" "$other_port" "$query" <page.token >"$out" 2>"$err"
    check "a page of an origin that is not listed has none" true_of "$out" '.outcome | test("could not be reached")'
else
    skip "a page of another origin" "no Chromium, or no Node.js"
fi

# --- Examples ---------------------------------------------------------------------------------------

# example LANGUAGE COMMAND...: it asks in the middle of the town, and prints an answer.
example() {
    local language=$1
    shift
    token "example-$language" >example.token
    command_line=$*
    "$@" "$service" -30 45.002 <example.token >"$out" 2>"$err"
    status=$?
    check "the example in $language has an answer" says "$out" "hidden among" " m"
}
if [[ -n $packed ]]; then
    cp "$clients/typescript/examples/ask.mjs" "$work/node"
    example TypeScript node "$work/node/ask.mjs"
fi
if [[ -d $work/python ]]; then
    example Python env "PYTHONPATH=$work/python" "$python" "$clients/python/examples/ask.py"
    token later >later.token
    resume=(env "PYTHONPATH=$work/python" "$python" "$clients/python/examples/resume.py" "$service" later.token handle)
    "${resume[@]}" -30 45.002 >"$out" 2>"$err"
    check "one asks and goes" says "$out" "asked"
    "${resume[@]}" >"$out" 2>"$err"
    check "and comes back for the outcome" grep -qE 'answered|dropped' "$out"
fi
[[ ! -e ${jar:-} ]] || example Java java -cp "$jar" "$clients/java/examples/Ask.java"

finish
