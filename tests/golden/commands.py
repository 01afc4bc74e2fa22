"""The command line: help, manual pages, completion, settings, and every way to misuse it."""
import re

from program import mask_random, short_times
from runs import steady

# How each command is misused (exit status 2): nothing is read or written.
USAGE = {
    "program": """
        ''
        xylophone
        simulat
        --frobnicate
        --completion tcsh
        --man starcloak-fly
        help map fly
        map
        map fly
        token
        token fly
        cluster
        cluster fly
    """,
    "map": """
        map import
        map import cli/town.cnode
        map import cli/town.cnode -o
        map import letter.txt -o x.scm
        map import --format xml cli/town.cnode -o x.scm
        map import osm/town.osm --utm 16N -o x.scm
        map import osm/town.osm --class S1400 -o x.scm
        map import osm/town.osm --unit-m 2 -o x.scm
        map import cli/yard.svg --utm 99X -o x.scm
        map import cli/town.cnode cli/town.cedge --coords round -o x.scm
        map import cli/town.cnode cli/town.cedge --max-object-snap-m -1 --objects objects/town.csv -o x.scm
        map import osm/town.osm cli/town.cnode -o x.scm
        map generate
        map generate --nodes 5 -o x.scm
        map generate --nodes many -o x.scm
        map generate --kind village -o x.scm
        map generate --seed -1 -o x.scm
        map generate --one-way 1.5 -o x.scm
        map generate -o x.scm more
        map index
        map index city.scm -k 0
        map index city.scm -k 65
        map index city.scm --limit much
        map index city.scm --threads 0
        map index city.scm --remove -k 3
        map info
        map info city.scm more
        map check
        map check city.scm --json
        map classes
        map classes city.scm
        map classes city.scm -o city.scm
        map classes city.scm -o x.csv --preset holy
        map classes city.scm -o x.csv --category clinic
        map classes city.scm -o x.csv --category =clinic
        map classes city.scm -o x.csv --category clinic=A1
        map classes city.scm -o x.csv --category clinic=
        map snap
        map snap town.scm --lon 8
        map snap town.scm --lon east --lat 49
        map export
        map export city.scm
        map export city.scm a b
    """,
    "queries": """
        nearest
        nearest town.scm --lon 8
        nearest town.scm --lat 8
        nearest town.scm --edge 8
        nearest town.scm --edge 8 --offset-m -1
        nearest town.scm --offset-m 8
        nearest town.scm --edge 8 --offset-m 1 --lon 8 --lat 49
        nearest town.scm --edge 8 --offset-m 1 --category ''
        nearest town.scm --edge 4 --offset-m 0 -k 3 --radius-m 100
        nearest town.scm --edge 4 --offset-m 0 -k 1001
        nearest town.scm more
        nearest town.scm --lon 8 --lat 49 --objects city
        nearest town.scm --lon 8 --lat 49 --objects-table houses
        queries
        queries city.scm
        queries city.scm -o x.jsonl more
        queries city.scm -n 0 -o x.jsonl
        queries city.scm --k banana -o x.jsonl
        queries city.scm --k 5:-1 -o x.jsonl
        queries city.scm --movement fly -o x.jsonl
        queries city.scm --trucks 2 -o x.jsonl
        queries city.scm --trace-fold 3 -o x.jsonl
        queries city.scm --traces traces/town.csv --trace-format gpx -o x.jsonl
        queries city.scm --seconds -1 -o x.jsonl
    """,
    "runs": """
        cloak
        cloak city.scm
        cloak city.scm queries.jsonl more
        cloak city.scm queries.jsonl --engine magic
        cloak city.scm queries.jsonl --strict
        cloak city.scm queries.jsonl --lambda 2
        cloak city.scm queries.jsonl --alpha 2
        cloak city.scm queries.jsonl --engine bounded --lambda 0
        cloak city.scm queries.jsonl --cap 0
        cloak city.scm queries.jsonl --secure --seed 2
        cloak city.scm queries.jsonl --record - --json
        cloak city.scm queries.jsonl --cost-balance 2
        cloak city.scm queries.jsonl --record ''
        simulate
        simulate city.scm more
        simulate city.scm --engine magic
        simulate city.scm --seed many
        simulate city.scm --prune-threads -1
        simulate city.scm --seconds banana
        simulate city.scm --category ''
        evaluate
        evaluate city.scm
        evaluate city.scm -
        evaluate city.scm run.jsonl more
        evaluate city.scm run.jsonl --encoding xml
        evaluate city.scm run.jsonl --objects city
        evaluate city.scm run.jsonl --point-spacing 100
        evaluate city.scm run.jsonl --point-provider ftp://x/
        evaluate city.scm run.jsonl --seed many
        evaluate city.scm run.jsonl -o ''
        evaluate city.scm run.jsonl --dry-run -o out.jsonl
        evaluate city.scm run.jsonl -o - --json
        verify
        verify town.scm
        verify town.scm records/town.jsonl more
        verify town.scm records/town.jsonl --frobnicate
        verify town.scm records/town.jsonl --answers some
    """,
    "study": """
        density
        density city.scm
        density city.scm --run run.jsonl --users 5 -o x.csv
        density city.scm --step 0 -o x.csv
        attack
        attack city.scm
        attack city.scm run.jsonl third
        attack city.scm run.jsonl --attack magic
        attack city.scm run.jsonl --attack injection --injected 0
        attack city.scm run.jsonl --attack injection --injected-profile 5:0:4
        attack city.scm run.jsonl --attack tracking --samples 1000
        attack city.scm run.jsonl --injected 2
        attack city.scm run.jsonl --attack correlation --rule
        attack city.scm run.jsonl --attack tracking --traffic 2
        attack city.scm run.jsonl --rule --traffic 1 --engine-density density.csv
        attack city.scm run.jsonl --rule --traffic 5
        attack city.scm run.jsonl --rule --engine basic
        attack city.scm run.jsonl --lambda 2
        attack city.scm run.jsonl --samples 5
        attack city.scm run.jsonl --top-speed 30
        attack city.scm run.jsonl --cloaks-csv x --geojson x
        attack city.scm run.jsonl --links-csv - --json
        attack city.scm - --density -
        experiment
        experiment -o x more
        experiment --figure moon -o x
        experiment --methods magic -o x
        experiment --methods sampling-literal -o x
        experiment --baselines loose -o x
        experiment --grid k=0,5 -o x
        experiment --grid moon=1 -o x
        experiment --seeds 0 -o x
        experiment --traces traces/town.csv -o x
        partition
        partition city.scm -o x.partition
        partition city.scm -n 8
        partition city.scm -n 0 -o x.partition
        partition city.scm -n 2 --weights '' -o x.partition
        partition city.scm -n 2 -o x.partition more
    """,
    "service": """
        serve
        serve city.scm other.scm
        serve city.scm --loops 65
        serve city.scm --engine magic
        serve city.scm --events sometimes
        serve city.scm --jitter banana
        serve city.scm --log-level loud
        demo city.scm --k banana
        demo city.scm --travellers 0
        demo a.scm b.scm
        lbs
        lbs city.scm more
        lbs city.scm --log-level loud
        lbs city.scm --objects-table houses
        lbs city.scm --client-ca proxy.pem
        lbs city.scm --threads 0
        token key
        token key a b
        token issue
        token issue --user ann
        token issue --key token.key
        token issue --key token.key --user ''
        token issue --key token.key --user ann --days 0
        token issue --key token.key --user ann --days 2 --hours 2
        token show
        token show a b
        token show sct1_x --revoked revoked.txt
        token revoke
        token revoke --key token.key
        token revoke --key token.key --revoked revoked.txt
        query
        query localhost:1
        query http://localhost:1
        query http://localhost:1 --token x --lon 8
        query http://localhost:1 --token x --edge 8 --offset-m 1 --nearest 3 --radius-m 5
        load
        load http://localhost:1
        load http://localhost:1 city.scm
        load localhost:1 city.scm --key keys
        load http://localhost:1 city.scm more.scm --key keys
        load http://localhost:1 city.scm --key keys --tokens keys
        load http://localhost:1 city.scm --key keys --hold 5 --rate 7
        load http://localhost:1 city.scm --key keys --hold-pid 7
        load http://localhost:1 city.scm --key keys --provider-command true
        load http://localhost:1 city.scm --key keys -n 2 --threads 3
        gateway city.scm --threads 3
        gateway a.scm b.scm
        worker city.scm --listen 127.0.0.1:0
        worker city.scm --provider http://x/
        cluster key
        cluster key a b
        cluster key --worker w1 a
        cluster key --from a b
        cluster key --worker 'a b' --from a b
        cluster status more
        cluster status --seconds banana
    """,
}

