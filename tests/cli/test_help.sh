#!/usr/bin/env bash
# Help, manual pages and completion of every command: all from one table each,
# so all must be there, and must agree.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

run --man-list
succeeds "the list of manual pages is printed"
mapfile -t pages <"$out"
check "there is a page for the program, the group and each command" \
    test "${pages[*]}" = "starcloak starcloak-map starcloak-map-import starcloak-map-generate starcloak-map-index \
starcloak-map-info starcloak-map-check starcloak-map-snap starcloak-map-classes starcloak-map-export \
starcloak-nearest starcloak-queries starcloak-cloak starcloak-simulate starcloak-evaluate starcloak-verify starcloak-density starcloak-attack starcloak-experiment starcloak-serve starcloak-demo starcloak-lbs starcloak-relay starcloak-issuer starcloak-oblivious starcloak-oblivious-keys starcloak-provider starcloak-provider-check \
starcloak-token starcloak-token-key starcloak-token-issue starcloak-token-show starcloak-token-revoke starcloak-report starcloak-report-key starcloak-report-show starcloak-report-sign starcloak-report-verify starcloak-audit starcloak-audit-key starcloak-audit-open starcloak-query starcloak-load starcloak-partition starcloak-gateway starcloak-worker starcloak-cluster starcloak-cluster-key starcloak-cluster-status starcloak-help"

# The options that a text shows, one per line.
options_in() { grep -oE -e '--[a-z][a-z-]+' "$1" | sort -u; }

for page in "${pages[@]}"; do
    words=${page//-/ }
    read -ra path <<<"${words#starcloak}"

    run "${path[@]}" --help
    succeeds "'$words --help' succeeds"
    cp "$out" help.txt
    check "'$words --help' begins with its usage" says help.txt "Usage: $words [OPTION...]"
    check "'$words --help' explains the exit status" says help.txt "Exit status:"
    check "'$words --help' keeps to 80 columns, but for lines one would copy" \
        test -z "$(grep -vE '^  (starcloak|eval) ' help.txt | grep -E '.{80}')"

    run help "${path[@]}"
    check "'starcloak help${words#starcloak}' prints the same" cmp -s help.txt "$out"

    for option in $(options_in help.txt); do
        grep -qE "^ .{5}$option\b" help.txt || continue  # not one of its own
        run "${path[@]}" "$option"
        check "'$words' knows the option $option that its help shows" \
            test -z "$(grep 'unrecognized option' "$err")"
    done

    run "${path[@]}" --usage
    check "'$words --usage' prints one line" test "$(wc -l <"$out")" = 1

    run --man "$page"
    succeeds "the manual page $page is printed"
    cp "$out" "$page.1"
    run --man "${words#starcloak}"
    check "the page of $page is also found by the command's words" cmp -s "$page.1" "$out"

    if command -v groff >/dev/null; then
        complaints=$(groff -man -ww -z "$page.1" 2>&1)
    else
        complaints=
    fi
    if command -v mandoc >/dev/null; then
        complaints+=$(mandoc -T lint -W warning "$page.1" 2>&1)
        equal "mandoc, and groff if it is here, find nothing wrong with $page.1" "$complaints" ""
        mandoc -T ascii "$page.1" 2>/dev/null | sed 's/.\x08//g' >page.txt
        check "the manual page $page lists the options that help lists" \
            test "$(options_in page.txt)" = "$(options_in help.txt)"
    else
        skip "mandoc, and groff if it is here, find nothing wrong with $page.1" "no mandoc"
        skip "the manual page $page lists the options that help lists" "no mandoc"
    fi
done

# --- Defaults ---------------------------------------------------------------

# explained OPTION: what the help at hand says of an option, in one line.
explained() {
    awk -v option="$1" '
        /^ +(-[a-z], )?--/ { shown = match($0, " --" option "[= ]") > 0 }
        /^$/ { shown = 0 }
        shown { printf "%s ", $0 }' help.txt | tr -s ' '
}
for command in nearest queries cloak simulate evaluate verify density attack serve demo lbs query load partition gateway worker; do
    "$STARCLOAK" "$command" --help >help.txt
    while read -r option; do
        check "'starcloak $command --help' tells the default of --$option, or that it has none" \
            grep -qE '[(; ](default|required)' <<<"$(explained "$option")"
    done < <(grep -oE -e '^ .{5}--[a-z-]+=' help.txt | grep -oE '[a-z][a-z-]*=' | tr -d =)
done

# default_of OPTION: what the help at hand gives as its default.
default_of() { explained "$1" | sed -E 's/.*default ([^ )]+)\).*/\1/'; }
"$STARCLOAK" map generate --nodes 200 -o town.scm --quiet || echo "# no map to work with"
"$STARCLOAK" simulate town.scm --help >help.txt
told="$(default_of seconds) $(default_of lambda) $(default_of alpha) $(default_of cap) $(default_of seed)"
told+=" $(default_of cost-segment) $(default_of cost-border-node) $(default_of cost-object) $(default_of cost-balance)"
run simulate town.scm --engine hybrid --json
rm town.scm
if command -v jq >/dev/null; then
    equal "the defaults that help tells are those of a run" "$told" "$(jq -r '[.seconds, .engine.lambda,
        .engine.alpha_s, .engine.cap, .seed, .cost.segment, .cost.border_node, .cost.object, .cost.balance] |
        join(" ")' "$out")"
