#!/usr/bin/python3
"""Draw the figures of an experiment and write its report.

usage: report.py [--no-plots] [--quiet] FOLDER

FOLDER is what `starcloak experiment -o FOLDER` has filled. This reads

    report.json            what was run, the figures there are, the texts of the claims
    measures.csv           means and 95 % intervals for the tables
    claims.csv             every statement of the paper, judged
    MAP-METRIC-AXIS.csv    the numbers of each figure

and writes MAP-METRIC-AXIS.svg for each figure that has numbers, and report.html: one page with all
figures inside, which needs no other file, no script and no network. The page is HTML5 and
well-formed XML at once. The same numbers give the same files, byte by byte.

All statistics come from the CSV files; nothing is computed here but the ranges of axes.
Exit status: 0 done, 1 something is missing or damaged (the message names it), 2 usage.
"""
import argparse
import csv
import html
import io
import json
import math
import os
import re
import sys
import tempfile
from xml.etree import ElementTree

NAME = "starcloak-figures"
FORMAT = 2  # of report.json; see src/study/lab/report_data.c


class Failure(Exception):
    """What the user is told before the program ends with 1."""


# --- Reading ---------------------------------------------------------------------------------

NUMBER = (int, float)
NONE = type(None)
SPREAD = {"mean": NUMBER, "deviation": NUMBER, "min": NUMBER + (NONE,), "max": NUMBER + (NONE,)}

# What report.json must have: a type, a tuple of types, [what a list holds] or {name: shape}.
SHAPE = {
    "format": int,
    "version": (str, NONE),
    "command": (str, NONE),
    "points": int,
    "seeds": {"first": int, "count": int},
    "travellers": int,
    "warm_up_s": NUMBER,
    "counted_s": NUMBER,
    "closed": bool,
    "max_cloaks": int,
    "indexed": bool,
    "maps": [{"name": str, "nodes": int, "edges": int, "segments": int, "stars": int,
              "objects": int, "travellers": (dict, NONE), "movement": str, "checksum": str}],
    "methods": [{"name": str, "title": str, "entropy_correction": NUMBER}],
    "axes": [{"name": str, "symbol": str, "unit": str, "varied": bool, "values": [NUMBER]}],
    "pause_s": SPREAD,
    "metrics": [{"name": str, "title": str, "unit": str, "logarithmic": bool,
                 "most": NUMBER + (NONE,)}],
    "figures": [{"map": str, "metric": str, "axis": str}],
    "adversary": {"knows_traffic": bool, "likeness": str, "max_placements": int, "runs": int,
                  "samples": int, "max_victims": int, "others": str},
    "paper_claims": [{"title": str, "text": str,
                      "verdicts": [{"reading": str, "verdict": str, "exceptions": [
                          {"claim": str, "map": str, "methods": str}]}]}],
    "statements": [{"claim": str, "text": str}],
    "rules": [str],
    "machine": {"processor": str, "cores": int, "memory_gib": NUMBER, "compiler": str},
}


def has_type(value, types):
    types = types if isinstance(types, tuple) else (types,)
    # JSON's true is no number, though Python's is.
    return isinstance(value, types) and (not isinstance(value, bool) or bool in types)