# What goes wrong in spite of right use (exit status 1), and small things that go right.
FAILURES = {
    "map": """
        map import absent.cnode absent.cedge -o x.scm
        map import cli/town.cnode cli/town.cedge -o nowhere/x.scm
        map import cli/town.cnode cli/town.cedge -o cli
        map import cli/town.cnode cli/town.cedge --objects absent.csv -o x.scm
        map import cli/town.cnode cli/town.cedge --objects letter.txt -o x.scm
        map import cli/town.cnode cli/town.cedge --objects objects/town.csv -o x.scm
        map import --format cnode letter.txt -o x.scm
        map import --format osm letter.txt -o x.scm
        map import --format dimacs letter.txt -o x.scm
        map import --format mobisim letter.txt -o x.scm
        map import --format shapefile letter.txt -o x.scm
        map import lone.osm -o x.scm
        map import lone.osm --skip-missing-nodes -o x.scm
        map import lost.cnode lost.cedge -o x.scm
        map import noplace.cnode noplace.cedge -o x.scm
        map import short.gr -o x.scm
        map import osm/town.osm --ways motorway -o x.scm
        map import empty.osm -o x.scm
        map generate --nodes 200 -o nowhere/x.scm
        map info absent.scm
        map info letter.txt
        map info empty.osm
        map info damaged.scm
        map info short.scm
        map info cli
        map check damaged.scm
        map index absent.scm
        map index web.scm
        map index city.scm -o no/such/folder/m.scm
        map classes absent.scm -o x.csv
        map classes web.scm -o x.csv
        map classes city.scm -o nowhere/x.csv
        map snap dimacs-bare.scm --lon 8.681 --lat 49.41
        map snap town.scm --lon 200 --lat 49
        map export absent.scm x
        map export city.scm letter.txt
        map export dimacs-bare.scm x --geojson
        nearest absent.scm --lon 8 --lat 49
        nearest web.scm --lon 8 --lat 49
        nearest dimacs-bare.scm --lon 8 --lat 49
        nearest town.scm --edge 12 --offset-m 0
        nearest town.scm --edge 4 --offset-m 3000
        nearest town.scm --lon 200 --lat 49.4
        nearest town.scm --lon 8.6 --lat 49.4 --max-snap-m 10
        nearest town.scm --lon 8.6821 --lat 49.4101 --category hopsital
        partition absent.scm -n 2 -o x.partition
        partition city.scm -n 4096 -o x.partition
        partition city.scm -n 2 -o city.scm
        partition city.scm -n 2 --weights absent.jsonl -o x.partition
        partition city.scm -n 2 --weights city.scm -o x.partition
        partition city.scm -n 2 -o no/such/folder/x.partition
        partition dimacs-bare.scm -n 1 -o x.partition --geojson x.geojson
    """,
    "runs": """
        queries absent.scm -o x.jsonl
        queries letter.txt -o x.jsonl
        queries city.scm -o no/such/x.jsonl
        queries city.scm --category dragon -o x.jsonl
        queries city.scm --traces absent -o x.jsonl
        queries city.scm --traces letter.txt -o x.jsonl
        queries city.scm --traces traces/town.csv -o x.jsonl
        queries dimacs-bare.scm --traces traces/town.csv -o x.jsonl
        queries city.scm --users 5 --k 5000 -o x.jsonl
        cloak absent.scm streams/town.jsonl
        cloak town.scm absent.jsonl
        cloak town.scm letter.txt
        cloak town.scm streams/town.jsonl --json --quiet
        cloak town.scm streams/town.jsonl --record nowhere/x.jsonl
        cloak town.scm odd.jsonl --record odd-run.jsonl --quiet
        cloak town.scm broken.jsonl
        simulate absent.scm
        simulate letter.txt
        simulate city.scm -n 5 --seconds 1 --record nowhere/x.jsonl
        simulate web.scm -n 20 --seconds 5 --record x.jsonl --quiet
        evaluate absent.scm records/town.jsonl
        evaluate town.scm absent.jsonl
        evaluate town.scm letter.txt -o x.jsonl
        evaluate city.scm records/town.jsonl
        evaluate web.scm records/town.jsonl --dry-run
        evaluate town.scm records/town.jsonl -o town.scm
        evaluate town.scm records/town.jsonl -o no/such/place.jsonl
        evaluate grid.scm records/town.jsonl --encoding geojson --dry-run
        verify absent.scm records/town.jsonl
        verify town.scm absent.jsonl
        verify town.scm letter.txt
        verify town.scm empty.osm
        verify town.scm cli
        verify city.scm records/town.jsonl
        verify city.scm records/town.jsonl --json --quiet
        verify town.scm tampered.jsonl
        verify town.scm tampered.jsonl --json
        verify town.scm tampered.jsonl --quiet
        density absent.scm -o x.csv
        density city.scm --run absent.jsonl -o x.csv
        density city.scm --run letter.txt -o x.csv
        attack absent.scm records/town.jsonl
        attack town.scm absent.jsonl
        attack town.scm letter.txt
        attack town.scm records/town.jsonl --density absent.csv
        attack town.scm records/town.jsonl --density letter.txt
        attack town.scm records/town.jsonl --cloaks-csv town.scm
        experiment --map absent.scm -o x
        experiment --map city.scm --traces absent -o x
        experiment --map city.scm --traces letter.txt -o x
    """,
    "service": """
        serve absent.scm
        serve web.scm --check
        serve city.scm --check
        serve city.scm --min-k 9 --max-k 8
        serve city.scm --default-k 1 --check
        serve city.scm --tls-key x.pem
        serve city.scm --tls-certificate keys --check
        serve city.scm --config absent.ini
        serve city.scm --config bad.ini --check
        serve city.scm --config bad-name.ini --check
        serve city.scm --config bad-value.ini --check
        serve city.scm --listen 127.0.0.1:99999 --check
        serve city.scm --listen nowhere --check
        serve city.scm --admin nowhere --check
        serve city.scm --admin listen,127.0.0.1:0 --check
        serve city.scm --proxies 10.0.0.0/33 --check
        demo city.scm --listen 0.0.0.0:0 --travellers 10
        serve city.scm --token-keys absent.keys --check
        serve city.scm --token-keys open.keys --check
        serve city.scm --token-keys short.keys --check
        serve city.scm --user nobody-of-that-name --listen 127.0.0.1:0
        serve city.scm --provider ftp://x/ --check
        serve city.scm --partition grid.partition --check
        serve city.scm --density letter.txt --check
        serve city.scm --config moved.ini --check
        demo city.scm --no-ui --listen 127.0.0.1:0
        demo city.scm --reports absent --listen 127.0.0.1:0 --travellers 10
        demo city.scm --tls-certificate absent.pem --listen 127.0.0.1:0
        demo city.scm --token-keys keys --listen 127.0.0.1:0
        demo city.scm --check --listen 127.0.0.1:0 --travellers 10
        lbs absent.scm
        lbs web.scm
        lbs city.scm --listen nowhere
        lbs city.scm --tls-key x.pem
        lbs city.scm --listen 127.0.0.1:0 --tls-certificate letter.txt
        lbs city.scm --listen 127.0.0.1:0 --user starcloak-stranger
        token key nowhere/token.key
        token key keys
        token issue --key absent.key --user ann
        token issue --key open.keys --user ann
        token issue --key short.keys --user ann
        token issue --key keys --user ann
        token issue --key keys --user ann --hours 2 --json
        token show letter
        token show sct1_AAAA
        token revoke --key keys --revoked revoked.txt --user carl
        token revoke --key keys --revoked letter.txt --user carl
        query http://127.0.0.1:1 --token sct1_x --edge 8 --offset-m 1
        load http://127.0.0.1:1 city.scm --key keys
        load http://127.0.0.1:1 city.scm --key absent.keys
        load http://127.0.0.1:1 absent.scm --key keys
        worker city.scm --check
        worker city.scm --cluster-key w1.key --check
        worker city.scm --cluster-key open.keys --check
        worker city.scm --cluster-key w1.key --partition keys --check
        worker city.scm --cluster-key w1.key --cluster-name a.b --check
        worker city.scm --cluster-key w1.key --nats-user ann --check
        worker city.scm --cluster-key w1.key --nats nats://127.0.0.1:1
        worker city.scm --cluster-key cluster.key --check
        gateway city.scm --cluster-key cluster.key --check
        gateway city.scm --cluster-key w1.key --check
        gateway city.scm --check
        gateway city.scm --cluster-key cluster.key --nats nats://127.0.0.1:1 --listen 127.0.0.1:0
        cluster key cluster.key
        cluster status
        cluster status --cluster-key cluster.key --nats nats://127.0.0.1:1
    """,
}


