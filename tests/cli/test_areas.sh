#!/usr/bin/env bash
# Providers that list what is in a box, from the command line: answers as from the objects
# themselves, secrets that are not told, and what is refused.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source-path=SCRIPTDIR
source "$here/service.sh"

"$STARCLOAK" map generate --nodes 2k --one-way 0.3 -o city.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map export city.scm export --quiet || echo "# no objects"
"$STARCLOAK" simulate city.scm --users 300 --seconds 30 --no-answers --category any --record run.jsonl --quiet || echo "# no run"
export PLACES_KEY=s3cret-of-mine
start places "$here/places_server.py" export/pois.csv port
until_true test -s port || echo "# no provider"
address=http://127.0.0.1:$(cat port)

cat >places.ini <<INI
[provider]
preset = ogc-features
address = $address/collections/places/items
[headers]
X-Key = env:PLACES_KEY
[paging]
page-size = 50
[tiles]
snap = 50
INI

# --- Cloaks -----------------------------------------------------------------------

run evaluate city.scm run.jsonl -o areas.jsonl --area-provider places.ini
succeeds "a record is answered by a provider of areas"
check "the report tells how it was asked, and what it took" says "$out" "a provider asked for areas" "tiles needed" "questions"
check "nothing of a secret is told" silent_about "$out" s3cret
run evaluate city.scm run.jsonl -o built.jsonl
succeeds "and by the built-in one"
check "the answers are the same" "$here/same_answers.py" areas.jsonl built.jsonl

# --- The verifier -----------------------------------------------------------------

run verify city.scm areas.jsonl
succeeds "what was asked is verified"
check "with the areas and all answers" says "$out" "areas    tiles follow from roads and requests" "All promises hold"
run verify city.scm areas.jsonl --json
check "which are compared although the objects are not the map's" true_of "$out" \
    '.promises.areas.checked > 2 and .promises.answers.checked == .foreign_answers and .foreign_answers > 0'
sed '0,/"event":"areas"/ s/\("event":"areas".*"level":\)[0-9]*,"x":\[[0-9]*,[0-9]*\],"y":\[[0-9]*,[0-9]*\]/\10,"x":[0,0],"y":[0,0]/' \
    areas.jsonl >wide.jsonl
sed -i '0,/"event":"tiles"/ s/"side_x":[0-9]*/"side_x":1/' wide.jsonl
run verify city.scm wide.jsonl
equal "tiles that are not the fixed ones are found" "$status" 1
check "and told" says "$out" "areas: the fixed tiles do not hold all roads"
run evaluate city.scm areas.jsonl -o again.jsonl --quiet
succeeds "an evaluation by the built-in provider leaves out what was told of areas"
check "all of it" silent_about again.jsonl '"area"' '"areas"' '"tiles"'

# needs FILE: the tiles that each cloak needed, round by round.
needs() {
    jq -c 'select(.event == "areas") | [.cloak, [.rounds[].tiles]]' "$1"
}
{
    cat places.ini
    printf '%s\n' "size = 200" "[limits]" "max-questions = 1000" "[cache]"
} >small.ini
{
    cat small.ini
    printf '%s\n' "lifetime = 0" "stale = 0"
} >kept_not.ini
run evaluate city.scm run.jsonl -o small.jsonl --area-provider small.ini --quiet
run evaluate city.scm run.jsonl -o kept_not.jsonl --area-provider kept_not.ini --quiet
equal "with small tiles cloaks need the same with a cache and without" "$(needs small.jsonl)" "$(needs kept_not.jsonl)"
check "in several rounds" test "$(needs small.jsonl | jq 'select((.[1] | length) > 1) | .[0]' | wc -l)" -gt 5
check "and with a cache less is asked for" test "$(grep -c '"event":"area"' small.jsonl)" -lt "$(grep -c '"event":"area"' kept_not.jsonl)"
run verify city.scm small.jsonl
succeeds "both are verified"
run verify city.scm kept_not.jsonl
succeeds "round by round"

run evaluate city.scm run.jsonl --dry-run --json --area-provider places.ini
check "as JSON the encoding is areas" true_of "$out" '.encoding == "areas" and .questions > 0 and .failed == 0'

# --- One position -----------------------------------------------------------------

read -r lon lat < <(awk -F, 'NR == 20 { print $2, $3 }' export/nodes.csv)
run nearest city.scm --lon "$lon" --lat "$lat" -k 3 --area-provider places.ini --json
succeeds "a position is answered from areas"
cp "$out" areas.json
run nearest city.scm --lon "$lon" --lat "$lat" -k 3 --json
equal "as from the map's own objects" \
    "$(jq -c '[.results[].distance_m | round]' areas.json)" "$(jq -c '[.results[].distance_m | round]' "$out")"

