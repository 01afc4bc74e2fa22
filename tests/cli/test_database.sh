#!/usr/bin/env bash
# Objects from a real PostgreSQL: asked for by `nearest`, a line at a time while the table changes,
# and by `evaluate`.
# shellcheck source-path=SCRIPTDIR disable=SC2317  # becomes is called by its name
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

coproc server { exec "$repository"/tests/support/with_postgres --serve 2>"$work"/server.err; }
# shellcheck disable=SC2154  # coproc sets them
server_id=$server_PID
url=
read -r url <&"${server[0]}"
if [[ -z $url ]]; then
    wait "$server_id"
    skip "objects come from a database" "$(head -n 1 "$work"/server.err)"
    finish
fi
psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | sort -V | tail -n 1)
# sql TEXT: done, or the test is worth nothing.
sql() { "$psql" -qXAt -v ON_ERROR_STOP=1 -d "$url" -c "$1" || echo "# not done: $1"; }

"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge -o town.scm --quiet || echo "# no map to work with"
sql 'CREATE TABLE objects (id text PRIMARY KEY, geom geometry(Point, 4326), category text, name text)'
# Where the objects of test_nearest.sh are, on a map that has none of its own.
sql "INSERT INTO objects VALUES
    ('h1', ST_SetSRID(ST_Point(8.682, 49.41), 4326), 'hospital', 'St. Mary''s'),
    ('s1', ST_SetSRID(ST_Point(8.681, 49.41), 4326), 'school', NULL),
    ('far', ST_SetSRID(ST_Point(9.5, 50.5), 4326), 'school', 'Far away')"

# rows: rank, distance, object and category of the table that was printed, in one line.
rows() { awk '$1 ~ /^[0-9]+$/ { printf "%s%s %s %s %s", sep, $1, $2, $3, $4; sep = ", " }' "$out"; }

run nearest town.scm --lon 8.6821 --lat 49.4101 --objects "$url"
equal "objects of a table are found" "$status" 0
equal "under their own keys" "$(rows)" "1 7.23 h1 hospital, 2 79.58 s1 school"
check "with their names" says "$out" "St. Mary's"
check "what is off the roads is left out, and told" says "$err" "1 of 3 rows left out"
run nearest town.scm --lon 8.6821 --lat 49.4101 --objects "$url" -c school --json
check "categories are those of the table" says "$out" '"results":[{"poi":"s1","distance_m":79.58'
run nearest town.scm --lon 8.6821 --lat 49.4101 --objects "$url" -c scool
refuses 1 "in mistakes, too" "did you mean 'school'?"
run nearest town.scm --lon 8.6821 --lat 49.4101 --objects "$url" --objects-table houses
refuses 1 "a table that is not there is told" "houses"
for address in "" foo http://localhost/city "secret@postgresql://x"; do
    run nearest town.scm --lon 8.6821 --lat 49.4101 --objects "$address"
    refuses 2 "--objects '$address' is refused" "--objects: " "must begin with postgresql://"
    check "and not repeated" silent_about "$err" secret
done
run nearest town.scm --lon 8.6821 --lat 49.4101 --objects-table houses
refuses 2 "a table without a database is refused" "--objects-table"

# --- While the table changes ---------------------------------------------------------

mkfifo "$work"/questions "$work"/answers
"$STARCLOAK" nearest town.scm -k 1 --objects "$url" --objects-channel changed \
    <"$work"/questions >"$work"/answers 2>"$err" &
asked_id=$!
exec {to}>"$work"/questions {from}<"$work"/answers
# nearest_now: the key of the nearest object, as the program that runs has it now.
nearest_now() {
    local line=
    echo "8.6821 49.4101" >&"$to"
    read -r -t 60 line <&"$from"
    cut -f 4 <<<"$line"
}
# becomes KEY: wait until it is the nearest.
becomes() {
    local key=
    for _ in {1..1200}; do
        key=$(nearest_now)
        [[ $key != "$1" ]] || return 0
        sleep 0.05
    done
    return 1
}
equal "a program that runs answers from the table" "$(nearest_now)" h1
sql "INSERT INTO objects VALUES ('h2', ST_SetSRID(ST_Point(8.68205, 49.41), 4326), 'hospital', 'New'); NOTIFY changed"
check "it learns of a new object without a restart" becomes h2
sql "DELETE FROM objects WHERE id IN ('h1', 'h2'); NOTIFY changed"
check "and of objects that are gone" becomes s1
exec {to}>&-
wait "$asked_id"
equal "it ends with its input" $? 0
exec {from}<&-

