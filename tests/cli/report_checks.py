#!/usr/bin/python3
"""Checks of tools/report.py, in TAP.

usage: report_checks.py REPORT.py FOLDER

FOLDER is what a small experiment on two maps with two seeds has left; it is copied for each check
that changes something.
"""
import contextlib
import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

PROGRAM, RESULTS = sys.argv[1:3]
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("report", PROGRAM)
report = importlib.util.module_from_spec(spec)
spec.loader.exec_module(report)

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"


def run(*arguments):
    """The program's status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, [PROGRAM, *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = report.main()
    except SystemExit as end:
        status = end.code
    finally:
        sys.argv = before
    return status, out.getvalue(), err.getvalue()


class Folder:
    """A copy of the results, to be changed."""

    def __init__(self):
        self.root = tempfile.mkdtemp(dir=os.environ.get("TMPDIR"))
        self.path = os.path.join(self.root, "results")
        shutil.copytree(RESULTS, self.path)
        self.data = json.loads(self.read("report.json"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def name(self, name):
        return os.path.join(self.path, name)

    def read(self, name):
        with open(self.name(name), encoding="utf-8", newline="") as file:
            return file.read()

    def write(self, name, text):
        with open(self.name(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def save(self):
        self.write("report.json", json.dumps(self.data))

    def keep_figures(self, *stems):
        self.data["figures"] = [f for f in self.data["figures"]
                                if "-".join((f["map"], f["metric"], f["axis"])) in stems]
        self.save()

    def rows(self, name):
        return list(csv.DictReader(io.StringIO(self.read(name))))

    def write_rows(self, name, rows):
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        self.write(name, text.getvalue())

    def change(self, name, change):
        """Let `change` alter every row of a CSV file."""
        rows = self.rows(name)
        for row in rows:
            change(row)
        self.write_rows(name, rows)

    def page(self, *options):
        """The page as text and as a tree, after the program has run."""
        status, _, err = run(*options, "--quiet", self.path)
        assert status == 0 and err == "", (status, err)
        text = self.read("report.html")
        return text, ElementTree.fromstring(text)


def words(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def table_of(tree, caption):
    """Rows of the table with that caption, as lists of words; the first is its head."""
    found = [t for t in tree.iter(HTML + "table") if words(t.find(HTML + "caption")) == caption]
    assert len(found) == 1, (caption, len(found))
    return [[words(cell) for cell in row] for row in found[0].iter(HTML + "tr")]


def agrees(cell, mean, low, high, scale=1, is_plain=False):
    """Whether a cell of the page says what a CSV file has, to the digits that it shows."""
    if mean == "":
        return cell == "–"
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", cell)]
    wanted = [float(mean) * scale]
    if low != "" and not is_plain:
        ends = [float(low) * scale, float(high) * scale]
        wanted += [(ends[1] - ends[0]) / 2] if "±" in cell else ends
    shown = re.search(r"\.(\d+)", cell.split(" ")[0])
    digit = 10.0 ** -len(shown.group(1)) if shown else 1
    return len(numbers) == len(wanted) and all(
        abs(a - b) <= 0.51 * digit for a, b in zip(numbers, wanted))


class Whole(unittest.TestCase):
    """A folder as the experiment left it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.text, cls.tree = cls.folder.page()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder.root)

    def test_the_page_needs_nothing_but_itself(self):
        self.assertTrue(self.text.startswith('<!DOCTYPE html>\n<html lang="en"'))
        for name in ("script", "link", "img", "iframe", "object", "embed"):
            self.assertEqual(list(self.tree.iter(HTML + name)), [])
        self.assertNotRegex(self.text, r'(src|href)="https?://|@import|url\(["\']?http')

    def test_ids_are_there_once_and_references_lead_somewhere(self):
        ids = [e.get("id") for e in self.tree.iter() if e.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        for element in self.tree.iter():
            for name in ("href", XLINK + "href"):
                target = element.get(name, "")
                if target.startswith("#"):
                    self.assertIn(target[1:], ids)
                elif target:
                    self.assertTrue(os.path.isfile(self.folder.name(target)), target)
            for name in (element.get("aria-labelledby") or "").split():
                self.assertIn(name, ids)
            for value in element.attrib.values():
                for name in re.findall(r"url\(#([^)]*)\)", value):
                    self.assertIn(name, ids)

    def test_every_section_is_there(self):
        titles = [words(e) for e in self.tree.iter(HTML + "h2")]
        self.assertEqual(titles, ["At the default setting", "The paper’s claims",
                                  "What an adversary learns", "Figures", "What was run",
                                  "Repeat it"])
        links = [e.get("href") for e in self.tree.find(f".//{HTML}nav").iter(HTML + "a")]
        self.assertEqual(links[:4], ["#summary", "#claims", "#attack", "#figures"])
        self.assertEqual(links[-2:], ["#setup", "#repeat"])
        self.assertIn("#entropy", links)

    def test_every_figure_is_drawn(self):
        drawn = list(self.tree.iter(SVG + "svg"))
        self.assertEqual(len(drawn), len(self.folder.data["figures"]))
        self.assertEqual(len(list(self.tree.iter(HTML + "figure"))), len(drawn))
        self.assertEqual(len(list(self.tree.iter(HTML + "figcaption"))), len(drawn))
        for figure in self.folder.data["figures"]:
            stem = f"{figure['map']}-{figure['metric']}-{figure['axis']}"
            root = ElementTree.fromstring(self.folder.read(stem + ".svg"))
            self.assertEqual(root.tag, SVG + "svg")
            self.assertEqual(root.get("role"), "img")
            self.assertIsNotNone(root.get("viewBox"))
            self.assertIsNone(root.get("width"))
            title = words(root.find(SVG + "title"))
            self.assertIn(f" on {figure['map']}, over ", title)
            self.assertRegex(words(root.find(SVG + "desc")), r"^From \d+ to \d+: StarCloak from ")
            self.assertIn(title, self.text.replace("&#x27;", "'"))
            self.assertIn("network expansion", words(root))
            self.assertIn(f'<a href="{stem}.csv">CSV</a> <a href="{stem}.svg">SVG</a>', self.text)

    def test_drawings_say_what_they_show(self):
        text = self.folder.read("town-success-sigma_s.svg")
        self.assertIn(">Success rate (%) on town, over σs (hops)</title>", text)
        text = self.folder.read("village-entropy-injected.svg")
        self.assertIn(">Segment entropy under attack (of log2 |S|) on village, over injected "
                      "queries (per victim)</title>", text)

    def test_marks_lie_where_the_numbers_are(self):
        for stem in ("town-success-k", "village-anonymization-k"):
            root = ElementTree.fromstring(self.folder.read(stem + ".svg"))
            pairs = []
            for method in self.folder.data["methods"]:
                group = next(e for e in root.iter(SVG + "g")
                             if e.get("id", "").endswith("-series-" + method["name"]))
                places = [float(e.get("y")) for e in group.iter(SVG + "use")]
                means = [float(r["mean"]) for r in self.folder.rows(stem + ".csv")
                         if r["method"] == method["name"] and r["mean"] != ""]
                self.assertEqual(len(places), len(means))
                pairs += zip(means, places)
            (low, y_low), (high, y_high) = min(pairs), max(pairs)
            self.assertLess(y_high, y_low)
            for mean, y in pairs:
                wanted = y_low + (mean - low) / (high - low) * (y_high - y_low)
                self.assertAlmostEqual(y, wanted, delta=0.01)

    def test_numbers_of_figures_are_those_of_their_files(self):
        titles = {m["name"]: m["title"] for m in self.folder.data["methods"]}
        count = 0
        for figure in self.folder.data["figures"]:
            stem = f"{figure['map']}-{figure['metric']}-{figure['axis']}"
            root = ElementTree.fromstring(self.folder.read(stem + ".svg"))
            table = table_of(self.tree, words(root.find(SVG + "title")))
            shown = {row[0]: dict(zip(table[0], row)) for row in table[1:]}
            for row in self.folder.rows(stem + ".csv"):
                tail = "_measured" if "mean_measured" in row else ""
                cell = shown[row[figure["axis"]]][titles[row["method"]]]
                self.assertTrue(agrees(cell, *(row[c + tail] for c in ("mean", "low", "high"))),
                                (stem, row, cell))
                count += 1
        self.assertGreater(count, 200)

    def test_numbers_of_tables_are_those_of_measures(self):
        captions = {"default": "", "attacked": ", nothing injected",
                    "injected": ", 2 queries injected for each victim",
                    "followed": ", the true segment, cloak by cloak"}
        columns = {"default": report.DEFAULT_COLUMNS, "attacked": report.ATTACKED_COLUMNS,
                   "injected": report.ATTACKED_COLUMNS, "followed": report.FOLLOWED_COLUMNS}
        titles = {m["name"]: m["title"] for m in self.folder.data["methods"]}
        count = 0
        for row in self.folder.rows("measures.csv"):
            table = table_of(self.tree, row["map"] + captions[row["table"]])
            column = next(c for c in columns[row["table"]] if c.measure == row["measure"])
            at = table[0].index(f"{column.title} {column.unit}")
            cell = next(r for r in table if r[0] == titles[row["method"]])[at]
            self.assertTrue(agrees(cell, row["mean"], row["low"], row["high"], column.scale,
                                   column.is_plain), (row, cell))
            count += 1
        self.assertGreater(count, 300)

    def test_claims_are_those_of_their_file(self):
        rows = []
        for claim in range(1, 9):
            rows += table_of(self.tree, f"Claim {claim} in numbers")[1:]
        wanted = [[r["claim"], r["map"] or "all", r["methods"], r["verdict"] or
                   r["verdict_measured"], re.sub(r"\s+", " ", r["found"] or r["found_measured"])]
                  for r in self.folder.rows("claims.csv")]
        self.assertEqual(rows, wanted)
        tiles = [words(p) for p in self.tree.find(f".//{HTML}div[@class='tiles']")]
        verdicts = [c["verdicts"][0]["verdict"] for c in self.folder.data["paper_claims"]]
        self.assertEqual(tiles, [f"{verdicts.count('holds')} hold",
                                 f"{verdicts.count('mostly holds')} mostly hold",
                                 f"{verdicts.count('does not hold')} do not hold",
                                 f"{verdicts.count('not told')} cannot be decided"])
        for rule in self.folder.data["rules"]:
            self.assertIn(report.text(rule), self.text)
        table = self.text[self.text.index("The statements that they consist of"):]
        for statement in self.folder.data["statements"]:
            self.assertIn(f"<td>{report.text(statement['text'])}</td>", table)

    def test_what_was_run_is_told(self):
        data = self.folder.data
        for wanted in (
                f"An experiment of StarCloak {data['version']} on town and village: "
                f"{data['points']} points, {len(data['figures'])} figures.",
                "250 travellers were asked for on each map", "Queries are counted for 8 s after a warm-up "
                "of 12 s", "One stream for all", "Seeds 1 to 2.", "trips by the fastest route, 20 % "
                "of them by truck", "σ<sub>t</sub>, how late it may come</th><td class=\"n\">10"
                "</td><td class=\"n\">2</td>", "<td>3, 5</td>", "Pause from an outcome",
                '<th scope="row">Processor</th>', '<th scope="row">Cores</th>',
                '<th scope="row">Compiler</th>', report.text(data["command"]),
                "With the same maps and seeds (2 from 1 on) everything is the same",
                "no more than 40 such placements it tries them all", "elsewhere it draws 60 of",
                "it attacks up to 2 cloaks of each method", "Nothing about the traffic",
                "the part of the cloak’s segments that", "Injected queries are its own",
                "Travellers who ask again are followed", "Means of 2 seeds, with 95 % intervals"):
            self.assertIn(wanted, self.text)
        maps = table_of(self.tree, "Maps")
        for row, item in zip(maps[1:], data["maps"]):
            self.assertEqual(row[:6], [item["name"]] + [str(item[n]) for n in (
                "nodes", "edges", "segments", "stars", "objects")])
            self.assertEqual(row[-1], item["checksum"])

    def test_the_same_numbers_give_the_same_files(self):
        with Folder() as other:
            # Nor does what the user has set up for matplotlib change them.
            settings = os.path.join(other.root, "settings")
            os.mkdir(settings)
            with open(os.path.join(settings, "matplotlibrc"), "w", encoding="utf-8") as file:
                file.write("axes.facecolor: red\nfont.size: 30\n")
            done = subprocess.run([PROGRAM, "--quiet", other.path], check=False,
                                  env=dict(os.environ, MPLCONFIGDIR=settings),
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            names = sorted(os.listdir(self.folder.path))
            self.assertEqual(names, sorted(os.listdir(other.path)))
            for name in names:
                if os.path.isfile(other.name(name)):
                    self.assertEqual(other.read(name), self.folder.read(name))


class Numbers(unittest.TestCase):
    """Numbers and axes for people."""

    @staticmethod
    def estimate(mean, half=None, most=None):
        row = {"line": 1, "mean": "" if mean is None else repr(mean), "low": "", "high": ""}
        if half is not None:
            row["low"] = repr(max(0, mean - half))
            row["high"] = repr(mean + half if most is None else min(most, mean + half))
        return report.Estimate("file", row).text(most)

    def test_numbers_are_short(self):
        for value, wanted in ((0, "0.00"), (0.01234, "0.012"), (0.001234, "0.0012"),
                              (0.95, "0.950"), (-2.346, "-2.35"), (99.44, "99.4"),
                              (123456.7, "123457")):
            self.assertEqual(report.short_number(value), wanted)
        self.assertEqual(self.estimate(None), "–")
        self.assertEqual(self.estimate(12.34), "12.3")
        self.assertEqual(self.estimate(12.34, 0.456, 100), "12.3 ± 0.5")
        self.assertEqual(self.estimate(0.05, 0.001), "0.050 ± 0.001")
        self.assertEqual(self.estimate(0.005, 0.001), "0.005 ± 0.001")

    def test_an_interval_that_was_cut_is_told_by_its_ends(self):
        self.assertEqual(self.estimate(99, 1.5, 100), "99.0 (97.5 to 100.0)")
        self.assertEqual(self.estimate(99, 1.5), "99.0 ± 1.5")
        self.assertEqual(self.estimate(2, 2.25, 100), "2.00 (0.00 to 4.25)")
        self.assertEqual(self.estimate(0.02, 0.03), "0.020 (0.000 to 0.050)")
        self.assertEqual(self.estimate(50, 80, 100), "50.0 (0.0 to 100.0)")
        self.assertEqual(self.estimate(100, 0, 100), "100 ± 0")
        self.assertEqual(self.estimate(0, 0), "0.00 ± 0.00")

    def test_high_shares_fill_the_axis_and_low_ones_are_seen_against_the_whole(self):
        for low, high, wanted in ((62, 98, (60, 100)), (51, 58, (50, 60)), (97, 99, (95, 100)),
                                  (100, 100, (95, 100)), (70, 70, (65, 70)), (50, 100, (0, 100)),
                                  (0, 0, (0, 100))):
            self.assertEqual(report.share_axis(low, high, 100), wanted)
        for low, high, wanted in ((0.62, 0.98, (0.6, 1)), (0.97, 0.99, (0.95, 1)),
                                  (0.4, 0.99, (0, 1))):
            for got, end in zip(report.share_axis(low, high, 1), wanted):
                self.assertAlmostEqual(got, end)

    def test_the_caption_tells_where_an_axis_begins(self):
        with Folder() as folder:
            folder.keep_figures("town-success-k")

            def set_all(row):
                row.update(mean="97", low="96", high="99")
            folder.change("town-success-k.csv", set_all)
            self.assertIn("The vertical axis begins at 95, not at 0", folder.page()[0])
            folder.change("town-success-k.csv", lambda row: row.update(low="20"))
            self.assertNotIn("The vertical axis begins", folder.page()[0])


class Odd(unittest.TestCase):
    """Results that are right and unusual."""

    def words_of(self, change, present=(), absent=()):
        with Folder() as folder:
            change(folder)
            folder.save()
            text, _ = folder.page("--no-plots")
        for wanted in present:
            self.assertIn(wanted, text)
        for unwanted in absent:
            self.assertNotIn(unwanted, text)

    def test_plots_can_be_left_out(self):
        with Folder() as folder:
            text, tree = folder.page("--no-plots")
            self.assertIn("Plots were left out, as requested.", text)
            self.assertEqual(list(tree.iter(SVG + "svg")), [])
            self.assertEqual([n for n in os.listdir(folder.path) if n.endswith(".svg")], [])

    def test_other_settings_are_told(self):
        def change(folder):
            folder.data.update(closed=True, indexed=True, command=None, version=None)
            folder.data["adversary"].update(likeness="exact", knows_traffic=True)
            folder.data["maps"][0].update(movement="walk")
            folder.data["maps"][1].update(movement="traces", tracks=1, fixes=77, fold_s=150)
        self.words_of(change, (
            "Closed loop", "answers from its index", "An experiment of StarCloak on town",
            "Run <code>starcloak experiment</code> with the maps", "1 if they are the same, 0 if "
            "not.", "as counted in the traffic of another seed",
            "turns at random at every intersection",
            "recorded: 1 track, 77 fixes, in windows of 150 s"), ("One stream for all",))

    def test_travellers_are_those_that_there_were(self):
        def change(folder):
            folder.data["travellers"] = 10000
            folder.data["maps"][0]["travellers"] = {"least": 400, "most": 406}
            folder.data["maps"][1]["travellers"] = {"least": 10000, "most": 10000}
        self.words_of(change, (
            '<td class="n">400 to 406 <span class="u">10000 asked for</span></td>',
            '<td class="n">10000</td>'))

    def test_one_of_something_is_not_many(self):
        def change(folder):
            folder.keep_figures("town-success-k")
            folder.data.update(points=1, travellers=1, seeds={"first": 7, "count": 1})
        self.words_of(change, (": 1 point, 1 figure.<", "<li>1 traveller was asked for",
                               "With the same maps and the seed 7 everything is the same",
                               "One seed, 7: there are no intervals."), ("± is half",))

    def test_the_default_setting_may_not_have_been_run(self):
        def change(folder):
            rows = [r for r in folder.rows("measures.csv")
                    if (r["table"], r["map"]) != ("default", "town")]
            folder.write_rows("measures.csv", rows)
        self.words_of(change, (
            "On town the default setting was not run.",), (
            "On village the default setting",))

    def test_a_measure_that_a_map_does_not_have_is_no_column(self):
        with Folder() as folder:
            rows = [r for r in folder.rows("measures.csv") if r["measure"] != "candidates"
                    or r["map"] != "town"]
            folder.write_rows("measures.csv", rows)
            tree = folder.page("--no-plots")[1]
            self.assertNotIn("Candidates per query", table_of(tree, "town")[0])
            self.assertIn("Candidates per query", table_of(tree, "village")[0])

    def test_claims_have_verdicts_in_words(self):
        def change(folder):
            first = dict(folder.rows("claims.csv")[0])
            rows = []
            for claim, statement, verdict in (
                    ("1a", 0, "holds"), ("1b", 1, "holds"), ("1b", 1, "does not hold"),
                    ("1c", 2, "does not hold"), ("2a", 3, "not told"), ("3a", 6, "holds")):
                row = dict.fromkeys(first, "")
                row.update(claim=claim, map="town", verdict=verdict,
                           statement=folder.data["statements"][statement]["text"])
                rows.append(row)
            rows[-1].update(map="")
            folder.write_rows("claims.csv", rows)
            for i, verdict in enumerate(["holds"] * 3 + ["mostly holds"] + ["does not hold"] * 3
                                        + ["not told"]):
                folder.data["paper_claims"][i]["verdicts"][0] = {
                    "reading": "shared", "verdict": verdict, "exceptions": [
                        {"claim": f"{i + 1}a", "map": "town", "methods": "basic & co"},
                        {"claim": f"{i + 1}b", "map": "", "methods": "XStar"}]}
        self.words_of(change, (
            '<p class="holds"><strong>3</strong> hold</p><p class="part"><strong>1</strong> mostly '
            'hold</p><p class="fails"><strong>3</strong> do not hold</p><p class="untold"><strong>'
            '1</strong> cannot be decided</p>',
            '<span class="v part">◐ mostly holds</span><span class="u">except 4a on town (basic '
            '&amp; co); 4b (XStar)</span></td>',
            '<td><span class="v holds">✓ holds</span></td><td><span class="v part">2 of 4 '
            'statements hold</span></td>', '<span class="v part">◐ holds for 1 of 2</span>',
            '<span class="v fails">✗ does not hold</span>',
            '<span class="v untold">not told</span>',
            '<span class="v holds">1 of 1 statement holds</span>',
            '<th scope="col">all maps</th>', "Claim 1: ", "2 hold, 2 do not, 0 not told"),
            ("except 1a", "except 5a"))  # only what mostly holds has exceptions

    def test_readings_of_the_baselines_stand_side_by_side(self):
        def change(folder):
            first = dict(folder.rows("claims.csv")[0])
            rows = []
            for claim, reading, verdict in (("5a", "shared", "holds"), ("5a", "literal",
                                            "does not hold"), ("5b", "", "holds")):
                row = dict.fromkeys(first, "")
                row.update(claim=claim, map="town", verdict=verdict, reading=reading,
                           methods="basic", statement=next(
                               s["text"] for s in folder.data["statements"]
                               if s["claim"] == claim))
                rows.append(row)
            folder.write_rows("claims.csv", rows)
            for claim in folder.data["paper_claims"]:
                claim["verdicts"] = [
                    {"reading": "shared", "verdict": "holds", "exceptions": []},
                    {"reading": "literal", "verdict": "does not hold", "exceptions": []}]
        self.words_of(change, (
            '<h3>Baselines share cloaks</h3>\n<div class="tiles"><p class="holds"><strong>8'
            '</strong> hold</p>',
            '<h3>Baselines to the letter</h3>\n<div class="tiles"><p class="holds"><strong>0'
            '</strong> hold</p>',
            '<th scope="col">Verdict <span class="u">baselines share cloaks</span></th>'
            '<th scope="col">Verdict <span class="u">baselines to the letter</span></th>',
            '<td><span class="v holds">✓ holds</span></td><td><span class="v fails">✗ does not '
            'hold</span></td>',
            # Of claim 5, with what is said of no baseline in each; of 5a by itself.
            '<td><span class="u">shared</span><span class="v holds">2 of 2 statements hold</span>'
            '<span class="u">literal</span><span class="v part">1 of 2 statements hold</span></td>',
            '<td><span class="u">shared</span><span class="v holds">✓ holds</span>'
            '<span class="u">literal</span><span class="v fails">✗ does not hold</span></td>',
            "<td>basic [shared]</td>", "<td>basic [literal]</td>", "<td>basic</td>",
            "were run in both readings"))

    def test_few_replays_are_warned_of(self):
        def change(folder):
            for method in folder.data["methods"]:
                method["entropy_correction"] = {"sampling": 0.18, "xstar": 0.02}.get(
                    method["name"], 0.001)
        self.words_of(change, ("Few replays: entropy was corrected upwards by about 0.180 (random "
                               "sampling), as a mean over all points.",))

        def none(folder):
            for method in folder.data["methods"]:
                method["entropy_correction"] = 0.001
        self.words_of(none, (), ("Few replays",))

    def test_without_attacks_nothing_is_said_of_them(self):
        def change(folder):
            folder.keep_figures("town-success-k", "village-success-k")
            folder.change("measures.csv", lambda row: None)
            rows = [r for r in folder.rows("measures.csv")
                    if r["table"] == "default" and r["measure"] != "entropy"]
            folder.write_rows("measures.csv", rows)
        self.words_of(change, ("8. Resilience to attacks</a>",),
                      ('id="attack"', 'href="#attack"', "under attack"))

        def no_injection(folder):
            folder.keep_figures("town-entropy-k")
        self.words_of(no_injection, ("What an adversary learns",), (
            "Injected queries are its own", "Travellers who ask again are followed",
            "One cloak after the other"))

    def test_no_figures_at_all_is_a_page(self):
        def change(folder):
            folder.data.update(figures=[], points=0)
            folder.data["maps"][0]["travellers"] = None
        self.words_of(change, ("0 points, 0 figures", '<td class="n">–</td><td class="n">–</td>'))

    def test_figures_without_numbers_say_so(self):
        with Folder() as folder:
            folder.keep_figures("town-success-k", "town-effective-asked")
            for name in ("town-success-k.csv", "town-effective-asked.csv"):
                folder.change(name, lambda row: row.update(mean="", low="", high="", seeds="0"))
            text, tree = folder.page()
            self.assertIn("There are no numbers: nothing was cloaked", text)
            self.assertIn("There are no numbers: no traveller had enough cloaks", text)
            self.assertEqual(list(tree.iter(SVG + "svg")), [])
            self.assertNotIn("nan", text)

    def drawn(self, stem, change, values=None):
        with Folder() as folder:
            folder.keep_figures(stem)
            axis = stem.split("-")[2]
            if values:
                next(a for a in folder.data["axes"] if a["name"] == axis)["values"] = values
                folder.save()
                row = folder.rows(stem + ".csv")[0]
                folder.write_rows(stem + ".csv", [
                    dict(row, method=m["name"], **{axis: repr(v)})
                    for v in values for m in folder.data["methods"]])
            folder.change(stem + ".csv", change)
            text, tree = folder.page()
            self.assertEqual(len(list(tree.iter(SVG + "svg"))), 1)
            self.assertNotRegex(text, r"[ \"](nan|inf)[ \"]")

    def test_odd_numbers_can_be_drawn_too(self):
        def same(value):
            def change(row):
                tail = "_measured" if "mean_measured" in row else ""
                for column in ("mean", "low", "high"):
                    row[column + tail] = value
            return change

        def wide(row):
            row.update({"mean_measured": "500000", "low_measured": "0",
                        "high_measured": "6853102.5"})

        def partly(row):
            if row["method"] in ("xstar", "basic"):
                row.update(mean="", low="", high="")
        for stem in ("town-success-k", "town-throughput-k", "town-anonymization-k"):
            self.drawn(stem, same("0"))
            self.drawn(stem, same("100"))
        self.drawn("town-anonymization-k", same("1e-300"))
        self.drawn("town-anonymization-k", same("1e300"))
        self.drawn("town-throughput-k", wide)
        self.drawn("town-entropy-k", partly)

    def test_one_value_and_many_values_can_be_drawn(self):
        self.drawn("town-success-k", lambda row: None, [5])
        self.drawn("town-success-k", lambda row: None, [1 + 0.25 * i for i in range(32)])

    def test_text_cannot_become_tags(self):
        hostile = "<script>alert('1')</script>\"& \x02\uffff $x_{1}$ \ud800"

        def change(folder):
            folder.keep_figures("town-success-k")
            folder.data.update(command=hostile, version=hostile)
            folder.data["machine"]["processor"] = hostile
            folder.data["methods"][0]["title"] = "<b>$a"
            folder.data["rules"][0] = hostile
            folder.data["paper_claims"][0]["text"] = hostile
            for axis in folder.data["axes"]:
                axis["unit"] = "<b>$u$"
            folder.change("claims.csv", lambda row: row.update(found="<b>\"&'</b>"))
        with Folder() as folder:
            change(folder)
            folder.save()
            text, tree = folder.page()
            self.assertEqual(list(tree.iter(HTML + "script")) + list(tree.iter(HTML + "b")), [])
            self.assertIn("&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;&quot;&amp; \ufffd"
                          "\ufffd $x_{1}$ \ufffd", text)
            self.assertIn("&lt;b&gt;&quot;&amp;&#x27;&lt;/b&gt;", text)
            ElementTree.fromstring(folder.read("town-success-k.svg"))


class Refused(unittest.TestCase):
    """What is missing or damaged is told with its file, and leaves nothing half-written."""

    def refuses(self, folder, *texts):
        before = sorted(os.listdir(folder.path))
        status, out, err = run("--no-plots", folder.path)
        self.assertEqual((status, out), (1, ""))
        self.assertTrue(err.startswith("starcloak-figures: "), err)
        self.assertEqual(err.count("\n"), 1, err)
        for text in texts:
            self.assertIn(text, err)
        self.assertEqual(sorted(os.listdir(folder.path)), before)

    def test_a_file_that_is_missing_is_named(self):
        for name in ("report.json", "measures.csv", "claims.csv", "town-success-k.csv"):
            with Folder() as folder:
                os.unlink(folder.name(name))
                self.refuses(folder, folder.name(name), "starcloak experiment")

    def test_a_folder_that_is_none_is_named(self):
        status, _, err = run("/nowhere/at/all")
        self.assertEqual(status, 1)
        self.assertIn("/nowhere/at/all/report.json", err)
        status, _, err = run(PROGRAM)
        self.assertEqual(status, 1)
        self.assertIn(PROGRAM, err)

    def test_a_file_that_ends_early_is_named(self):
        for name in ("report.json", "measures.csv", "claims.csv", "town-success-k.csv"):
            # Within a line: what ends with a line may be all there is.
            for start in (0, 1 / 3, 2 / 3, 1):
                with Folder() as folder:
                    text = folder.read(name).rstrip("\n")
                    cut = text.find("\n", int(start * len(text)))
                    folder.write(name, text[:cut if cut != -1 else len(text) - (name[-1] == "n")])
                    self.refuses(folder, name)
            with Folder() as folder:
                folder.write(name, "")
                self.refuses(folder, name)

    def test_bytes_that_are_no_text_are_told(self):
        for name in ("report.json", "claims.csv"):
            with Folder() as folder:
                with open(folder.name(name), "ab") as file:
                    file.write(b"\xff\xfe")
                self.refuses(folder, name, "UTF-8")

    def test_every_part_of_the_description_is_needed(self):
        with Folder() as folder:
            whole = dict(folder.data)
            for name in report.SHAPE:
                folder.data = {k: v for k, v in whole.items() if k != name}
                folder.save()
                self.refuses(folder, "report.json", f"'{name}'")
                if name != "format":
                    folder.data = dict(whole, **{name: {"odd": []} if name != "command" else 1})
                    folder.save()
                    self.refuses(folder, "report.json", name)

    def test_descriptions_that_make_no_sense_are_told(self):
        def in_map(name, value):
            return lambda data: data["maps"][0].update({name: value})
        for change, text in (
                (lambda data: data.update(format=99), "format 99"),
                (lambda data: data.update(points=True), "points"),
                (lambda data: data.update(rules="all"), "rules"),
                (lambda data: data["figures"][0].update(map="atlantis"), "'atlantis'"),
                (lambda data: data["figures"][0].update(metric="wealth"), "'wealth'"),
                (lambda data: data["paper_claims"][0]["verdicts"][0].update(verdict="maybe"),
                 "'maybe'"),
                (lambda data: data["paper_claims"][1]["verdicts"].clear(), "different readings"),
                (lambda data: [c["verdicts"][0].update(reading="free")
                               for c in data["paper_claims"]], "'free'"),
                (lambda data: data["axes"][0].update(need={"mean": 3}), "deviation"),
                (lambda data: data["axes"][0].update(values=[3, 4711]), "k 4711"),
                (in_map("movement", "flies"), "'flies'"),
                (in_map("movement", "traces"), "tracks"),
                (in_map("travellers", {"least": 1}), "most"),
                (in_map("name", "../../escape"), "'../../escape'"),
                (in_map("name", ""), "''"),
                (in_map("name", "x" * 65), "is not a name")):
            with Folder() as folder:
                change(folder.data)
                folder.save()
                self.refuses(folder, "report.json" if "4711" not in text else "town-", text)
        for text in ("[" * 100000, "null", "[]", '{"format": NaN}', "{} {}"):
            with Folder() as folder:
                folder.write("report.json", text)
                self.refuses(folder, "report.json")

    def test_cells_that_make_no_sense_are_told_with_their_line(self):
        for name in ("measures.csv", "town-success-k.csv"):
            for value in ("nan", "inf", "many", "1;2"):
                with Folder() as folder:
                    rows = folder.rows(name)
                    rows[2]["mean"] = value
                    folder.write_rows(name, rows)
                    self.refuses(folder, f"{name}: line 4", repr(value))
            with Folder() as folder:
                rows = folder.rows(name)
                rows[1]["low"] = ""
                folder.write_rows(name, rows)
                self.refuses(folder, f"{name}: line 3", "interval")
            with Folder() as folder:
                folder.write(name, folder.read(name) + "1,2\n")
                self.refuses(folder, name, "has 2 fields")
        with Folder() as folder:
            rows = folder.rows("claims.csv")
            rows[0].update(verdict="perhaps", verdict_measured="")
            folder.write_rows("claims.csv", rows)
            self.refuses(folder, "claims.csv: line 2", "'perhaps'")
            rows[0].update(verdict="mostly holds")  # which is only said of whole claims
            folder.write_rows("claims.csv", rows)
            self.refuses(folder, "claims.csv: line 2", "'mostly holds'")
            rows[0].update(verdict="holds", reading="free")
            folder.write_rows("claims.csv", rows)
            self.refuses(folder, "claims.csv: line 2", "'free'")

    def test_columns_that_are_missing_are_told(self):
        for name, column in (("measures.csv", "high"), ("town-success-k.csv", "low"),
                             ("town-success-k.csv", "k"), ("claims.csv", "found")):
            with Folder() as folder:
                rows = folder.rows(name)
                for row in rows:
                    del row[column]
                folder.write_rows(name, rows)
                self.refuses(folder, name, f"'{column}'")

    def test_a_method_that_a_figure_does_not_have_is_told(self):
        with Folder() as folder:
            rows = [r for r in folder.rows("town-success-k.csv") if r["method"] != "hybrid"]
            folder.write_rows("town-success-k.csv", rows)
            self.refuses(folder, "town-success-k.csv", "hybrid at k 3")

    def test_a_place_that_cannot_be_written_is_told(self):
        with Folder() as folder:
            os.mkdir(folder.name("report.html"))
            self.refuses(folder, folder.name("report.html"), "cannot write")
            self.assertEqual([n for n in os.listdir(folder.path) if n.startswith(".report")], [])

    def test_without_matplotlib_the_way_out_is_told(self):
        with Folder() as folder:
            with open(os.path.join(folder.root, "matplotlib.py"), "w", encoding="utf-8") as file:
                file.write("raise ImportError('it is not here')\n")
            environment = dict(os.environ, PYTHONPATH=folder.root)
            done = subprocess.run([PROGRAM, folder.path], env=environment, capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("python3-matplotlib", done.stderr)
            self.assertIn("--no-plots", done.stderr)
            self.assertFalse(os.path.exists(folder.name("report.html")))
            done = subprocess.run([PROGRAM, "--no-plots", folder.path], env=environment,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(os.path.exists(folder.name("report.html")))

    def test_usage(self):
        for arguments in ((), ("--odd", "x"), ("a", "b")):
            status, out, err = run(*arguments)
            self.assertEqual((status, out), (2, ""))
            self.assertIn("usage: starcloak-figures", err)
        status, out, err = run("--help")
        self.assertEqual((status, err), (0, ""))
        for text in ("FOLDER", "--no-plots", "--quiet", "report.html"):
            self.assertIn(text, out)

    def test_what_was_done_is_told(self):
        with Folder() as folder:
            folder.keep_figures("town-success-k", "town-success-l")
            status, out, err = run(folder.path)
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(out, f"{folder.name('report.html')}: 2 figures, 2 plots\n")
            # As any new file: readable for the service that shows it.
            mask = os.umask(0)
            os.umask(mask)
            self.assertEqual(os.stat(folder.name("report.html")).st_mode & 0o777, 0o666 & ~mask)


class Tap(unittest.TestResult):
    """One line for each check, and what went wrong as a comment."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def line(self, word, test, why=""):
        self.count += 1
        name = test._testMethodName[len("test_"):].replace("_", " ")
        print(f"{word} {self.count} - {name}")
        for line in why.splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def addSuccess(self, test):
        self.line("ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line("not ok", test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        if hasattr(test, "_testMethodName"):
            self.line("not ok", test, self.errors[-1][1])
        else:
            self.count += 1
            print(f"not ok {self.count} - {test}")
            print("# " + self.errors[-1][1].replace("\n", "\n# "))


def main():
    loader = unittest.TestLoader()
    names = sys.argv[3:]
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(case)
                               for case in (Numbers, Whole, Odd, Refused)
                               if not names or case.__name__ in names)
    result = Tap()
    suite.run(result)
    print(f"1..{result.count}")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
