#!/usr/bin/env bash
# Providers that know only the nearest of a point, as a file says how they are asked: stand-ins for
# those that people have, written from what these publish (point_servers.py). Answers are those of a plain
# one; secrets are not told; what cannot be exact is refused.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source-path=SCRIPTDIR
source "$here/service.sh"

"$STARCLOAK" map generate --nodes 2k -o city.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map export city.scm export --quiet || echo "# no objects"
"$STARCLOAK" simulate city.scm --users 200 --seconds 30 --no-answers --category cafe --nearest 3:0 --metric distance --record run.jsonl --quiet || echo "# no run"
export GOOGLE_KEY=s3cret-of-google FOURSQUARE_KEY=s3cret-of-foursquare
start points "$here/point_servers.py" export/pois.csv port
until_true test -s port || echo "# no providers"
address=http://127.0.0.1:$(cat port)

run evaluate city.scm run.jsonl -o plain.jsonl --point-provider "$address/nearest?lon={lon}&lat={lat}&k={k}&category={category}"
succeeds "a simple provider is asked by a URL alone"

# answers FILE NAME: what the file names gives the same answers as the simple one.
answers() {
    rm -f one.jsonl
    run evaluate city.scm run.jsonl -o one.jsonl --point-provider "$1" --json
    check "$2: every query is answered" true_of "$out" '.failed == 0 and .refused == 0 and .answered > 100'
    check "$2: with the same answers" "$here/same_answers.py" one.jsonl plain.jsonl
    check "$2: nothing of a secret is told" silent_about "$out" s3cret
}

# --- Published shapes --------------------------------------------------------------

cat >plain.ini <<INI
[provider]
url = $address/nearest?lon={lon}&lat={lat}&k={k}&category={category}
[fields]
list = /results
id = /id
lon = /lon
lat = /lat
distance = /distance_m
category = /category
name = /name
INI
answers plain.ini "the same as a file"

printf 's3cret-of-google\n' >google.key
cat >google.ini <<INI
[provider]
preset = google-nearby
address = $address/google/v1/places:searchNearby
[headers]
X-Goog-Api-Key = file:google.key
[points]
spacing = 100
INI
answers google.ini "Google's Nearby Search, a stand-in (POST, field mask, nested location)"
sed "s|$address/google|$address/busy/google|" google.ini >busy.ini
answers busy.ini "the same, with status 429 now and then"

printf 'Bearer s3cret-of-foursquare\n' >foursquare.key
cat >foursquare.ini <<INI
[provider]
preset = foursquare
address = $address/foursquare/places/search
[headers]
Authorization = file:foursquare.key
[points]
spacing = 50
INI
answers foursquare.ini "Foursquare's Place Search, a stand-in (Authorization)"

cat >nominatim.ini <<INI
[provider]
url = $address/nominatim/nearest?format=jsonv2&lat={lat}&lon={lon}&limit={k}&amenity={category}
[fields]
list =
id = /osm_type /osm_id
lon = /lon
lat = /lat
name = /name
category = /type
INI
answers nominatim.ini "replies as Nominatim's, a stand-in (numbers as texts)"

# --- What cannot be exact ----------------------------------------------------------

sed 's|nominatim/nearest|nominatim/search|' nominatim.ini >importance.ini
# unordered FILE NAME: no query is answered, and the message names areas.
unordered() {
    run evaluate city.scm run.jsonl --dry-run --quiet --point-provider "$1"
    refuses 1 "$2" "not in the order of distance" "--area-provider"
}
unordered importance.ini "an order by importance is refused, and areas are named"
cat >overpass.ini <<INI
[provider]
url = $address/overpass
content-type = text/plain
body = [out:json];nwr["amenity"="{category}"](around:{radius},{lat},{lon});out center {k};
[fields]
list = /elements
id = /type /id
lon = /lon
lat = /lat
category = /tags/amenity
[points]
radius = 50000
INI
unordered overpass.ini "Overpass, a stand-in, lists in no order, and is refused with the way that it can be asked"
printf '[provider]\npreset = overpass\naddress = %s\n' "$address" >preset.ini
run evaluate city.scm run.jsonl --dry-run --point-provider preset.ini
refuses 1 "its preset is for areas" "preset.ini:2: unknown preset" "--area-provider"

# --- Bad files ---------------------------------------------------------------------

run evaluate city.scm run.jsonl --dry-run --point-provider nowhere.ini
refuses 1 "a file that is not there is refused" "nowhere.ini"
sed 's|file:google.key|file:lost.key|' google.ini >lost.ini
run evaluate city.scm run.jsonl --dry-run --point-provider lost.ini
refuses 1 "a key that is not there is told with file and line" "lost.ini:5: 'X-Goog-Api-Key'" "cannot be read"
sed 's|file:google.key|env:STARCLOAK_NOT_SET|' google.ini >lost.ini
run evaluate city.scm run.jsonl --dry-run --point-provider lost.ini
refuses 1 "and a variable that is not set" "lost.ini:5: 'X-Goog-Api-Key'" "environment"
sed 's|file:google.key|wrong-one|' google.ini >wrong.ini
run evaluate city.scm run.jsonl --dry-run --point-provider wrong.ini
refuses 1 "a wrong key is told as what the provider said" "status 403"
check "and no key is" silent_about "$err" s3cret wrong-one
sed "s|&category={category}|\&api_key=s3cret|" plain.ini >open.ini
run evaluate city.scm run.jsonl --dry-run --point-provider open.ini
refuses 1 "a secret in an address is refused" "open.ini:2: url has a secret in it" "{key}"
check "and not repeated" silent_about "$err" s3cret
run evaluate city.scm run.jsonl --dry-run --point-provider "$address/nearest?lon={lon}&lat={lat}&k={k}&token=s3cret"
refuses 2 "nor is one in a URL" "--point-provider: url has a secret in it"
check "which is not repeated either" silent_about "$err" s3cret
run evaluate city.scm run.jsonl --dry-run --point-provider plain.ini --point-spacing 100
refuses 2 "what a file says is not said beside it" "--point-spacing" "FILE.ini"

# --- The service -------------------------------------------------------------------

read -r lon lat < <(awk -F, 'NR == 20 { print $2, $3 }' export/nodes.csv)
"$STARCLOAK" token key token.key >/dev/null 2>&1
start serve "$STARCLOAK" serve --map city.scm --point-provider google.ini --listen 127.0.0.1:0 \
    --admin 127.0.0.1:0 --token-keys token.key --no-ui --min-k 1 --min-l 1 --user-rate 1000
service=$(address_of serve)
check "the service starts and names its provider" says serve.log "provider=points"
"$STARCLOAK" token issue --key token.key --user ann >ann.token 2>/dev/null
run query "http://$service" --token-file ann.token --lon "$lon" --lat "$lat" --k 1 --l 1 --nearest 3 --json
cp "$out" answer.json
check "a query is answered through it" true_of answer.json '.. | .distance_m? // empty | numbers'
check "its log has no secret" silent_about serve.log s3cret
run serve --map city.scm --point-provider google.ini --print-config
check "a printed configuration names the file" says "$out" "point-provider = google.ini"
check "and no secret" silent_about "$out" s3cret
run serve --map city.scm --point-provider google.ini --point-max-k 10 --check
refuses 2 "what a file says is not said beside it in the service either" "point-max-k" "give the setting there"
sed "s|$address|http://192.0.2.1|" google.ini >remote.ini
run serve --map city.scm --point-provider remote.ini --check
refuses 1 "plain HTTP to another machine is refused" "point-provider: plain HTTP to another machine"

finish
