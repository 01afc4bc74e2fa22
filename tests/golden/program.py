"""The program under test: a folder to work in, runs with their transcripts, and servers.

Names of files are relative to that folder, so that no message has a path of this machine.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "data"
PATIENCE_S = 60  # for what must come; a slow machine only waits longer


def mask_numbers(text, *keys):
    """The numbers of these JSON keys become "~": times, and what follows from them."""
    names = "|".join(keys)
    return re.sub(rf'"({names})"(\s*:\s*)-?[0-9][-+.0-9eE]*', r'"\1"\2"~"', text)


def short_times(text):
    """Reports for people, without the time that the work took."""
    text = re.sub(r"(?m)^( *(CPU )?time +)[0-9.]+ (s|ms|us)\b", r"\1~ s", text)
    text = re.sub(r"[0-9.]+ MB/s\b", "~ MB/s", text)
    return re.sub(r"\b(replays in|after) [0-9.]+ (s|ms)\b", r"\1 ~ \2", text)


def mask_random(text):
    """Tokens, serials and moments, which are different each time."""
    text = re.sub(r"sct1_[A-Za-z0-9_-]+", "<token>", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( UTC|Z)?", "<time>", text)
    text = re.sub(r"\bin \d+ (days|hours|minutes)\b", r"in ~ \1", text)
    text = re.sub(r'("serial": ?")[0-9a-f]{16}', r"\1<serial>", text)
    return re.sub(r"(serial +)[0-9a-f]{16}", r"\1<serial>", text)


class Server:
    """A process that listens; its log is a file."""

    def __init__(self, command, cwd, env, log):
        self.log = pathlib.Path(cwd) / log
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=subprocess.STDOUT)

    def wait_for(self, pattern):
        """The first match of a pattern in its log, once it is there."""
        end = time.monotonic() + PATIENCE_S
        while True:
            has_ended = self.process.poll() is not None
            text = self.log.read_text(errors="replace")
            match = re.search(pattern, text)
            if match:
                return match
            if has_ended or time.monotonic() > end:
                raise RuntimeError(f"{self.log.name} never has {pattern}:\n{text[-2000:]}")
            time.sleep(0.02)

    def address(self):
        self.wait_for(r"event=ready")
        return self.wait_for(r"event=listening.* address=(\S+)").group(1)

    def stop(self):
        """Its exit status, after SIGTERM."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Program:
    def __init__(self):
        self.path = os.path.abspath(os.environ.get("STARCLOAK") or REPOSITORY / "build/starcloak")
        self.servers = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="starcloak-golden."))
        self.folder.chmod(0o755)
        self.env = {name: value for name, value in os.environ.items()
                    if name not in ("COLUMNS", "NO_COLOR") and not name.lower().endswith("_proxy")}
        self.env.update(LC_ALL="C", TZ="UTC", HOME=str(self.folder))
        # A sanitizer must not take its report for one of the program's own exit statuses.
        self.env["ASAN_OPTIONS"] = "exitcode=99:" + os.environ.get("ASAN_OPTIONS", "")
        self.env["UBSAN_OPTIONS"] = "exitcode=99:" + os.environ.get("UBSAN_OPTIONS", "")
        for path in DATA.iterdir():
            shutil.copytree(path, self.folder / path.name)
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, stdin=""):
        """Run it to its end: exit status, standard output, standard error."""
        done = subprocess.run([self.path, *arguments], cwd=self.folder, env=self.env,
                              input=stdin.encode(), capture_output=True, timeout=300)
        return done.returncode, done.stdout.decode(errors="backslashreplace"), done.stderr.decode(
            errors="backslashreplace")

    def must(self, *arguments):
        """Run it, and be sure that it succeeds; its standard output."""
        code, out, err = self.run(*arguments)
        if code != 0:
            raise RuntimeError(f"starcloak {' '.join(arguments)} ended with {code}: {err}")
        return out

    def transcript(self, line, stdin="", mask=lambda text: text):
        """A command line as one would type it, with all that came of it."""
        code, out, err = self.run(*split(line), stdin=stdin)
        parts = [f"$ starcloak {line}\n"]
        for prefix, text in (("", out), ("! ", err)):
            parts += [prefix + row + "\n" for row in mask(text).splitlines()]
        return "".join(parts) + f"=> {code}\n\n"

    def transcripts(self, lines, mask=lambda text: text):
        return "".join(self.transcript(line.strip(), mask=mask)
                       for line in lines.splitlines() if line.strip())

    def start(self, name, *arguments):
        return self.start_other(name, self.path, *arguments)

    def start_other(self, name, *command):
        server = Server(command, self.folder, self.env, name + ".log")
        self.servers.append(server)
        return server

    def file(self, name):
        return self.folder / name

    def write(self, name, text):
        self.file(name).write_text(text)


def split(line):
    """Words of a command line; '' is an empty one. No other quotes."""
    return ["" if word == "''" else word for word in line.split()]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
