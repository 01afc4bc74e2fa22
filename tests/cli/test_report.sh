#!/usr/bin/env bash
# tools/report.py: plots and page from what a small experiment has left. report_checks.py looks at
# them, and at what becomes of damaged folders.
# program: release
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 400 --seed 3 -o town.scm --quiet
"$STARCLOAK" map generate --nodes 500 --seed 4 -o village.scm --quiet
run experiment --map town.scm --map village.scm --users 250 --seconds 8 --warm-up 12 --seeds 2 --grid k=3,5 --grid l=5 \
    --grid sigma_s=4 --grid sigma_t=10 --grid nearest=5 --grid injected=0,2 --grid asked=1,2 --samples 60 --placements 40 \
    --victims 2 -o results --quiet
[[ $status == 0 ]] || { fail "an experiment runs" && finish; }
/usr/bin/python3 "$here/report_checks.py" "$repository/tools/report.py" "$PWD/results"
