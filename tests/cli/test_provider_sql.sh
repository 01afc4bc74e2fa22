#!/usr/bin/env bash
# The provider in SQL (examples/provider-sql) over real PostgreSQL with PostGIS and pgRouting: it passes
# all checks, and the service answers through it what it answers by itself.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
source "$here/service.sh"

if ! compgen -G '/usr/share/postgresql/*/extension/pgrouting.control' >/dev/null; then
    skip "the provider in SQL passes all checks" "pgRouting is not installed; scripts/setup test installs it"
    finish
fi
sql=$repository/examples/provider-sql
"$STARCLOAK" map generate --nodes 300 --seed 5 -o city.scm --quiet || echo "# no city"
"$STARCLOAK" map export city.scm csv -q || echo "# no tables"

# Runs while there is a database: what is left in the folder is looked at below.
cat >ask.sh <<'END'
(cd csv && psql -qX -v ON_ERROR_STOP=1 -f "$SQL/tables.sql" "$PGURL") &&
    psql -qX -v ON_ERROR_STOP=1 -f "$SQL/answer.sql" "$PGURL" || exit 1
"$SQL/front.py" "$PGURL" 127.0.0.1:0 >front.out 2>front.log &
front=$!
trap 'kill "$front"' EXIT
until [ -s front.out ]; do kill -0 "$front" || exit 1; sleep 0.05; done
at=$(sed 's/listening on //' front.out)
"$STARCLOAK" provider check "http://$at/" city.scm --encoding geojson --cloaks 2 --json >check.json 2>check.err
echo $? >check.status
echo "$at" >front.at
# The script above asks through the service, and then says so.
until [ -e done ]; do kill -0 "$front" || exit 1; sleep 0.05; done
curl -s -o refused.json -w '%{http_code}' -H 'Content-Type: application/geo+json' --data-binary @message.json \
    "http://$at/" >refused.status
END
export SQL=$sql STARCLOAK
start database "$repository"/tests/support/with_postgres bash ask.sh
until_true test -e front.at -o ! -d "/proc/$started_id" -o -s check.status
if grep -q 'is not installed' database.log; then
    skip "the provider in SQL passes all checks" "$(head -n 1 database.log)"
    finish
fi
until_true test -s front.at
cp check.json "$out" && cp check.err "$err" && status=$(cat check.status) command_line="starcloak provider check"
equal "the provider in SQL passes" "$status" 0
check "all checks" true_of check.json '.failed == 0 and .skipped == 0 and .passed > 30'

# The same question to the service, with the provider in SQL and with the built-in one.
"$STARCLOAK" token key keys || echo "# no key"
for user in one two; do token "$user" >"$user.token"; done
lon=$(awk -F , 'NR == 2 { print $5 }' csv/pois.csv) lat=$(awk -F , 'NR == 2 { print $6 }' csv/pois.csv)
for kind in built-in sql; do
    options=()
    [[ $kind == built-in ]] || options=(--provider "http://$(cat front.at)/" --encoding geojson --provider-timeout 30 --provider-deadline 60)
    start "$kind" "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$(id -un)" --token-keys keys "${options[@]}"
    url=http://$(address_of "$kind")
    question=(--lon="$lon" --lat="$lat" --k 2 --l 3 --max-wait 20 --nearest 5 --json)
    start other "$STARCLOAK" query "$url" --token-file one.token "${question[@]}"
    "$STARCLOAK" query "$url" --token-file two.token "${question[@]}" >"$kind.json" 2>"$err"
    jq -c '[.objects[] | [.id, .category, (.distance_m * 1000 | round), (.duration_s * 1000 | round)]]' "$kind.json" >"$kind.answer"
done
cp sql.json "$out"
check "the service answers through it" true_of sql.answer 'length == 5'
equal "what it answers by itself" "$(cat sql.answer)" "$(cat built-in.answer)"

echo '{"type":"FeatureCollection","starcloak":2,"requests":[{"type":"knn","k":1}],"features":[]}' >message.json
touch done
until_true test -s refused.status
equal "what has no segment is refused before anything is searched" "$(cat refused.status)" 400
check "nothing is logged but failures of the database" test ! -s front.log
finish