# --- While the database is away ------------------------------------------------------

# server_does WORD: stop or start it.
server_does() {
    local answer=
    echo "$1" >&"${server[1]}"
    read -r -t 60 answer <&"${server[0]}"
    [[ $answer == "done" ]] || echo "# not done: $1"
}
# told TEXT: wait until it was said.
told() {
    for _ in {1..1200}; do
        ! says "$err" "$1" || return 0
        sleep 0.05
    done
    return 1
}
"$STARCLOAK" nearest town.scm -k 1 --objects "$url" --objects-refresh 0.2 \
    <"$work"/questions >"$work"/answers 2>"$err" &
asked_id=$!
exec {to}>"$work"/questions {from}<"$work"/answers
equal "a program that loads again and again answers" "$(nearest_now)" s1
check "without a word about the database" silent_about "$err" "last load" "loaded again"
server_does stop
check "it tells when the database goes away" told "starcloak nearest: the objects could not be loaded again, and those of the last load stay: "
equal "and answers as before" "$(nearest_now)" s1
sleep 2.5  # it tries again, more than once
equal "it tells so once" "$(grep -c "last load" "$err")" 1
server_does start
check "it tells when the database is back" told "starcloak nearest: the objects were loaded again"
sql "INSERT INTO objects VALUES ('h3', ST_SetSRID(ST_Point(8.6821, 49.41), 4326), 'hospital', NULL)"
check "and answers from it" becomes h3
equal "that, too, is told once" "$(grep -c "the objects were loaded again" "$err")" 1
sql "ALTER TABLE objects RENAME TO things"
check "a table that is gone is told, with the reason" told "check the name of the table"
equal "as a second time" "$(grep -c "last load" "$err")" 2
sql "ALTER TABLE things RENAME TO objects"
exec {to}>&-
wait "$asked_id"
equal "and it ends with its input" $? 0
exec {from}<&-

# --- A run ---------------------------------------------------------------------------

"$STARCLOAK" map generate --nodes 1k -o city.scm --quiet || echo "# no city"
"$STARCLOAK" map export city.scm csv --quiet 2>/dev/null || "$STARCLOAK" map export city.scm csv >/dev/null
"$STARCLOAK" simulate city.scm --users 200 --seconds 20 --no-answers --category any --record run.jsonl --quiet || echo "# no run"
# An object at every fourth node.
sql 'DROP TABLE objects'
sql 'CREATE TABLE objects (id text PRIMARY KEY, geom geometry(Point, 4326), category text, name text)'
awk -F, 'NR > 1 && NR % 4 == 0 { printf "n%s\t%s\t%s\n", $1, $2, $3 }' csv/nodes.csv >nodes.tsv
{
    echo 'CREATE TEMP TABLE n (id text, lon float, lat float); COPY n FROM STDIN;'
    cat nodes.tsv
    echo '\.'
    echo "INSERT INTO objects SELECT id, ST_SetSRID(ST_Point(lon, lat), 4326), 'node', id FROM n;"
} >fill.sql
"$psql" -qX -v ON_ERROR_STOP=1 -d "$url" -f fill.sql || echo "# not filled"
run evaluate city.scm run.jsonl --objects "$url" --check all
succeeds "a run is answered from a table, and every answer checked"
answers=$(grep -c '"event":"answer"' run.jsonl)
check "there are some" test "$answers" -gt 50
check "objects are told by their keys" grep -qE '"objects":"provider","results":\[\{"poi":"n[0-9]+"' run.jsonl
run verify city.scm run.jsonl --json
equal "the verifier finds no promise broken" "$status" 0
equal "and says that it could not compare the answers" "$(number answers "$out") $(number foreign_answers "$out")" "$answers $answers"
cp run.jsonl compact.jsonl
run evaluate city.scm run.jsonl --objects "$url" --encoding geojson --check all --quiet
check "geometry gives the same answers" cmp -s run.jsonl compact.jsonl

kill "$server_id" 2>/dev/null
wait "$server_id" 2>/dev/null
finish
