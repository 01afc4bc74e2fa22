#!/usr/bin/env bash
# What operators load into Prometheus and Grafana: alerts fire as they should, and name metrics that there are.
# shellcheck source-path=SCRIPTDIR disable=SC2154,SC2317
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

rules=$repository/packaging/prometheus
dashboard=$repository/packaging/grafana/starcloak.json

promtool check rules "$rules/starcloak.rules.yml" >"$out" 2>"$err"
equal "promtool understands the rules" $? 0
(cd "$rules" && promtool test rules starcloak.rules.test.yml) >"$out" 2>"$err"
equal "each alert fires when it should, and not before" $? 0
for alert in $(sed -nE 's/^ *- alert: (.*)/\1/p' "$rules/starcloak.rules.yml"); do
    check "a test has $alert fire" \
        awk -v alert="$alert" '$0 ~ "alertname: " alert "$" { getline; if (/exp_alerts/) found = 1 } END { exit !found }' \
        "$rules/starcloak.rules.test.yml"
    check "and docs/operations.md says what to do" says "$repository/docs/operations.md" "$alert"
done

# The golden files hold every metric of serve, gateways and the provider.
sed -nE 's/^# TYPE ([a-z_]+) .*/\1/p' "$repository"/tests/golden/expected/service/*.txt | sort -u >known.txt
check "there are metrics to compare with" test "$(wc -l <known.txt)" -gt 80
# unknown FILE: names of metrics in it that no process has.
unknown() {
    grep -oE '\b(starcloak|process)_[a-z_]+' "$1" | sed -E 's/_(bucket|sum|count)$//' | sort -u | comm -23 - known.txt
}
equal "rules name no other metric" "$(unknown "$rules/starcloak.rules.yml")" ""
equal "nor does the dashboard" "$(unknown "$dashboard")" ""
check "the dashboard is JSON, with panels" test "$(jq '[.panels[] | select(.targets)] | length' "$dashboard")" -ge 15
jq -r '.panels[].targets[]?.expr' "$dashboard" | sed 's/\$job/starcloak/g' >expressions.txt
# promtool has no command for one expression, but knows those of rules.
python3 - >as_rules.yml <<'PY'
import json
print("groups: [{name: a, rules: [")
for i, line in enumerate(open("expressions.txt")):
    print(f"  {{record: 'a:b{i}', expr: {json.dumps(line.strip())}}},")
print("]}]")
PY
promtool check rules as_rules.yml >"$out" 2>"$err"
equal "and every expression of it is one of Prometheus" $? 0

finish