def check_shape(path, value, shape, where):
    """Fail with the place of the first value that is not as `shape` has it."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise Failure(f"{path}: {where} is not an object")
        for name, inner in shape.items():
            if name not in value:
                raise Failure(f"{path}: {where} has no '{name}'")
            check_shape(path, value[name], inner, f"{where}.{name}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise Failure(f"{path}: {where} is not a list")
        for i, item in enumerate(value):
            check_shape(path, item, shape[0], f"{where}[{i}]")
    elif not has_type(value, shape):
        raise Failure(f"{path}: {where} has a value of the wrong kind")


def read_text(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        raise Failure(f"{path}: the file does not exist; fill the folder with 'starcloak "
                      f"experiment -o FOLDER' first") from None
    except UnicodeDecodeError:
        raise Failure(f"{path}: the file is damaged: it is not UTF-8") from None
    except OSError as error:
        raise Failure(f"{path}: cannot read: {error.strerror}") from None


def read_description(path):
    text = read_text(path)
    try:
        # Python would take NaN and Infinity, which JSON does not have.
        data = json.loads(text, parse_constant=lambda word: json.loads("refused " + word))
    except ValueError as error:
        raise Failure(f"{path}: the file is damaged: {error}") from None
    except RecursionError:
        raise Failure(f"{path}: the file is damaged: it is nested too deeply") from None
    if isinstance(data, dict) and isinstance(data.get("format"), int) and data["format"] != FORMAT:
        raise Failure(f"{path}: has the format {data['format']}, but this program reads {FORMAT}; "
                      "run the experiment again with the 'starcloak' of the same version")
    check_shape(path, data, SHAPE, "report")
    check_names(path, data)
    return data


def check_names(path, data):
    """Names become names of files and ids, and each figure is of a known map, metric and axis."""
    for kind in ("maps", "methods", "axes", "metrics"):
        for item in data[kind]:
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item["name"]):
                raise Failure(f"{path}: {item['name']!r} in {kind} is not a name; use letters, "
                              "digits, - and _")
    for figure in data["figures"]:
        for key, kind in (("map", "maps"), ("metric", "metrics"), ("axis", "axes")):
            if figure[key] not in [item["name"] for item in data[kind]]:
                raise Failure(f"{path}: a figure has the {key} {figure[key]!r}, which is not among "
                              f"the {kind}")
    for axis in data["axes"]:
        if "need" in axis:
            check_shape(path, axis["need"], SPREAD, f"report.axes.{axis['name']}.need")
    for item in data["maps"]:
        needed = {"traces": {"tracks": int, "fixes": int, "fold_s": NUMBER},
                  "trips": {"truck_share": NUMBER}, "walk": {}}
        if item["movement"] not in needed:
            raise Failure(f"{path}: the movement {item['movement']!r} is unknown")
        check_shape(path, item, needed[item["movement"]], f"report.maps.{item['name']}")
        if item["travellers"] is not None:
            check_shape(path, item["travellers"], {"least": int, "most": int},
                        f"report.maps.{item['name']}.travellers")


def read_rows(path, columns):
    """Rows of a CSV file as dictionaries with their line as "line", which must have `columns`."""
    text = read_text(path)
    if text and not text.endswith("\n"):
        raise Failure(f"{path}: the file ends within a line; run the experiment again")
    reader = csv.reader(io.StringIO(text), strict=True)
    rows = []
    try:
        header = next(reader, [])
        missing = [column for column in columns if column not in header]
        if missing:
            raise Failure(f"{path}: has no column '{missing[0]}'")
        for cells in reader:
            if len(cells) != len(header):
                raise Failure(f"{path}: line {reader.line_num} has {len(cells)} fields, but the "
                              f"first line {len(header)}")
            rows.append(dict(zip(header, cells), line=reader.line_num))
    except csv.Error as error:
        raise Failure(f"{path}: line {reader.line_num}: {error}") from None
    return rows


def number_in(path, row, column):
    """The number in a cell; None if it is empty."""
    if row[column] == "":
        return None
    try:
        value = float(row[column])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Failure(f"{path}: line {row['line']}: {column} is {row[column]!r}, but should be a "
                      "number")
    return value


class Estimate:
    """A mean with the ends of its 95 % interval, cut to what is possible."""

    def __init__(self, path, row, suffix=""):
        self.mean = number_in(path, row, "mean" + suffix)
        self.low = number_in(path, row, "low" + suffix)
        self.high = number_in(path, row, "high" + suffix)
        if (self.low is None) != (self.high is None) or (
                self.mean is None and self.low is not None):
            raise Failure(f"{path}: line {row['line']}: an interval needs its mean and both ends")

    def ends(self):
        """The interval, or the mean twice where there is none."""
        return (self.mean, self.mean) if self.low is None else (self.low, self.high)

    def is_cut(self, most):
        """Whether the interval went beyond what is possible."""
        below, above = self.mean - self.low, self.high - self.mean
        if abs(below - above) > 1e-7 * max(abs(self.low), abs(self.high)):
            return True
        return self.low <= 0 and most is not None and self.high >= most

    def text(self, most=None, scale=1, is_plain=False):
        """As "12.3 ± 0.4", or "99.0 (97.2 to 100.0)" where the interval was cut."""
        if self.mean is None:
            return "–"
        mean = self.mean * scale
        middle = short_number(mean)
        if is_plain or self.low is None:
            return middle
        if self.is_cut(most):
            return (f"{middle} ({number_beside(self.low * scale, mean)} to "
                    f"{number_beside(self.high * scale, mean)})")
        return f"{middle} ± {number_beside((self.high - self.low) / 2 * scale, mean)}"


class Figure:
    """One metric on one map over one axis: a series for each method."""

    def __init__(self, folder, number, entry, results):
        self.number = number
        self.map = entry["map"]
        self.metric = results.metric(entry["metric"])
        self.axis = results.axis(entry["axis"])
        self.stem = f"{entry['map']}-{entry['metric']}-{entry['axis']}"
        self.series = {}
        path = os.path.join(folder, self.stem + ".csv")
        rows = read_rows(path, [entry["axis"], "method"])
        suffix = "_measured" if rows and "mean_measured" in rows[0] else ""
        for column in ("mean", "low", "high"):
            if rows and column + suffix not in rows[0]:
                raise Failure(f"{path}: has no column '{column + suffix}'")
        for row in rows:
            at = number_in(path, row, entry["axis"])
            self.series.setdefault(row["method"], {})[at] = Estimate(path, row, suffix)
        for method in results.data["methods"]:
            points = self.series.get(method["name"], {})
            for value in self.axis["values"]:
                if value not in points:
                    raise Failure(f"{path}: has no row for {method['name']} at "
                                  f"{self.axis['name']} {value:g}")
        self.drawing = None  # an svg element

    def title(self):
        """In words: "Success rate (%) on california, over k (users)"."""
        return (f"{self.metric['title']} ({self.metric['unit']}) on {self.map}, over "
                f"{self.axis['symbol']} ({self.axis['unit']})")

    def at(self, method, value):
        return self.series[method["name"]][value]

    def can_show(self, estimate):
        """A logarithmic axis has no place for 0."""
        return estimate.mean is not None and (not self.metric["logarithmic"] or estimate.mean > 0)

    def shown(self, methods):
        """What can be drawn."""
        found = [self.at(method, value) for method in methods for value in self.axis["values"]]
        return [estimate for estimate in found if self.can_show(estimate)]

    def has_values(self, methods):
        return any(self.at(method, value).mean is not None
                   for method in methods for value in self.axis["values"])


class Results:
    """All that an experiment has left in its folder."""

    def __init__(self, folder):
        self.data = read_description(os.path.join(folder, "report.json"))
        self.methods = self.data["methods"]
        self.figures = [Figure(folder, i, entry, self)
                        for i, entry in enumerate(self.data["figures"])]
        path = os.path.join(folder, "measures.csv")
        self.measures = {}
        for row in read_rows(path, ["table", "map", "method", "measure", "mean", "low", "high"]):
            table = self.measures.setdefault((row["table"], row["map"]), {})
            table.setdefault(row["method"], {})[row["measure"]] = Estimate(path, row)
        self.claims = self.read_claims(os.path.join(folder, "claims.csv"))

    def read_claims(self, path):
        claims = read_rows(path, ["claim", "map", "statement", "methods", "reading", "verdict",
                                  "found", "verdict_measured", "found_measured"])
        for row in claims:
            # What comes from CPU time stands in columns of its own.
            row["verdict"] = row["verdict"] or row["verdict_measured"]
            row["found"] = row["found"] or row["found_measured"]
            if row["verdict"] not in PART_VERDICTS:
                raise Failure(f"{path}: line {row['line']}: the verdict {row['verdict']!r} is not "
                              "known")
            if row["reading"] not in READINGS:
                raise Failure(f"{path}: line {row['line']}: the reading {row['reading']!r} is not "
                              "known")
        self.readings = [v["reading"] for v in self.data["paper_claims"][0]["verdicts"]]
        for claim in self.data["paper_claims"]:
            if [v["reading"] for v in claim["verdicts"]] != self.readings:
                raise Failure("report.json: the claims have different readings")
            for one in claim["verdicts"]:
                if one["verdict"] not in VERDICTS:
                    raise Failure(f"report.json: the verdict {one['verdict']!r} is not known")
                if one["reading"] not in READINGS:
                    raise Failure(f"report.json: the reading {one['reading']!r} is not known")
        return claims

    def metric(self, name):
        return next(m for m in self.data["metrics"] if m["name"] == name)

    def axis(self, name):
        return next(a for a in self.data["axes"] if a["name"] == name)

    def has_figure(self, metric, axis=None):
        return any(f["metric"] == metric and axis in (None, f["axis"])
                   for f in self.data["figures"])


# --- Numbers and text for people ---------------------------------------------------------------

def decimals_of(value):
    """Three digits that count, more above 1000, fewer below 0.1; None: an exponent is needed."""
    size = abs(value)
    if 0 < size < 0.01:
        return None
    if size >= 100:
        return 0
    if size >= 10:
        return 1
    return 2 if size >= 1 or size == 0 else 3


def number_beside(value, mean):
    """Part of an interval, with as many decimals as its mean has."""
    decimals = decimals_of(mean)
    return f"{value:.2g}" if decimals is None else f"{value:.{decimals}f}"


def short_number(value):
    return number_beside(value, value)


def plural(count):
    return "" if count == 1 else "s"


def listed(names):
    """As "a, b and c"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1] if names else ""]))


# XML has no place for these, not even as references.
NO_CHARACTER = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(value):
    """Escaped for a page."""
    return html.escape(NO_CHARACTER.sub("\ufffd", str(value)))


def symbol(axis):
    """"σs" with the s below."""
    name = axis["symbol"]
    if len(name) > 1 and ord(name[0]) > 127:
        return f"{text(name[0])}<sub>{text(name[1:])}</sub>"
    return text(name)


# --- Plots -------------------------------------------------------------------------------------

