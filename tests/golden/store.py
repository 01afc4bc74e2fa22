"""Stored files: compare a text with the one of its name, or store it; TAP as the result."""
import difflib
import hashlib
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected"
ACTUAL = HERE.parent.parent / "build" / "golden"  # what differed, for a closer look
DIFF_LINES = 60


def digest(data, head=12):
    """A large text or file in short: size, SHA-256, and how it begins."""
    if isinstance(data, str):
        data = data.encode()
    lines = [f"bytes {len(data)}", f"sha256 {hashlib.sha256(data).hexdigest()}"]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "\n".join(lines) + "\n" + hexdump(data[: 16 * head])
    return "\n".join(lines + text.splitlines()[:head]) + "\n"


def hexdump(data):
    """Bytes as lines of 16, with their offsets and letters."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        letters = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
        lines.append(f"{at:06x}  {row.hex(' '):<47}  {letters}\n")
    return "".join(lines)


class Store:
    """Texts by name, from any thread; compared and told in the order of their names at the end."""

    def __init__(self, is_update, words):
        self.is_update = is_update
        self.words = words
        self.texts = {}
        self.skipped = {}
        self.failures = {}  # why, by name

    def put(self, name, text):
        """`text` is to be the same as expected/NAME."""
        if name in self.texts:
            raise ValueError(f"{name} is put twice")
        self.texts[name] = text

    def skip(self, names, reason):
        """Files that cannot be compared here."""
        self.skipped.update((name, reason) for name in names)

    def fail(self, name, reason):
        self.failures[name] = reason

    def is_wanted(self, name):
        return not self.words or any(word in name for word in self.words)

    def finish(self):
        """Compare or store; print TAP; the exit status."""
        for name, text in self.texts.items():
            if self.is_wanted(name):
                self.settle(name, text)
        if not self.words:
            self.settle_left_over()
        names = sorted({*filter(self.is_wanted, [*self.texts, *self.skipped]), *self.failures})
        for number, name in enumerate(names, 1):
            if name in self.failures:
                print(f"not ok {number} - {name}")
                for line in self.failures[name].splitlines():
                    print("# " + line[:300])
            else:
                reason = self.skipped.get(name)
                print(f"ok {number} - {name}" + (f" # SKIP {reason}" if reason else ""))
        print(f"1..{len(names)}")
        return 1 if self.failures or not names else 0

    def settle(self, name, text):
        path = EXPECTED / name
        wanted = path.read_text() if path.exists() else None
        if wanted == text:
            return
        if self.is_update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"# stored {name}")
        elif wanted is None:
            self.fail(name, "is not stored; tests/golden/run --update stores it")
        else:
            self.fail(name, difference(name, wanted, text))

    def settle_left_over(self):
        """Stored files that no test produces are left over from one that is gone."""
        stored = {str(path.relative_to(EXPECTED)) for path in EXPECTED.rglob("*") if path.is_file()}
        for name in stored - {*self.texts, *self.skipped}:
            if name.startswith("bytes/"):
                continue  # of the unit tests, see README.md
            if self.is_update and not self.failures:
                (EXPECTED / name).unlink()
                print(f"# removed {name}")
            else:
                self.fail(name, "is stored, but no test produced it")


def difference(name, wanted, got):
    """The lines that differ; the whole text is kept for a closer look."""
    actual = ACTUAL / name
    actual.parent.mkdir(parents=True, exist_ok=True)
    actual.write_text(got)
    lines = list(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "expected/" + name,
                                      "build/golden/" + name, n=2, lineterm=""))
    if len(lines) > DIFF_LINES:
        lines[DIFF_LINES:] = [f"... and {len(lines) - DIFF_LINES} lines more"]
    return "\n".join(lines)
