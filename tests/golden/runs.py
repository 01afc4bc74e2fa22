"""Runs: records and reports of all methods on three maps, and what is computed from records."""
import csv
import html
import io
import json
import re
import subprocess

from program import REPOSITORY, mask_numbers, short_times
from store import digest

METHODS = ["basic", "bounded", "hybrid", "patient", "xstar", "sampling", "expansion"]
MAPS = ["city", "grid", "web"]

# Small enough that a record is stored as it is.
PEOPLE = "-n 40 --seconds 15 --k 3:1 --l 4:1 --sigma-s 3:1"
# Larger, for cloaks of which only a digest is stored.
CROWD = "-n 600 --seconds 40 --k 4:1 --l 5:1"


def steady(text):
    """A report without what CPU time decides."""
    text = mask_numbers(text, "cpu_s", "cpu_seconds", "queries_per_cpu_s", "engine_queries_per_cpu_s",
                        "admission_cpu_s", "engine_cpu_s", "provider_wall_s", "encoding_cpu_s")
    text = re.sub(r'"cpu_s": \{[^}]*\}', lambda m: mask_numbers(m.group(0), "[a-z_]+"), text)
    text = re.sub(r"(?m)^( *(CPU|provider|encoding|trusted side|together|queries per CPU|per cloak)[^0-9\n]*?) +[0-9].*$",
                  r"\1  ~", text)
    return re.sub(r"(?m)^ +[0-9.,]+( +engine alone)$", r"  ~\1", text)


def methods(program, store):
    for name in MAPS:
        program.must("queries", f"{name}.scm", *CROWD.split(), "--seed", "5", "-o", f"{name}-queries.jsonl")
        store.put(f"runs/{name}-queries.txt", digest(program.file(f"{name}-queries.jsonl").read_bytes(), 8))
        for method in METHODS:
            record = f"{name}-{method}.jsonl"
            report = program.transcript(
                f"simulate {name}.scm {PEOPLE} --seed 3 --engine {method} --record {record} --json", mask=steady)
            store.put(f"runs/{record}", program.file(record).read_text())
            record = f"{name}-{method}-cloak.jsonl"
            report += program.transcript(
                f"cloak {name}.scm {name}-queries.jsonl --engine {method} --paranoid --record {record} --json",
                mask=steady)
            lines = program.file(record).read_text().splitlines(True)
            cloaks = [line for line in lines if '"event":"cloak"' in line]
            report += f"{record}\n" + digest("".join(lines), 0) + "cloaks\n" + digest("".join(cloaks), 3)
            store.put(f"runs/{name}-{method}.txt", report)
    store.put("runs/variants.txt", program.transcripts("""
        cloak city.scm city-queries.jsonl --engine bounded --strict --lambda 2 --json
        cloak city.scm city-queries.jsonl --engine hybrid --alpha 4 --cap 16 --json
        cloak city.scm city-queries.jsonl --engine patient --crowd 1 --alpha 3 --cap 4 --json
        cloak city.scm city-queries.jsonl --engine patient
        cloak city.scm city-queries.jsonl --engine basic --cap 4 --cost-object 3 --cost-balance 0.2 --json
        cloak city.scm city-queries.jsonl
        simulate city.scm -n 40 --seconds 10 --movement walk --no-answers --json
        simulate town.scm --traces traces/town.csv --seconds 30 --k 1 --l 1 --json
        simulate town.scm --traces traces/town.fcd.xml --seconds 30 --k 1 --l 1 --json
        simulate town.scm --traces traces/town.brinkhoff.txt --seconds 30 --k 1 --l 1 --json
        simulate town.scm --traces traces/cabs --seconds 30 --k 1 --l 1 --json
        simulate city.scm -n 40 --seconds 10
    """, lambda text: steady(short_times(text))))