# Colour, marker and dashes of a method in all plots. The colours are those of Okabe and Ito, which
# people with any kind of colour vision can tell apart; markers differ too. StarCloak's variants are
# filled and solid, the others hollow and dashed. A baseline has one colour in both its readings.
LOOKS = {
    "basic": ("#0072B2", "o", "-"),
    "hybrid": ("#009E73", "^", "-"),
    "bounded": ("#D55E00", "s", "-"),
    "strict": ("#E69F00", "v", "-"),
    "xstar": ("#CC79A7", "D", (0, (5, 2))),
    "sampling": ("#56B4E9", "o", (0, (4, 1.5, 1, 1.5))),
    "expansion": ("#555555", "s", (0, (1.5, 1.5))),
    "patient": ("#332288", "h", "-"),
    "sampling-literal": ("#56B4E9", "*", (0, (1, 1))),
    "expansion-literal": ("#555555", "P", (0, (1, 3))),
}
OTHER_LOOK = ("#000000", "x", "-")

STYLE_OF_PLOTS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial", "sans-serif"],
    "font.size": 10,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": "#444444",
    "xtick.labelcolor": "#222222",
    "ytick.color": "#444444",
    "ytick.labelcolor": "#222222",
    "svg.fonttype": "none",  # text stays text: it can be searched, and read aloud
    "svg.hashsalt": NAME,    # ids that do not change from run to run
}

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"


def import_matplotlib():
    try:
        import matplotlib
        import matplotlib.backends.backend_svg
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError as error:
        raise Failure(f"matplotlib cannot be loaded ({error}); on Debian and Ubuntu 'apt install "
                      "python3-matplotlib' installs it for /usr/bin/python3. --no-plots writes the "
                      "report without plots") from None
    # Not what ~/.config/matplotlib says: every machine draws the same.
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE_OF_PLOTS)
    return matplotlib


def share_axis(low, high, whole):
    """Ends of the axis of a share.

    Shares that are all above a half fill the axis from one round number to another; others are
    seen against the whole. The axis never has less than a twentieth of it, so that differences by
    chance do not look large.
    """
    if low <= whole / 2:
        return 0, whole
    step = 2 if high - low > whole / 5 else 1  # in twentieths
    top = min(20, math.ceil(20 * high / whole / step) * step)
    bottom = min(math.floor(20 * low / whole / step) * step, top - step)
    return whole * bottom / 20, whole * top / 20


def vertical_range(figure, methods):
    """The least and largest number to be shown; an interval that reaches 0 has no low end on a
    logarithmic axis."""
    shown = figure.shown(methods)
    if not shown:
        return 1, 1
    is_log = figure.metric["logarithmic"]
    low = min(e.mean if is_log and e.ends()[0] <= 0 else e.ends()[0] for e in shown)
    return low, max(e.ends()[1] for e in shown)


def vertical_axis(figure, methods):
    """Where the axis begins and ends: at 0, but for logarithmic ones and high shares."""
    low, high = vertical_range(figure, methods)
    if figure.metric["logarithmic"]:
        first = math.floor(math.log10(low))
        return 10.0 ** first, 10.0 ** max(math.ceil(math.log10(high)), first + 1)
    if figure.metric["most"] is not None:
        return share_axis(low, high, figure.metric["most"])
    return 0, high * 1.05 if high > 0 else 1


def draw_series(axes, figure, method, least, has_intervals):
    colour, marker, dashes = LOOKS.get(method["name"], OTHER_LOOK)
    places, means, below, above = [], [], [], []
    for value in figure.axis["values"]:
        estimate = figure.at(method, value)
        is_shown = figure.can_show(estimate)
        low, high = estimate.ends() if is_shown else (math.nan, math.nan)
        mean = estimate.mean if is_shown else math.nan  # the line has a gap there
        places.append(value)
        means.append(mean)
        below.append(mean - max(low, least))
        above.append(high - mean)
    if all(math.isnan(mean) for mean in means):
        return
    if has_intervals:
        axes.errorbar(places, means, yerr=[below, above], fmt="none", ecolor=colour,
                      elinewidth=1, capsize=2.5, capthick=1, alpha=0.75, zorder=2)
    is_hollow = dashes != "-"
    axes.plot(places, means, color=colour, marker=marker, linestyle=dashes, linewidth=1.7,
              markersize=5.5, markeredgewidth=1.4, markeredgecolor=colour,
              markerfacecolor="#ffffff" if is_hollow else colour, label=method["title"], zorder=3,
              gid=f"series-{method['name']}")


def axis_label(axis):
    name = axis["symbol"]
    if len(name) > 1 and name[0] == "σ":
        name = rf"$\sigma_{name[1:]}$"
    return f"{name} ({axis['unit']})"


def draw(matplotlib, figure, results):
    """The figure as an svg file, in bytes."""
    canvas = matplotlib.figure.Figure(figsize=(7, 3.8), layout="constrained", facecolor="#ffffff")
    canvas.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    axes = canvas.add_subplot()
    values = figure.axis["values"]
    room = (values[-1] - values[0]) * 0.04 or 1
    axes.set_xlim(values[0] - room, values[-1] + room)
    step = 1 + (len(values) - 1) // 12  # more labels would run into each other
    axes.set_xticks(values[::step], [f"{value:g}" for value in values[::step]])
    low, high = vertical_axis(figure, results.methods)
    if figure.metric["logarithmic"]:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(matplotlib.ticker.EngFormatter())
        axes.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    # A little more, so that marks at the upper end of a share are seen whole.
    is_share = figure.metric["most"] is not None
    axes.set_ylim(low, high + (high - low) * 0.01 if is_share else high)
    axes.grid(axis="y", color="#e2e2e2", linewidth=0.8)
    axes.set_axisbelow(True)
    for method in results.methods:
        draw_series(axes, figure, method, low, results.data["seeds"]["count"] > 1)
    axes.set_title(figure.map, parse_math=False)
    axes.set_xlabel(axis_label(figure.axis))
    unit = figure.metric["unit"].replace("$", r"\$")
    axes.set_ylabel(f"{figure.metric['title']} ({unit})")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0, frameon=False,
                    handlelength=3.2, labelspacing=0.8)
    stream = io.BytesIO()
    canvas.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def description(figure, methods):
    """The ends of all series, for those who hear a page."""
    values = figure.axis["values"]
    parts = []
    for method in methods:
        first, last = figure.at(method, values[0]), figure.at(method, values[-1])
        if first.mean is None or last.mean is None:
            continue
        parts.append(f"{method['title']} from {short_number(first.mean)} to "
                     f"{short_number(last.mean)}")
    return f"From {values[0]:g} to {values[-1]:g}: {'; '.join(parts)}."


def fit_for_page(drawing, figure, methods):
    """An svg element that can stand beside others: ids of its own, a title and a description for
    those who cannot see it, and no size."""
    root = ElementTree.fromstring(drawing)
    prefix = f"f{figure.number}-"
    for element in root.iter():
        if "id" in element.attrib:
            element.set("id", prefix + element.get("id"))
        for name, value in element.attrib.items():
            if name in ("href", f"{{{XLINK}}}href") and value.startswith("#"):
                value = "#" + prefix + value[1:]
            element.set(name, value.replace("url(#", f"url(#{prefix}"))
    for child in [c for c in root if c.tag == f"{{{SVG}}}metadata"]:
        root.remove(child)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}title {prefix}desc")
    for i, (name, words) in enumerate((("title", figure.title()),
                                       ("desc", description(figure, methods)))):
        element = ElementTree.Element(f"{{{SVG}}}{name}", {"id": prefix + name})
        element.text = words
        element.tail = "\n"
        root.insert(i, element)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def draw_all(results):
    """A drawing for every figure that has numbers."""
    matplotlib = import_matplotlib()
    for figure in results.figures:
        if figure.has_values(results.methods):
            figure.drawing = fit_for_page(draw(matplotlib, figure, results), figure,
                                          results.methods)