# Of ann, by the key that write_odd_files() writes; it expires in 2036.
OLD_TOKEN = "sct1_q-H6agAAAACr5MZ9AAAAAIDAiT_35uJNYW5uFNAmd4AIvsiZ2vVloBuo0Q"


def pages(program, store):
    """Help and manual page of every command, completion for every shell."""
    names = program.must("--man-list").split()
    store.put("commands/list.txt", "".join(name + "\n" for name in names))
    usages = []
    for name in names:
        words = name.split("-")[1:]
        store.put(f"help/{name}.txt", program.must(*words, "--help"))
        usages.append(program.must(*words, "--usage"))
        # The day of a release is no part of what must not change.
        manual = re.sub(r"(?m)^(\.TH \S+ 1) \S+", r"\1 <date>", program.must("--man", name))
        store.put(f"man/{name}.1", manual)
    store.put("commands/usage.txt", "".join(usages))
    for shell in ("bash", "zsh", "fish"):
        store.put(f"completion/{shell}.txt", program.must("--completion", shell))
    store.put("commands/version.txt", program.transcripts("--version\n-V"))


def settings(program, store):
    """Settings of everything that serves, as a file for --config."""
    for command in ("serve", "demo", "gateway", "worker"):
        store.put(f"settings/{command}.ini", program.must(command, "--print-config"))