def reports(program, store):
    store.put("runs/verify.txt", program.transcripts("""
        verify city.scm city-basic.jsonl
        verify city.scm city-hybrid.jsonl --json
        verify grid.scm grid-basic-cloak.jsonl --json
        verify web.scm web-bounded.jsonl --json
        verify city.scm city-xstar.jsonl --json
        verify city.scm city-sampling.jsonl --json
        verify city.scm city-expansion.jsonl --json
        verify town.scm records/town.jsonl
        verify town.scm records/town.jsonl --json
    """, short_times))
    answered = program.transcripts("""
        evaluate city.scm city-basic-cloak.jsonl -o answered.jsonl --seed 1
        evaluate city.scm city-basic-cloak.jsonl -o answered.jsonl --seed 1 --json
        evaluate city.scm city-basic-cloak.jsonl --dry-run --seed 1 --encoding geojson --json --check all
        evaluate city-index.scm city-basic-cloak.jsonl --dry-run --seed 1 --json
        evaluate city.scm city-basic-cloak.jsonl --dry-run --seed 1 --without-index --json
        evaluate grid.scm grid-basic-cloak.jsonl --dry-run --seed 1 --json
    """, lambda text: steady(short_times(text)))
    store.put("runs/evaluate.txt", answered + "answered.jsonl\n" +
              digest(program.file("answered.jsonl").read_bytes(), 0))
    table = program.transcripts("""
        density city.scm -n 100 --seconds 60 --step 20 -o density.csv
        density city.scm --run city-basic-cloak.jsonl -o asked.csv
    """, short_times)
    for name in ("density.csv", "asked.csv"):
        table += f"--- {name}\n" + program.file(name).read_text()
    store.put("runs/density.txt", table)
    store.put("runs/attack.txt", program.transcripts("""
        attack city.scm city-basic.jsonl --limit 3 --samples 200 --placements 200 --threads 1
        attack city.scm city-basic.jsonl --limit 3 --samples 200 --placements 200 --threads 1 --links --json
        attack city.scm city-basic.jsonl --attack replay --limit 3 --threads 1 --json
        attack city.scm city-xstar.jsonl --limit 2 --samples 200 --placements 200 --threads 1 --density density.csv --json
        attack city.scm city-basic-cloak.jsonl --attack tracking --limit 4 --threads 1 --links
        attack city.scm city-basic-cloak.jsonl --attack tracking --limit 4 --threads 1 --json
        attack city.scm city-basic.jsonl --rule --density density.csv --limit 4
        attack city.scm city-basic.jsonl --rule --traffic 3 --density density.csv --limit 1 --json
        attack city.scm city-basic.jsonl --attack injection --injected 2 --limit 2 --samples 100 --placements 100 --threads 1 --json
        attack city.scm city-basic.jsonl --limit 2 --samples 100 --placements 100 --threads 1 --cloaks-csv - --quiet
        attack city.scm city-basic.jsonl --limit 1 --samples 100 --placements 100 --threads 1 --links-csv - --quiet
        attack city.scm city-basic.jsonl --limit 1 --samples 100 --placements 100 --threads 1 --geojson - --quiet
    """, short_times))


EXPERIMENT = ("experiment -o taste -m city.scm -n 60 --seconds 10 --warm-up 2 --seeds 1 --cloaks 10 --victims 1 "
              "--samples 50 --placements 50 --grid k=2,3 --figure success-k,candidates-k,entropy-k "
              "--methods basic,bounded,xstar,expansion")


def experiment(program, store):
    """Tables of a small experiment, and what its report is about."""
    text = program.transcript(EXPERIMENT + " --json --quiet", mask=lambda text: mask_numbers(text, "wall_s"))
    folder = program.file("taste")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text += f"--- {path.relative_to(folder)}\n"
        if path.name == "measures.csv":
            text += re.sub(r"(_measured),.*", r"\1,~", path.read_text())
        elif path.suffix == ".csv":
            text += without_measured(path.read_text())
        elif path.name == "report.json":
            known = json.loads(path.read_text())
            known.update({"version": "~", "machine": sorted(known["machine"])})
            text += json.dumps(known, indent=1, ensure_ascii=False) + "\n"
        elif path.name == "experiment.json":
            settings = json.loads(path.read_text())
            settings["settings"].update({"version": "~", "checksum of the program": "~"})
            text += json.dumps(settings, indent=1) + "\n"
        elif path.parent.name == "points":
            text += re.sub(r'"checksum": "[^"]*"', '"checksum": "~"',
                           mask_numbers(path.read_text(), "cpu_us", "provider_cpu_us"))
    store.put("runs/experiment.txt", text)
    if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True, check=False).returncode:
        store.skip(["runs/experiment-report.txt"], "no matplotlib")  # which draws its figures
        return
    subprocess.run([REPOSITORY / "tools/report.py", "--quiet", folder], check=True)
    page = folder.joinpath("report.html").read_text()
    headings = re.findall(r"<(h[1-4]|th|caption|figcaption|summary)\b[^>]*>(.*?)</\1>", page, re.S)
    lines = []
    for tag, content in headings:
        line = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", content)).split())
        lines.append(f"{tag} {line}\n")
    store.put("runs/experiment-report.txt", "".join(lines))


def without_measured(text):
    """A table whose columns of CPU time are masked."""
    rows = list(csv.reader(io.StringIO(text)))
    measured = [i for i, name in enumerate(rows[0]) if name.endswith("_measured")]
    for row in rows[1:]:
        for i in measured:
            row[i] = "~" if row[i] else ""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