# --- Tables of measures --------------------------------------------------------------------------

class Column:
    """A measure as a column: `is_plain` ones are not compared, and have no interval."""

    def __init__(self, measure, title, unit, is_plain=False, scale=1, most=None):
        self.measure, self.title, self.unit = measure, title, unit
        self.is_plain, self.scale, self.most = is_plain, scale, most


DEFAULT_COLUMNS = [
    Column("success", "Success", "%", most=100),
    Column("anonymization", "Wait", "s"),
    Column("entropy", "Entropy", "under attack", most=1),
    Column("users", "Users", "per cloak", is_plain=True),
    Column("segments", "Segments", "per cloak", is_plain=True),
    Column("border_nodes", "Border nodes", "per cloak", is_plain=True),
    Column("cpu_us_measured", "CPU", "µs per query"),
    Column("throughput_measured", "Throughput", "1000 per CPU s", scale=1e-3),
    Column("candidates", "Candidates", "per query"),
    Column("processing_measured", "Processing", "µs per query"),
]

ATTACKED_COLUMNS = [
    Column("recognised", "Recognised", "per cloak", is_plain=True),
    Column("entropy", "Entropy", "of log2 |S|", most=1),
    Column("entropy_error", "Error", "of one cloak", is_plain=True),
    Column("entropy_bias", "Bias", "of all cloaks", is_plain=True),
    Column("probability", "Probability", "true segment", most=1),
    Column("rank", "Rank", "true segment"),
    Column("attacked_cloaks", "Cloaks", "per seed", is_plain=True),
    Column("enumerated_share", "Enumerated", "% of them", is_plain=True, scale=100),
    Column("unexplained_share", "Unexplained", "% of them", is_plain=True, scale=100),
    Column("replays_per_cloak", "Replays", "per cloak", is_plain=True),
    Column("attacked_segments", "Segments", "per cloak", is_plain=True),
    Column("attacked_effective", "Effective", "2^H", is_plain=True),
]

FOLLOWED_COLUMNS = [Column("followed", "Travellers", "per seed", is_plain=True)] + [
    Column(f"located_{n}", f"Cloak {n}", "probability", most=1) for n in range(1, 9)]


def method_cell(method):
    """A method's title beside its colour."""
    colour = LOOKS.get(method["name"], OTHER_LOOK)[0]
    return (f'<th scope="row"><span class="dot" style="background:{colour}"></span>'
            f'{text(method["title"])}</th>')


def measure_table(results, table, map_name, columns, caption):
    """All methods at one point; nothing if it was not run."""
    rows = results.measures.get((table, map_name))
    if not rows:
        return ""
    columns = [c for c in columns if any(c.measure in row for row in rows.values())]
    head = "".join(f'<th scope="col" class="n">{text(c.title)} <span class="u">{text(c.unit)}'
                   "</span></th>" for c in columns)
    body = ""
    for method in results.methods:
        row = rows.get(method["name"], {})
        cells = (row[c.measure].text(c.most, c.scale, c.is_plain) if c.measure in row else "–"
                 for c in columns)
        body += f"<tr>{method_cell(method)}" + "".join(
            f'<td class="n">{cell}</td>' for cell in cells) + "</tr>\n"
    return (f'<div class="wide"><table><caption>{text(map_name + caption)}</caption>\n<thead><tr>'
            f'<th scope="col">Method</th>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>'
            "</div>\n")


def section(name, title, content):
    return (f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{content}'
            "</section>\n")


def default_section(results):
    content = "<p>All parameters have their default means."
    if results.data["seeds"]["count"] > 1:
        content += (" ± is half of the 95 % interval over the seeds; an interval that goes beyond "
                    "what is possible is given by its ends, limited to what is possible.")
    content += "</p>\n"
    for item in results.data["maps"]:
        content += measure_table(results, "default", item["name"], DEFAULT_COLUMNS, "") or (
            f"<p>On {text(item['name'])} the default setting was not run."
            "</p>\n")
    return section("summary", "At the default setting", content)


# --- Claims --------------------------------------------------------------------------------------

VERDICTS = {"holds": ("holds", "✓ holds"), "mostly holds": ("part", "◐ mostly holds"),
            "does not hold": ("fails", "✗ does not hold"), "not told": ("untold", "not told")}
READINGS = {"": "", "shared": "baselines share cloaks", "literal": "baselines to the letter"}
PART_VERDICTS = [name for name in VERDICTS if name != "mostly holds"]  # of a single statement


def verdict(style, words):
    return f'<span class="v {style}">{words}</span>'


def tally(claims):
    """How many of them hold, how many do not, and how many cannot be told."""
    return tuple(sum(c["verdict"] == name for c in claims) for name in PART_VERDICTS)


def map_names(results):
    """A column for each map, and one ("") for what is said of no map in particular."""
    names = [item["name"] for item in results.data["maps"]]
    return names + [""] if any(c["map"] == "" for c in results.claims) else names


def map_heads(results):
    return "".join(f'<th scope="col">{text(name or "all maps")}</th>' for name in
                   map_names(results)) + "</tr></thead>\n<tbody>\n"


def in_reading(claims, reading):
    """What is said of no baseline, and what is said of them in one reading."""
    return [c for c in claims if c["reading"] in ("", reading)]


def cell_of(results, claims, words):
    """`words` of some claims on one map; where readings differ in what is judged, one by one."""
    if len(results.readings) == 1 or all(c["reading"] == "" for c in claims):
        return f"<td>{words(claims)}</td>"
    lines = "".join(f'<span class="u">{text(reading)}</span>{words(in_reading(claims, reading))}'
                    for reading in results.readings)
    return f"<td>{lines}</td>"


def parts_words(claims):
    """How many of a claim's statements hold on one map."""
    held, failed, untold = tally(claims)
    told = held + failed
    if told > 0:
        style = "holds" if failed == 0 else "part" if held > 0 else "fails"
        words = f"{held} of {told} statement{plural(told)} hold{'s' if told == 1 else ''}"
        return verdict(style, words)
    return verdict("untold", "not told") if untold else ""


def exceptions(one):
    """What does not hold of a claim that mostly holds: "except 1a on city (basic against ...)"."""
    if one["verdict"] != "mostly holds":
        return ""
    named = "; ".join(
        f"{e['claim']}{' on ' if e['map'] else ''}{e['map']} ({e['methods']})"
        for e in one["exceptions"])
    return f'<span class="u">except {text(named)}</span>'