def write_odd_files(program, _):
    """What is missing something, damaged, or of another kind."""
    program.write("moved.ini", "[server]\nreports = reports\n")
    program.write("letter.txt", "Dear Sir or Madam,\nthis is no map.\n")
    program.write("letter", "Dear Sir or Madam,\n")
    program.write("empty.osm", "")
    program.write("lone.osm", "<osm version='0.6'><node id='1' lat='43' lon='7'/><way id='2'><nd ref='1'/><nd ref='17'/>"
                  "<tag k='highway' v='residential'/></way></osm>\n")
    program.write("lost.cnode", "0 8.0 49.0\n1 8.1 49.0\n")
    program.write("lost.cedge", "0 0 1 100\n1 1 17 50\n")
    program.write("noplace.cnode", "0 8.0 49.0\n1 8.1\n")
    program.write("noplace.cedge", "0 0 1 100\n")
    program.write("short.gr", "p sp 3 4\na 1 2 10\n")
    scm = bytearray(program.file("city.scm").read_bytes())
    program.file("short.scm").write_bytes(scm[:2000])
    scm[len(scm) // 2] ^= 1
    program.file("damaged.scm").write_bytes(scm)
    stream = program.file("streams/town.jsonl").read_text().splitlines()[0]
    program.write("odd.jsonl", "\n".join([
        stream, stream.replace('"k":2', '"k":0', 1), stream.replace('"t":0.5', '"t":0.1'),
        stream.replace("50.0001", "80.0001"), stream.replace('"k":1', '"k":5000'),
    ]) + "\n")
    program.write("broken.jsonl", stream + "\n{\"user\":\"u2\"\n")
    record = program.file("records/town.jsonl").read_text().splitlines(True)
    cloak = next(i for i, line in enumerate(record) if '"event":"cloak"' in line)
    program.write("tampered.jsonl", "".join(record[:cloak] + record[cloak + 1 :]))
    program.write("bad.ini", "[server]\nloops = 2\nlisten 127.0.0.1\n")
    program.write("bad-name.ini", "[server]\nmoon = 2\n")
    program.write("bad-value.ini", "[policy]\nmax-k = many\n")
    key = "".join(f"{i:02x}" for i in range(32)) + "\n"
    for name, text, mode in (("keys", key, 0o600), ("open.keys", key, 0o644),
                             ("short.keys", key[:20] + "\n", 0o600)):
        program.write(name, text)
        program.file(name).chmod(mode)
    program.must("cluster", "key", "cluster.key")
    program.must("cluster", "key", "--worker", "w1", "--from", "cluster.key", "w1.key")


def misuse(program, store):
    """Exit status 2, and what is said."""
    for name, lines in USAGE.items():
        store.put(f"commands/usage-errors-{name}.txt", program.transcripts(lines, mask_random))


def failures(program, store):
    """Exit status 1, and what is said; now and then 0."""
    for name, lines in FAILURES.items():
        store.put(f"commands/failures-{name}.txt", program.transcripts(lines, without_times))
    token = program.must("token", "issue", "--key", "keys", "--user", "ann").strip()
    store.put("commands/token-show.txt", mask_random(
        program.transcript("token show - --key keys", stdin=OLD_TOKEN) +
        program.transcript("token show -", stdin=token) +
        program.transcript("token show - --key keys", stdin=token) +
        program.transcript("token revoke --key keys --revoked revoked.txt -", stdin=token) +
        program.transcript("token show - --key keys --revoked revoked.txt", stdin=token)))


def without_times(text):
    return mask_random(steady(short_times(text)))