else
    skip "the defaults that help tells are those of a run" "no jq"
fi

COLUMNS=50 "$STARCLOAK" map import --help >narrow.txt
check "help is as narrow as COLUMNS asks, but for single words and lines one would copy" \
    test -z "$(grep -vE '^(  starcloak .*|Usage.*| *[^ ]+)$' narrow.txt | grep -E '.{50}')"

run --version
check "the version is a number" grep -qE '^starcloak [0-9]+\.[0-9]+\.[0-9]+$' "$out"
run --man "map fly"
refuses 2 "a manual page of no command is refused" "map fly"
run help map fly
refuses 2 "help on no command is refused" "map fly"

# --- Completion -------------------------------------------------------------

run --completion bash
succeeds "the completion script for bash is printed"
cp "$out" completion.bash
check "bash accepts the script" bash -n completion.bash
touch roads.scm roads.txt "two words.scm"
mkdir folder

# offers WORD...: what bash would offer for the last word, in one line.
offers() {
    bash -c 'source ./completion.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _starcloak_complete
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort | tr '\n' ' '
}
equal "bash completes commands" "$(offers starcloak m)" "map "
equal "bash completes subcommands" "$(offers starcloak map i)" "import index info "
equal "bash completes what one can have explained: every command" \
    "$(offers starcloak help "")" "$(offers starcloak "")"
equal "bash completes options" "$(offers starcloak map import --fo)" "--format "
equal "bash completes the values of an option" \
    "$(offers starcloak map import --format "")" "cnode dimacs mobisim osm shapefile sumo "
equal "bash completes values after an equals sign" \
    "$(offers starcloak map import --format = m)" "mobisim "
equal "bash goes on after a value" "$(offers starcloak map import --format cnode --cl)" "--class "
equal "bash offers maps and folders where a map is wanted" \
    "$(offers starcloak map info "")" "folder roads.scm two words.scm "
equal "bash offers every file as an input" \
    "$(offers starcloak map import r)" "roads.scm roads.txt "
equal "bash offers maps as the first argument of an export" \
    "$(offers starcloak map export --svg r)" "roads.scm "
equal "bash offers folders as its second" \
    "$(offers starcloak map export --svg roads.scm "")" "folder "
equal "bash offers maps to what hides travellers on one" "$(offers starcloak cloak r)" "roads.scm "
equal "bash offers every file as queries" "$(offers starcloak cloak roads.scm r)" "roads.scm roads.txt "
equal "bash offers every file as a record" "$(offers starcloak verify roads.scm r)" "roads.scm roads.txt "
equal "bash completes the names of engines" \
    "$(offers starcloak simulate --engine "")" "basic bounded expansion hybrid patient sampling xstar "
equal "bash offers nothing where only a number will do" \
    "$(offers starcloak map generate --nodes "")" " "
for page in "${pages[@]}"; do
    words=${page//-/ }
    read -ra path <<<"$words"
    run "${path[@]:1}" --help
    got=$(offers "${path[@]}" -- | tr ' ' '\n' | grep -- -- | sort -u)
    equal "bash offers every option of '$words'" "$got" \
        "$(grep -oE -e '^ .{5}--[a-z-]+' "$out" | grep -oE -e '--.*' | sort -u)"
done

run --completion zsh
succeeds "the completion script for zsh is printed"
if command -v zsh >/dev/null; then
    cp "$out" completion.zsh
    check "zsh accepts the script" zsh -n completion.zsh
else
    skip "zsh accepts the script" "no zsh"
fi
run --completion fish
succeeds "the completion script for fish is printed"
if command -v fish >/dev/null; then
    cp "$out" completion.fish
    equal "fish completes subcommands" \
        "$(HOME=$PWD fish -c "source completion.fish; complete -C 'starcloak map i'" 2>&1 | cut -f1 | sort | tr '\n' ' ')" \
        "import index info "
    check "fish offers folders to an export" \
        test -n "$(HOME=$PWD fish -c "source completion.fish; complete -C 'starcloak map export roads.scm f'" 2>&1 | grep '^folder/')"
else
    skip "fish completes subcommands" "no fish"
    skip "fish offers folders to an export" "no fish"
fi
run --completion tcsh
refuses 2 "an unknown shell is refused" "tcsh" "bash"

finish