def claims_table(results):
    rows = ""
    for i, claim in enumerate(results.data["paper_claims"], 1):
        of_claim = [c for c in results.claims if c["claim"].startswith(str(i))]
        verdicts = "".join(f"<td>{verdict(*VERDICTS[one['verdict']])}{exceptions(one)}</td>"
                           for one in claim["verdicts"])
        cells = "".join(cell_of(results, [c for c in of_claim if c["map"] == name], parts_words)
                        for name in map_names(results))
        rows += (f'<tr><th scope="row"><a href="#claim-{i}">{i}. {text(claim["title"])}</a></th>'
                 f'<td>{text(claim["text"])}</td>{verdicts}{cells}</tr>\n')
    heads = "".join(f'<th scope="col">Verdict{reading_unit(results, reading)}</th>'
                    for reading in results.readings)
    return ('<div class="wide"><table><caption>The paper’s eight claims. A statement counts once '
            'for each method it is about.</caption>\n<thead><tr><th scope="col">Claim</th>'
            f'<th scope="col" class="words">As the paper says it</th>{heads}'
            f"{map_heads(results)}{rows}</tbody></table></div>\n")


def reading_unit(results, reading):
    """Below a heading, where there is more than one reading or one that is not the usual one."""
    if results.readings == ["shared"]:
        return ""
    return f' <span class="u">{text(READINGS[reading])}</span>'


def outcome_words(claims):
    """How a statement came out on one map."""
    held, failed, untold = tally(claims)
    if held + failed == 0:
        return verdict("untold", "not told") if untold else ""
    if failed == 0:
        return verdict("holds", "✓ holds")
    if held == 0:
        return verdict("fails", "✗ does not hold")
    return verdict("part", f"◐ holds for {held} of {held + failed}")


def statements_table(results):
    rows = ""
    for statement in results.data["statements"]:
        of_it = [c for c in results.claims if c["claim"] == statement["claim"]
                 and c["statement"] == statement["text"]]
        cells = "".join(cell_of(results, [c for c in of_it if c["map"] == name], outcome_words)
                        for name in map_names(results))
        rows += (f'<tr><th scope="row"><a href="#claim-{text(statement["claim"][:1])}">'
                 f'{text(statement["claim"])}</a></th><td>{text(statement["text"])}</td>{cells}'
                 "</tr>\n")
    return ('<div class="wide"><table><caption>The statements that they consist of. “Holds for 2 '
            'of 4”: for two of the four methods it is said of.</caption>\n<thead><tr>'
            '<th scope="col">Claim</th><th scope="col" class="words">In words</th>'
            f"{map_heads(results)}{rows}</tbody></table></div>\n")


def methods_words(results, claim):
    """The methods of a judged statement, and in which reading, where that is not plain."""
    is_told = claim["reading"] != "" and results.readings != ["shared"]
    return claim["methods"] + (f" [{claim['reading']}]" if is_told else "")


def claim_details(results, number, claim):
    of_claim = [c for c in results.claims if c["claim"].startswith(str(number))]
    held, failed, untold = tally(of_claim)
    rows = "".join(
        f'<tr><th scope="row">{text(c["claim"])}</th><td>{text(c["map"] or "all")}</td>'
        f'<td>{text(methods_words(results, c))}</td>'
        f'<td>{verdict(VERDICTS[c["verdict"]][0], text(c["verdict"]))}</td>'
        f'<td>{text(c["found"])}</td></tr>\n' for c in of_claim)
    return (f'<details id="claim-{number}"><summary>Claim {number}: {text(claim["title"])} — '
            f"{held} hold, {failed} do not, {untold} not told</summary>\n"
            f'<div class="wide"><table><caption>Claim {number} in numbers</caption>\n<thead><tr>'
            '<th scope="col">Part</th><th scope="col">Map</th><th scope="col">Methods</th>'
            '<th scope="col">Verdict</th><th scope="col">Found</th></tr></thead>\n'
            f"<tbody>\n{rows}</tbody></table></div></details>\n")


def tiles(results, i):
    """How many of the claims came out how, in the i-th reading."""
    found = [claim["verdicts"][i]["verdict"] for claim in results.data["paper_claims"]]
    counts = "".join(
        f'<p class="{style}"><strong>{found.count(name)}</strong> {words}</p>'
        for (name, (style, _)), words in
        zip(VERDICTS.items(), ("hold", "mostly hold", "do not hold", "cannot be decided")))
    title = "" if results.readings == ["shared"] else (
        f"<h3>{text(READINGS[results.readings[i]].capitalize())}</h3>\n")
    return f'{title}<div class="tiles">{counts}</div>\n'


def claims_section(results):
    claims = results.data["paper_claims"]
    content = "".join(tiles(results, i) for i in range(len(results.readings)))
    content += (
        "<p>The claims of the paper’s evaluation, taken apart into statements that numbers decide, "
        'each judged on every map and for every method it is about (<a href="claims.csv">claims.csv'
        "</a>). A claim holds if all of its statements that can be decided hold, and mostly holds "
        "if three quarters of them do; those that do not are named.</p>\n")
    if len(results.readings) > 1:
        content += (
            "<p>Random sampling and network expansion were run in both readings: as methods whose "
            "cloaks are shared by queries, which keep the promises of StarCloak, and to the letter "
            "of the paper, where a query takes no notice of others and <i>k</i> counts all "
            "travellers. What is said of them, or compared with them, is judged in each.</p>\n")
    content += claims_table(results)
    content += "<h3>Statement by statement</h3>\n" + statements_table(results)
    content += "<h3>In numbers</h3>\n"
    for number, claim in enumerate(claims, 1):
        content += claim_details(results, number, claim)
    content += "<h3>How they are judged</h3>\n<ul>\n"
    content += "".join(f"<li>{text(rule)}</li>\n" for rule in results.data["rules"])
    return section("claims", "The paper’s claims", content + "</ul>\n")


# --- Attacks -------------------------------------------------------------------------------------

TOO_MUCH_BIAS = 0.02  # an entropy that was corrected by more is to be compared with care


def adversary_words(results):
    how = results.data["adversary"]
    items = [
        "It puts all members onto segments of the cloak, runs the method again, and compares "
        "the result with the cloak: "
        + ("1 if they are the same, 0 if not." if how["likeness"] == "exact" else
           "the part of the cloak’s segments that the traveller’s new cloak has.")
        + " The more alike they are with a traveller on a segment, the likelier the segment is.",
        f"Where there are no more than {how['max_placements']} such placements it tries them all, "
        f"at least {how['runs']} times each; elsewhere it draws {how['samples']} of them.",
        f"At each point of a figure it attacks up to {how['max_victims']} cloaks of each method."]
    if results.has_figure("entropy", "injected"):
        items.append(
            "Injected queries are its own: it asks near a victim just before the victim does, for "
            "as many users as it has there and one more, finds its queries among the members of "
            "the cloak, and leaves out whatever contradicts them.")
    if any(m["name"].endswith("-literal") for m in results.methods):
        items.append(
            "Of a baseline to the letter, whose cloaks have one member, "
            + ("it puts with every replay as many other travellers as its k wants onto segments of "
               "the cloak, by the traffic that it assumes, and none elsewhere."
               if how["others"] == "cloak" else
               "it knows how many travellers "
               "there are on the map, and with every replay puts them onto the roads around, as many "
               "on each as chance gives by the traffic that it assumes."))
    if results.has_figure("effective"):
        items.append(
            "Travellers who ask again are followed: it knows which cloaks are of one traveller, "
            "when they left and how fast a car can drive, and rules out what cannot be reached from "
            "where the traveller may have been.")
    traffic = ("How busy each segment is, as counted in the traffic of another seed."
               if how["knows_traffic"] else
               "Nothing about the traffic: all segments are equally busy to it.")
    return (
        "<p>An adversary that knows everything but the random numbers guesses on which segment of a "
        "cloak a traveller is. True positions are used only to score the guesses."
        "</p>\n<h3>What it knows</h3>\n<ul>\n"
        "<li>The cloak as the provider sees it; how many members it has and what they asked for "
        "(<i>k</i>, <i>l</i>, σ<sub>s</sub>, objects), but neither who asked for what nor who came "
        "first.</li>\n<li>The map, and the method with all its parameters and costs.</li>\n"
        f"<li>{traffic}</li>\n</ul>\n<h3>How it guesses</h3>\n<ul>\n"
        + "".join(f"<li>{item}</li>\n" for item in items) + "</ul>\n")