# Descriptions that are wrong, and yet fit the replies: all that is listed is of no use.
{
    cat places.ini
    printf '%s\n' "[fields]" "category = /properties/kind"
} >kind.ini
run nearest city.scm --lon "$lon" --lat "$lat" --area-provider kind.ini
equal "objects without a category are none" "$status" 0
check "which is told" says "$err" "were left out" "section [fields], category"
check "and nothing else" silent_about "$err" "axis-order"
{
    cat places.ini
    printf '%s\n' "[fields]" "axis-order = lat-lon"
} >swapped.ini
run nearest city.scm --lon "$lon" --lat "$lat" --area-provider swapped.ini
check "so are positions with their axes swapped" says "$err" "outside of the boxes" "axis-order"

cat >bare.osm <<'XML'
<osm version="0.6"><node id="1" lon="1.0" lat="1.0"/><node id="2" lon="1.001" lat="1.0"/>
<node id="3" lon="1.002" lat="1.001"/><node id="4" lon="1.0" lat="1.001"/>
<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way>
<way id="2"><nd ref="2"/><nd ref="4"/><tag k="highway" v="residential"/></way></osm>
XML
"$STARCLOAK" map import bare.osm -o bare.scm --quiet
run nearest bare.scm --lon 1 --lat 1 --category fuel --area-provider places.ini
refuses 1 "without objects in the map a category needs a word" "[categories]"
run serve --map bare.scm --area-provider places.ini --token-keys token.key --check
check "and --check says so" says "$err" "no category is known" "[categories]"

# --- Refusals ---------------------------------------------------------------------

run evaluate city.scm run.jsonl --dry-run --area-provider nowhere.ini
refuses 1 "a file that is not there is refused" "nowhere.ini"
printf '[provider]\npreset = lost\n' >bad.ini
run nearest city.scm --lon "$lon" --lat "$lat" --area-provider bad.ini
refuses 1 "an unknown preset is refused with file and line" "bad.ini:2: unknown preset" "ogc-features"
PLACES_KEY=wrong run evaluate city.scm run.jsonl --dry-run --area-provider places.ini
refuses 1 "a wrong key is told as what the provider said" "status 401"
check "and neither key is" silent_about "$err" s3cret "wrong key"
run evaluate city.scm run.jsonl --dry-run --area-provider places.ini --check all
refuses 2 "--check is for the built-in provider" "--check" "--area-provider"
run evaluate city.scm run.jsonl --dry-run --area-provider places.ini --point-provider 'http://h/{lon}{lat}{k}'
refuses 2 "there is one provider" "--point-provider" "--area-provider"

# --- The service ------------------------------------------------------------------

"$STARCLOAK" token key token.key >/dev/null 2>&1
start serve "$STARCLOAK" serve --map city.scm --area-provider places.ini --listen 127.0.0.1:0 \
    --admin 127.0.0.1:0 --token-keys token.key --no-ui --min-k 1 --min-l 1 --user-rate 1000
service=$(address_of serve)
check "the service starts and names its provider" says serve.log "provider=areas"
"$STARCLOAK" token issue --key token.key --user ann >ann.token 2>/dev/null
run query "http://$service" --token-file ann.token --lon "$lon" --lat "$lat" --k 1 --l 1 --nearest 3 --json
cp "$out" answer.json
check "a query is answered through it" true_of answer.json '.. | .distance_m? // empty | numbers'
check "its log has no secret" silent_about serve.log s3cret
run load "http://$service" city.scm --key token.key -n 40 --pause 1 --duration 3 --k 1 --l 1 --check 1000 --metrics off --json
succeeds "travellers ask it, and each answer is compared with a plain search on the map"
check "none is another: positions were exported to the millimetre" true_of "$out" '([.. | objects | .checked // empty] | add) > 5 and .violations.all == 0'
run serve --map city.scm --area-provider places.ini --print-config
check "a printed configuration names the file and no secret" says "$out" "area-provider = places.ini"
check "of it neither" silent_about "$out" s3cret
for url in 'http://me:s3cret@127.0.0.1/' 'http://127.0.0.1/?token=s3cret'; do
    for option in --provider --point-provider; do
        run serve --map city.scm $option "$url&lon={lon}&lat={lat}&k={k}" --print-config
        check "of $option $url the secret is not printed" silent_about "$out" s3cret
        check "nor told" silent_about "$err" s3cret
    done
done
run serve --map city.scm --objects postgresql://me:s3cret@h/db --print-config
check "a database's password is not printed" says "$out" 'objects = postgresql://me:***@h/db'
sed "s|$address|http://192.0.2.1|" places.ini >remote.ini
run serve --map city.scm --area-provider remote.ini --check
refuses 1 "plain HTTP to another machine is refused" "area-provider: plain HTTP to another machine"

finish