def warning_of_few_replays(results):
    """Which methods cannot be judged by so few replays."""
    added = [f"{short_number(m['entropy_correction'])} ({text(m['title'])})"
             for m in results.methods if m["entropy_correction"] > TOO_MUCH_BIAS]
    if not added:
        return ""
    return (f'<p class="note">Few replays: entropy was corrected upwards by about '
            f"{', '.join(added)}, as a mean over all points. What is said of it may change with "
            "more samples.</p>\n")


def attack_section(results):
    content = adversary_words(results)
    names = [item["name"] for item in results.data["maps"]]
    if results.has_figure("entropy"):
        content += (
            "<h3>One cloak</h3>\n"
            "<p>Entropy is 1 where all segments of a cloak are alike to the adversary, and 0 where "
            "it is sure. Its error is the standard error for one cloak. Too few replays make it "
            "look lower than it is: by about its bias, which has been corrected. Rank 1 is the "
            "likeliest segment; a blind guess gives the middle one. Enumerated: cloaks of which "
            "all placements were tried. Unexplained: cloaks that no replay came near, so that "
            "the adversary learns nothing.</p>\n")
        content += warning_of_few_replays(results)
        values = results.axis("injected")["values"]
        most = values[-1] if values else 0
        for name in names:
            content += measure_table(results, "attacked", name, ATTACKED_COLUMNS,
                                     ", nothing injected")
            content += measure_table(
                results, "injected", name, ATTACKED_COLUMNS,
                f", {most:g} quer{'ies' if most > 1 else 'y'} injected for each victim")
    if results.has_figure("effective"):
        content += (
            "<h3>One cloak after the other</h3>\n"
            '<p>The <a href="#effective">figures</a> show how many segments are left. This is how '
            "likely the adversary considers the one where the traveller really is.</p>\n")
        for name in names:
            content += measure_table(results, "followed", name, FOLLOWED_COLUMNS,
                                     ", the true segment, cloak by cloak")
    return section("attack", "What an adversary learns", content)


def has_attack(results):
    return results.has_figure("entropy") or results.has_figure("effective")


# --- Figures in the page -------------------------------------------------------------------------

ABOUT_METRICS = {
    "success": "Queries that got a cloak in time, of all that were admitted. Higher is better.",
    "throughput":
        "Queries that the method admits and handles in a second of CPU time, times its success "
        "rate. Measured. Higher is better; the axis is logarithmic.",
    "anonymization": "How long a query waits for its cloak, of those that got one. Lower is "
                     "better.",
    "processing": "CPU time that the provider takes for a cloaked query; from every method it gets "
                  "the same number of cloaks. Measured. Lower is better.",
    "candidates": "Objects that the provider sends back for a query. Lower is better.",
    "entropy":
        "How unsure an adversary is that replays the method many times: the entropy of its belief "
        "about the segment that a traveller is on, divided by its maximum, log2 of the "
        "number of segments. Higher is better; 1 is a blind guess. Too few replays make it look "
        'lower than it is, which is corrected as far as possible: <a href="#attack">how many '
        "there were, and how far off the numbers may be</a>.",
    "effective":
        "How many equally likely segments would leave an adversary as unsure as it is, after it "
        "has linked the first, second, ... cloak of a traveller who asks again on the way: "
        "segments of the next cloak count only as far as they can be reached from those of the one "
        "before. Higher is better; larger cloaks begin with more. The paper has no such figure and "
        "claims nothing of it.",
}


def numbers_of(figure, results):
    head = "".join(f'<th scope="col" class="n">{text(m["title"])}</th>' for m in results.methods)
    rows = ""
    for value in figure.axis["values"]:
        cells = "".join(f'<td class="n">{figure.at(m, value).text(figure.metric["most"])}</td>'
                        for m in results.methods)
        rows += f'<tr><th scope="row">{value:g}</th>{cells}</tr>\n'
    return (f'<details><summary>Numbers</summary><div class="wide"><table><caption>'
            f'{text(figure.title())}</caption>\n<thead><tr><th scope="col">{symbol(figure.axis)}'
            f"</th>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></details>\n")


def figure_block(figure, results):
    caption = text(figure.title())
    seeds = results.data["seeds"]["count"]
    if not figure.has_values(results.methods):
        caption += ". There are no numbers: " + (
            "no traveller had enough cloaks to be followed" if figure.metric["name"] == "effective"
            else "nothing was cloaked")
    elif seeds > 1:
        caption += f". Means of {seeds} seeds, with 95 % intervals"
    if figure.drawing and not figure.metric["logarithmic"]:
        start = vertical_axis(figure, results.methods)[0]
        if start > 0:
            caption += f". The vertical axis begins at {start:g}, not at 0"
    links = f'<a href="{figure.stem}.csv">CSV</a>'
    if figure.drawing:
        links += f' <a href="{figure.stem}.svg">SVG</a>'
    return (f"<figure>\n{figure.drawing or ''}\n<figcaption>{caption}. {links}</figcaption>\n"
            f"{numbers_of(figure, results)}</figure>\n")


def figures_section(results, with_plots):
    content = ""
    if not with_plots:
        content += '<p class="note">Plots were left out, as requested.</p>\n'
    before = None
    for figure in results.figures:
        is_metric = before is None or before.metric is not figure.metric
        is_map = is_metric or before.map != figure.map
        if before and is_map:
            content += "</div>\n"
        if is_metric:
            name = figure.metric["name"]
            content += (f'<h3 id="{name}">{text(figure.metric["title"])}</h3>\n'
                        f"<p>{ABOUT_METRICS.get(name, '')}</p>\n")
        if is_map:
            content += f'<h4>{text(figure.map)}</h4>\n<div class="grid">\n'
        content += figure_block(figure, results)
        before = figure
    return section("figures", "Figures", content + ("</div>\n" if before else ""))


# --- What was run --------------------------------------------------------------------------------

ABOUT_METHODS = {
    "basic": "basic StarCloak: the first other queries that suffice, as soon as there are some",
    "hybrid": "bounded while there is time, basic when a deadline is near",
    "bounded": "spatially bounded: other queries are searched for level by level, without a gap",
    "strict": "bounded, with every member near another",
    "xstar": "XStar, reconstructed from its publication: whole stars, growing together",
    "sampling": "baseline: segments around the query, drawn at random",
    "expansion": "baseline: segments around the query, the nearest first",
    "patient": "StarCloak, at both ends of a road, the most urgent first, with a crowd to choose from",
    "sampling-literal": "baseline to the letter: the same roads, but a query is cloaked alone and "
                        "at once, and <i>k</i> counts all travellers on them; nothing is promised",
    "expansion-literal": "baseline to the letter: as the one before, the nearest roads first",
}

NEEDS = {
    "k": "users in a cloak, at least",
    "l": "segments in a cloak, at least",
    "sigma_s": "how far a cloak may reach",
    "sigma_t": "how late it may come",
    "nearest": "objects asked for",
}


def course(data):
    first, count = data["seeds"]["first"], data["seeds"]["count"]
    travellers = data["travellers"]
    items = [
        f"{travellers} traveller{' was' if travellers == 1 else 's were'} asked for on each map; "
        f"how many there were is in the table. Queries are counted for {data['counted_s']:g} s after "
        f"a warm-up of {data['warm_up_s']:g} s, in virtual time.",
        "Closed loop: each method serves travellers of its own, who ask again a pause after each "
        "outcome." if data["closed"] else
        "One stream for all: the queries of travellers that basic StarCloak serves are recorded, "
        "and every method gets this stream.",
        f"At each point every method sends the same number of cloaks to the provider, "
        f"{data['max_cloaks']} at most, which "
        + ("answers from its index." if data["indexed"] else
           "searches the roads from their border nodes."),
        f"Seeds {first} to {first + count - 1}. Numbers are means over them, ± half of the 95 % "
        "interval (Student’s t)." if count > 1 else
        f"One seed, {first}: there are no intervals.",
        "Throughput, CPU and query processing times are measured. Everything else follows from the "
        "seeds and is the same on every machine."]
    return "<ul>\n" + "".join(f"<li>{item}</li>\n" for item in items) + "</ul>\n"


def movement(item):
    if item["movement"] == "walk":
        return "turns at random at every intersection"
    if item["movement"] == "trips":
        return f"trips by the fastest route, {100 * item['truck_share']:g} % of them by truck"
    windows = f", in windows of {item['fold_s']:g} s" if item["fold_s"] > 0 else ""
    tracks = item["tracks"]
    return f"recorded: {tracks} track{plural(tracks)}, {item['fixes']} fixes{windows}"


def crowd_cells(item, asked):
    """How many travellers, how many they were to be, and how many for each star."""
    if item["travellers"] is None:
        return '<td class="n">–</td><td class="n">–</td>'
    least, most = item["travellers"]["least"], item["travellers"]["most"]
    stars = item["stars"] or math.inf
    count, density = f"{least}", f"{least / stars:.3g}"
    if most > least:
        count, density = f"{least} to {most}", f"{density} to {most / stars:.3g}"
    if least < asked:
        count += f' <span class="u">{asked} asked for</span>'
    return f'<td class="n">{count}</td><td class="n">{density}</td>'


def maps_table(data):
    rows = ""
    for item in data["maps"]:
        counts = "".join(f'<td class="n">{item[name]}</td>'
                         for name in ("nodes", "edges", "segments", "stars"))
        rows += (f'<tr><th scope="row">{text(item["name"])}</th>{counts}'
                 f'<td class="n">{item["objects"] or "none"}</td>'
                 f'{crowd_cells(item, data["travellers"])}<td>{movement(item)}</td>'
                 f'<td><code>{text(item["checksum"])}</code></td></tr>\n')
    numeric = "".join(f'<th scope="col" class="n">{name}</th>' for name in (
        "Nodes", "Edges", "Segments", "Stars", "Objects", "Travellers", "Travellers per star"))
    return ('<div class="wide"><table><caption>Maps</caption>\n<thead><tr><th scope="col">Map</th>'
            f'{numeric}<th scope="col">Movement</th><th scope="col">Checksum</th></tr></thead>\n'
            f"<tbody>\n{rows}</tbody></table></div>\n")


def methods_table(results):
    rows = "".join(
        f"<tr>{method_cell(m)}<td><code>{text(m['name'])}</code></td>"
        f"<td>{ABOUT_METHODS.get(m['name'], '')}</td></tr>\n" for m in results.methods)
    return ('<div class="wide"><table><caption>Methods</caption>\n<tbody>\n'
            f"{rows}</tbody></table></div>\n")


def spread_cells(spread, unit):
    low, high = ("unbounded" if spread[end] is None else f"{spread[end]:g}"
                 for end in ("min", "max"))
    return (f'<td class="n">{spread["mean"]:g}</td><td class="n">{spread["deviation"]:g}</td>'
            f'<td class="n">{low} to {high}</td><td>{text(unit)}</td>')


def needs_table(data):
    rows = ""
    for axis in data["axes"]:
        if "need" not in axis:
            continue
        values = ", ".join(f"{v:g}" for v in axis["values"]) if axis["varied"] else "not varied"
        rows += (f'<tr><th scope="row">{symbol(axis)}, {NEEDS.get(axis["name"], "")}</th>'
                 f'{spread_cells(axis["need"], axis["unit"])}<td>{values}</td></tr>\n')
    rows += ('<tr><th scope="row">Pause from an outcome to the next query</th>'
             f'{spread_cells(data["pause_s"], "s")}<td>not varied</td></tr>\n')
    return ('<div class="wide"><table><caption>What travellers ask for: drawn for each query from '
            "normal distributions, counts rounded, values outside moved to the nearest end"
            '</caption>\n<thead><tr><th scope="col">Need</th><th scope="col" class="n">Mean</th>'
            '<th scope="col" class="n">Deviation</th><th scope="col" class="n">Within</th>'
            '<th scope="col">Unit</th><th scope="col">Means in the figures</th></tr></thead>\n'
            f"<tbody>\n{rows}</tbody></table></div>\n")


def machine_table(machine):
    rows = [("Processor", machine["processor"]), ("Cores", machine["cores"]),
            ("Memory", f"{machine['memory_gib']:.1f} GiB")]
    if "system" in machine:
        rows.append(("System", machine["system"]))
    rows.append(("Compiler", machine["compiler"]))
    body = "".join(f'<tr><th scope="row">{name}</th><td>{text(value)}</td></tr>\n'
                   for name, value in rows)
    return ('<div class="wide"><table><caption>The machine</caption>\n<tbody>\n'
            f"{body}</tbody></table></div>\n")


def setup_section(results):
    data = results.data
    return section("setup", "What was run",
                   course(data) + maps_table(data) + methods_table(results) + needs_table(data)
                   + machine_table(data["machine"]))


def repeat_section(data):
    first, count = data["seeds"]["first"], data["seeds"]["count"]
    if data["command"] is not None:
        content = f"<pre><code>{text(data['command'])}</code></pre>\n"
    else:
        content = ("<p>Run <code>starcloak experiment</code> with the maps, needs and seeds above."
                   "</p>\n")
    seeds = f"the seed {first}" if count == 1 else f"seeds ({count} from {first} on)"
    return section("repeat", "Repeat it", content + (
        f"<p>With the same maps and {seeds} everything is the same except what is measured, "
        'for any number of cores. Every point and method is in <a href="points.csv">'
        "points.csv</a>; columns that end in <code>_measured</code> come from CPU time.</p>\n"))


# --- The page ------------------------------------------------------------------------------------

# For screens large and small, light and dark, and for paper. No '<' and no '&': the page is XML.
STYLE = """\
:root{--ink:#1c2430;--soft:#5a6676;--paper:#fdfdfc;--panel:#f3f5f7;--line:#d5dbe2;--link:#0b5cad;
--good:#0f6b3f;--good-bg:#dff3e7;--bad:#a32018;--bad-bg:#fbe3e0;--part:#7a5200;--part-bg:#fbf0d3;
--none:#5a6676;--none-bg:#e9edf1;color-scheme:light dark}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#a3afbd;--paper:#14181d;
--panel:#1d232a;--line:#343d48;--link:#7db8f5;--good:#8fdcb0;--good-bg:#16382a;--bad:#ffb3aa;
--bad-bg:#4a1f1b;--part:#f3cf7f;--part-bg:#40320f;--none:#a3afbd;--none-bg:#2a323b}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}
header,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.45rem;margin:3rem 0 .75rem;padding-bottom:.3rem;border-bottom:2px solid var(--line)}
h3{font-size:1.15rem;margin:2rem 0 .5rem}
h4{font-size:1rem;margin:1.25rem 0 .5rem;color:var(--soft)}
p,ul,ol{max-width:46rem}
a{color:var(--link)}
.lead{font-size:1.1rem;color:var(--soft)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;margin:1rem 0 0;
padding:.6rem 0;border-block:1px solid var(--line);max-width:none}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.25rem 0 .5rem}
th,td{padding:.35rem .65rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{background:var(--panel);border-bottom:2px solid var(--line);vertical-align:bottom}
th[scope=row]{font-weight:500;white-space:nowrap}
td.n,th.n{text-align:right;padding-inline:.4rem}
td.n{white-space:nowrap}
.u{display:block;font-weight:400;color:var(--soft);font-size:.85em}
.words{min-width:16rem}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.45em;
border:1px solid rgba(128,128,128,.5)}
.v{display:inline-block;padding:.05rem .5rem;border-radius:.6rem;white-space:nowrap;font-size:.88em;
font-weight:600}
.holds{color:var(--good);background:var(--good-bg)}
.fails{color:var(--bad);background:var(--bad-bg)}
.part{color:var(--part);background:var(--part-bg)}
.untold{color:var(--none);background:var(--none-bg)}
.tiles{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0}
.tiles p{margin:0;padding:.6rem 1rem;border-radius:.6rem;min-width:8rem}
.tiles strong{display:block;font-size:1.7rem;line-height:1.2}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1.25rem}
figure{margin:0;border:1px solid var(--line);border-radius:.6rem;overflow:hidden;
background:var(--panel);break-inside:avoid}
figure svg{display:block;width:100%;height:auto;background:#fff}
figcaption{padding:.6rem .9rem;font-size:.9rem}
figcaption a{white-space:nowrap}
figure details{padding:0 .9rem .6rem;font-size:.9rem}
details{margin:.6rem 0}
summary{cursor:pointer;font-weight:600}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;
overflow-x:auto}
.note{background:var(--part-bg);color:var(--part);padding:.7rem 1rem;border-radius:.5rem}
footer{margin-top:3rem;padding-bottom:2.5rem;color:var(--soft);font-size:.9rem}
@media print{:root{color-scheme:light}body{font-size:10pt}nav{display:none}.wide{overflow:visible}
.grid{grid-template-columns:1fr 1fr;gap:.5rem}h2,h3,h4{break-after:avoid}tr{break-inside:avoid}
details::details-content{content-visibility:visible;display:block}figure details{display:none}}
"""


def header(results):
    data = results.data
    links = [("summary", "Default setting"), ("claims", "Claims")]
    if has_attack(results):
        links.append(("attack", "Attacks"))
    links.append(("figures", "Figures"))
    for figure in results.figures:
        link = (figure.metric["name"], figure.metric["title"])
        if link not in links:
            links.append(link)
    links += [("setup", "What was run"), ("repeat", "Repeat it")]
    items = "".join(f'<li><a href="#{name}">{text(title)}</a></li>\n' for name, title in links)
    version = "" if data["version"] is None else " " + text(data["version"])
    points, count = data["points"], len(results.figures)
    return ("<header>\n<h1>Hiding travellers on roads: the methods compared</h1>\n"
            f'<p class="lead">An experiment of StarCloak{version} on {names_of_maps(data)}: '
            f"{points} point{plural(points)}, {count} figure{plural(count)}.</p>\n"
            f'<nav aria-label="Sections"><ul>\n{items}</ul></nav>\n</header>\n')


def names_of_maps(data):
    return text(listed([item["name"] for item in data["maps"]]))


def page(results, with_plots):
    return (
        '<!DOCTYPE html>\n<html lang="en" xmlns="http://www.w3.org/1999/xhtml">\n<head>\n'
        '<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        '<meta name="color-scheme" content="light dark"/>\n'
        f"<title>StarCloak: experiment on {names_of_maps(results.data)}</title>\n"
        f"<style>\n{STYLE}</style>\n</head>\n<body>\n{header(results)}<main>\n"
        + default_section(results) + claims_section(results)
        + (attack_section(results) if has_attack(results) else "")
        + figures_section(results, with_plots) + setup_section(results)
        + repeat_section(results.data)
        + "</main>\n<footer><p>Made by <code>starcloak experiment</code> and <code>"
        f"{NAME}</code>.</p></footer>\n</body>\n</html>\n")


# --- Writing -------------------------------------------------------------------------------------

def write(path, content):
    """The file appears whole or not at all."""
    temporary = None
    try:
        folder = os.path.dirname(path) or "."
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", delete=False,
                                         dir=folder, prefix=".report-") as file:
            temporary = file.name
            file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(file.fileno(), 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise Failure(f"{path}: cannot write: {error.strerror}") from None


def write_all(folder, results, with_plots):
    """The plots, then the page; tells how many plots there are."""
    count = 0
    if with_plots:
        draw_all(results)
    for figure in results.figures:
        if figure.drawing:
            write(os.path.join(folder, figure.stem + ".svg"),
                  f'<?xml version="1.0" encoding="utf-8"?>\n{figure.drawing}\n')
            count += 1
    write(os.path.join(folder, "report.html"), page(results, with_plots))
    return count


def main():
    parser = argparse.ArgumentParser(
        prog=NAME, description="Draw the figures of an experiment and write its report, from the "
        "CSV and JSON files that 'starcloak experiment -o FOLDER' leaves.",
        epilog="MAP-METRIC-AXIS.svg and report.html are written into the same folder. Exit status: "
        "0 done, 1 something is missing or damaged, 2 usage.")
    parser.add_argument("folder", metavar="FOLDER", help="what 'starcloak experiment' wrote")
    parser.add_argument("--no-plots", action="store_true",
                        help="write the report without plots; matplotlib is not needed then")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    options = parser.parse_args()
    try:
        results = Results(options.folder)
        count = write_all(options.folder, results, not options.no_plots)
    except Failure as failure:
        print(f"{NAME}: {NO_CHARACTER.sub('?', str(failure))}", file=sys.stderr)
        return 1
    if not options.quiet:
        print(f"{os.path.join(options.folder, 'report.html')}: {len(results.figures)} "
              f"figure{plural(len(results.figures))}, {count} plot{plural(count)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
