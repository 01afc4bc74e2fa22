#!/usr/bin/env python3
"""Runs the scenarios of scenarios.jsonl with all clients against a real service, and prints TAP.

usage: run.py STARCLOAK DRIVERS [--lease S] [--only TEXT]
  DRIVERS   a JSON file: for each language the command of its driver, as {"python": ["python3", "driver.py"]}
  --lease   of the service, in seconds; cuts and waiting times are in proportion (default 4)
  --only    only scenarios whose name has this text
  --scenarios  another file of them
  --company  how many other travellers there are (default 150)

All clients carry out each step at the same time, so that one cut is for all of them. Scenarios of the
other service, whose line is never cut, are played meanwhile by other processes. In the end the outcomes that the clients saw, with those of the company (`starcloak load`), must be those that the
service counted. README.md has the steps.
"""

import argparse
import collections
import concurrent.futures
import getpass
import json
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from lines import SERVICE, Lines, NoLines

HERE = pathlib.Path(__file__).resolve().parent
# How long anything may take that should have happened, on a machine that is busy with other things.
PATIENCE_S = 120
EDGE = {"edge": 17, "offset_m": 1.0}
# In degrees far from any road of the city.
SEA = {"lon": 0.0, "lat": 0.0}
CLIENTS = {
    "ann": {"user": "ann"},
    "bob": {"user": "bob"},
    "hasty ann": {"user": "ann", "options": {"patience_s": 0}},
    "stranger": {"tokens": ["sct1_bm9ib2R5"]},
    "renewing": {"user": "ron", "before": ["sct1_bm9ib2R5"]},
}


def queries(lease_s):
    """Near: others are there. Lonely, long, absent, longer: nobody has such company; they wait for that long."""
    knn = {"type": "knn", "k": 3}
    alone = {"k": 100, "l": 1, "max_hops": 1}
    return {
        "near": {"position": EDGE, "profile": {"k": 2, "l": 1, "max_wait_s": 2 * lease_s}, "request": knn},
        "lonely": {"position": EDGE, "profile": {**alone, "max_wait_s": 1.5}, "request": knn},
        "long": {"position": EDGE, "profile": {**alone, "max_wait_s": 1.2 * lease_s}, "request": knn},
        # A client that is gone has its query withdrawn after a lease and a half, before this drops it.
        "absent": {"position": EDGE, "profile": {**alone, "max_wait_s": 2 * lease_s}, "request": knn},
        "longer": {"position": EDGE, "profile": {**alone, "max_wait_s": 3 * lease_s}, "request": knn},
        "greedy": {"position": EDGE, "profile": {"k": 1000000}, "request": knn},
        "at sea": {"position": SEA, "request": knn},
    }


class Tap:
    """Counts checks and prints them."""

    def __init__(self):
        self.count = 0
        self.failed = 0
        self.lock = threading.Lock()

    def check(self, sentence, wrong, more=""):
        with self.lock:
            self.count += 1
            self.failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {self.count} - {sentence}{more}", flush=True)
            for line in wrong:
                print(f"# {line}", flush=True)

    def skip(self, sentence, why):
        self.check(sentence, [], f" # SKIP {why}")


def until(condition, what):
    """Wait for what must happen."""
    for _ in range(PATIENCE_S * 20):
        if condition():
            return
        time.sleep(0.05)
    raise RuntimeError(f"it did not come to that: {what}")


class Process:
    """A program in the background, with its log. None outlives the script."""

    started_all = []

    def __init__(self, folder, name, command):
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self.started = len(self.text())
            self.running = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, cwd=folder, text=True
            )
        self.started_all.append(self)

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def listens(self):
        until(lambda: "event=listening" in self.text()[self.started :] or self.running.poll() is not None, "listening")
        if self.running.poll() is not None:
            raise RuntimeError(f"{self.running.args} ended:\n{self.text()}")

    def end(self, how=signal.SIGKILL):
        if self.running.poll() is None:
            self.running.send_signal(how)
        out, _ = self.running.communicate(timeout=PATIENCE_S)
        return out

    @classmethod
    def end_all(cls):
        for process in cls.started_all:
            process.running.kill()
            process.running.wait()


class Service:
    """`starcloak serve` with a provider of its own, in the service's namespace."""

    def __init__(self, stage, name, port):
        self.stage, self.name, self.port = stage, name, port
        self.host = SERVICE if stage.has_lines else "127.0.0.1"
        self.url = f"http://{self.host}:{port}"
        # The proxy of breaking_proxy.py comes in by loopback.
        self.listen = ",".join(dict.fromkeys([f"{self.host}:{port}", f"127.0.0.1:{port}"]))
        self.inside = stage.lines.inside("service")
        self.provider = None
        self.provider_up()
        self.start()
        self.proxy_url = f"http://{self.host}:{port + 3}"
        proxy = [sys.executable, str(HERE / "breaking_proxy.py"), self.host, str(port + 3), str(port)]
        self.proxy = Process(stage.folder, f"{name}-proxy", [*self.inside, *proxy])
        self.proxy.listens()

    def provider_up(self):
        command = [self.stage.program, "lbs", "city.scm", "--listen", f"127.0.0.1:{self.port + 1}"]
        self.provider = Process(self.stage.folder, f"{self.name}-provider", [*self.inside, *command])
        self.provider.listens()

    def start(self):
        command = [
            *(self.stage.program, "serve", "city.scm", "--listen", self.listen),
            *("--admin", f"127.0.0.1:{self.port + 2}", "--user", getpass.getuser()),
            *("--provider", f"http://127.0.0.1:{self.port + 1}", "--token-keys", "keys", "--crowd", "1"),
            *("--user-rate", "0", "--address-rate", "0", "--user-cost", "0", "--user-waiting", "0"),
            *("--lease", str(self.stage.lease_s), "--max-wait", "60"),
        ]
        self.process = Process(self.stage.folder, self.name, [*self.inside, *command])
        self.process.listens()

    def metrics(self):
        out = subprocess.run(
            [*self.inside, "curl", "-s", f"http://127.0.0.1:{self.port + 2}/metrics"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        return {key: float(value) for key, value in re.findall(r"^(\S+) (\S+)$", out, re.M) if key != "#"}

    def outcomes(self):
        """How many queries ended how."""
        counts = collections.Counter()
        for key, value in self.metrics().items():
            if match := re.match(r'starcloak_queries_total\{outcome="(\w+)"', key):
                counts[match.group(1)] += int(value)
        return counts

    def pending(self):
        return int(self.metrics().get("starcloak_pending", -1))


class Driver:
    """One language's client, as a process that carries out commands."""

    def __init__(self, stage, language, command, where):
        self.stage, self.language = stage, language
        self.command = [*stage.lines.inside(where), *command]
        self.numbers = iter(range(1 << 30))
        self.texts = []
        self.start()

    def start(self):
        self.arrived = {}
        self.changed = threading.Condition()
        self.running = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        threading.Thread(target=self.read, args=(self.running, self.arrived), daemon=True).start()

    def read(self, running, arrived):
        for text in running.stdout:
            line = json.loads(text)
            with self.changed:
                arrived[line["n"]] = (line, time.monotonic())
                self.changed.notify_all()

    def send(self, **command):
        number = next(self.numbers)
        self.running.stdin.write(json.dumps({"n": number, **command}) + "\n")
        return number

    def result(self, number):
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.arrived, PATIENCE_S):
                raise RuntimeError(f"{self.language}: no result")
            line, _ = self.arrived[number]
        self.texts.append(line.get("text", ""))
        return line

    def end(self):
        self.running.kill()
        self.running.wait()


class Stage:
    """Where scenarios run: namespaces, services, company, drivers; and what became of each query."""

    def __init__(self, program, drivers, lines, lease_s, folder):
        self.program, self.lines, self.lease_s, self.folder = program, lines, lease_s, folder
        self.has_lines = isinstance(lines, Lines)
        self.queries = queries(lease_s)
        self.run("map", "generate", "--nodes", "600", "--seed", "7", "-o", "city.scm", "--quiet")
        self.run("token", "key", "keys")
        self.services = {name: Service(self, name, self.free_port()) for name in ("main", "other")}
        self.drivers = {
            service: {name: Driver(self, name, command, where) for name, command in drivers.items()}
            for service, where in (("main", "phone"), ("other", "service"))
        }
        self.tokens = {}
        # (service, outcome) of each query that a service accepted.
        self.seen = collections.Counter()

    def run(self, *words):
        return subprocess.run(
            [self.program, *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def free_port(self):
        """The first of four that follow each other, below those that connections are given by chance."""
        if self.has_lines:
            return 18400 + 10 * len(Process.started_all)
        while True:
            first = random.randrange(10000, 30000)
            try:
                for port in range(first, first + 4):
                    socket.create_server(("127.0.0.1", port)).close()
                return first
            except OSError:
                pass

    def token(self, user):
        if user not in self.tokens:
            self.tokens[user] = self.run("token", "issue", "--key", "keys", "--user", user)
        return self.tokens[user]

    def introduce(self, driver, service, language=None, via=None):
        """Make the clients of a driver, for the users of a language: its own, or another's."""
        language = language or driver.language
        for name, client in CLIENTS.items():
            own = [self.token(f"{language}-{client['user']}")] if "user" in client else []
            tokens = client.get("before", []) + client.get("tokens", []) + own
            # With a lease of 15 s these are the clients' defaults.
            scale = self.lease_s / 15
            options = {"patience_s": 20, "margin_s": 5 * scale, "provider_s": 15 * scale, **client.get("options", {})}
            name = name if language == driver.language else f"{name} of {language}"
            url = f"{self.services[service].proxy_url}/{via}" if via else self.services[service].url
            number = driver.send(do="client", client=name, url=url, tokens=tokens, options=options)
            driver.result(number)

    def end(self):
        for drivers in self.drivers.values():
            for driver in drivers.values():
                driver.end()


class Scenario:
    """One line of scenarios.jsonl, for all drivers side by side."""

    def __init__(self, stage, told):
        self.stage, self.told = stage, told
        self.where = told.get("service", "main")
        self.service = stage.services[self.where]
        self.drivers = stage.drivers[self.where]
        self.results = collections.defaultdict(dict)
        self.background = {}
        self.wrong = {language: [] for language in self.drivers}
        self.started = {}
        # When the line came back, or the address changed.
        self.back_at = None

    def play(self):
        for driver in self.drivers.values():
            self.stage.introduce(driver, self.where, via=self.told.get("via"))
        taken = self.service.metrics().get("starcloak_queries_taken_total")
        for step in self.told["steps"]:
            if "env" in step:
                self.happen(step)
            elif "join" in step:
                self.settle(step, *self.background[step["join"]])
            else:
                numbers = {name: self.send(driver, step) for name, driver in self.drivers.items()}
                if "background" in step:
                    self.background[step["background"]] = (step, numbers)
                else:
                    self.settle(step, step, numbers)
        if "taken" in self.told:
            now = self.service.metrics().get("starcloak_queries_taken_total")
            if now - taken != self.told["taken"] * len(self.wrong):
                for wrong in self.wrong.values():
                    wrong.append(f"the service took {now - taken} queries of {len(self.wrong)} clients")

    def happen(self, step):
        """What happens to lines, services and processes."""
        kind, stage, service = step["env"], self.stage, self.service
        if kind in ("leases", "seconds"):
            time.sleep(step["count"] * (stage.lease_s if kind == "leases" else 1))
        elif kind in ("cut", "heal", "move"):
            getattr(stage.lines, kind)()
            self.back_at = time.monotonic()
        elif kind == "pending":
            wanted = len(self.background) * len(self.drivers)
            until(lambda: service.pending() >= wanted, f"{wanted} queries pending")
        elif kind == "new_process":
            for driver in self.drivers.values():
                driver.end()
                driver.start()
                stage.introduce(driver, self.where)
        elif kind == "restart":
            service.process.end()
            service.start()
        elif kind == "stop":
            service.process.running.send_signal(signal.SIGSTOP)
        elif kind == "continue":
            service.process.running.send_signal(signal.SIGCONT)
        elif kind == "provider_away":
            service.provider.end()
        else:
            raise ValueError(kind)

    def neighbour(self, language):
        languages = list(self.drivers)
        return languages[(languages.index(language) + 1) % len(languages)]

    def send(self, driver, step):
        hidden = ("expect", "background", "same_as", "handle_of", "neighbour", "becomes")
        command = {key: value for key, value in step.items() if key not in hidden}
        if "query" in step:
            command["query"] = self.stage.queries[step["query"]]
        if "key" in step:
            command["key"] = f"{step['key']}-{driver.language}"
        owner = self.neighbour(driver.language) if step.get("neighbour") else driver.language
        if "handle_of" in step:
            command["handle"] = self.results[owner][step["handle_of"]]["handle"]
            if owner != driver.language:
                self.stage.introduce(driver, self.where, owner)
                command["client"] = f"{step['client']} of {owner}"
        return driver.send(**command)

    def settle(self, step, sent, numbers):
        """Compare the results of a step with what is expected, and count what became of queries."""
        for language, driver in self.drivers.items():
            line = driver.result(numbers[language])
            if "join" in step and self.back_at:
                late_s = driver.arrived[numbers[language]][1] - self.back_at
                became = line.get("outcome") or line.get("error")
                print(f"# {language}: {became} {late_s:.2f} s after the line changed last", flush=True)
            name = sent.get("query_name")
            if sent["do"] in ("start", "resume") and name:
                self.results[language][name] = line
            self.compare(language, step, line)
            if sent["do"] == "start" and "same_as" not in sent and "handle" in line:
                self.started[language, name] = None
            if "same_as" in sent and "handle" in line:
                first = json.loads(self.results[language][sent["same_as"]]["handle"])["id"]
                if json.loads(line["handle"])["id"] != first:
                    self.wrong[language].append("the repeated request is another query")
            self.count(language, step, sent, line)

    def compare(self, language, step, line):
        for key, wanted in step.get("expect", {}).items():
            got = line.get("handle") is not None if key == "has_handle" else line.get(key)
            if got != wanted and not (isinstance(wanted, list) and got in wanted):
                self.wrong[language].append(f"{key} is {got}, wanted {wanted}: {json.dumps(line)[:400]}")
        if line.get("error") == "fault":
            self.wrong[language].append(f"a fault: {line['text']}")

    def count(self, language, step, sent, line):
        """An outcome is counted once for each query, whoever is told of it."""
        owner = self.neighbour(language) if sent.get("neighbour") else language
        outcome = step.get("becomes") or line.get("outcome")
        if sent["do"] == "cancel" and "error" not in line:
            outcome = "withdrawn"
        if sent["do"] == "ask":
            name = sent.get("same_as") or f"ask {id(sent)}"
        else:
            name = self.alias(sent.get("query_name"))
        if outcome and self.started.get((owner, name)) is None:
            self.started[owner, name] = outcome
            self.stage.seen[self.where, outcome] += 1

    def alias(self, name):
        """The query that a name is of: one that was resumed is the one that was started."""
        for step in self.told["steps"]:
            if step.get("query_name") == name:
                return step.get("handle_of") or step.get("same_as") or name
        return name


def play_all(tap, stage, told, without_lines):
    """One after the other; those that need lines only where there are lines."""
    for one in told:
        if one.get("needs") == "lines" and without_lines:
            for language in stage.drivers["main"]:
                tap.skip(f"{language}: {one['name']}", without_lines)
            continue
        began = time.monotonic()
        scenario = Scenario(stage, one)
        scenario.play()
        for language, wrong in scenario.wrong.items():
            tap.check(f"{language}: {one['name']}", wrong)
        print(f"# took {time.monotonic() - began:.1f} s: {one['name']}", flush=True)


def company_of(stage, count):
    """Other travellers, for as long as the scenarios take; ended by hand."""
    # One command for a traveller's whole life: tokens by the key, metrics not, since others ask too.
    service = stage.services["main"]
    command = [
        *(stage.program, "load", service.url, "city.scm", "--key", "keys", "-n", str(count)),
        *("--duration", "3600", "--k", "3:1", "--l", "2:1", "--sigma-t", "4:1", "--pause", "1:0.5"),
        *("--metrics", "off", "--check", "0", "--json", "--quiet"),
    ]
    return Process(stage.folder, "company", [*service.inside, *command])


def account(tap, stage, company):
    """Outcomes that the service counted are those that clients and company saw."""
    report = json.loads(company.end(signal.SIGINT))
    theirs = company_counts(report)
    main = stage.services["main"]
    until(lambda: main.pending() == 0, "no query pending")
    counted = main.outcomes()
    wrong = []
    for outcome in ("answered", "dropped", "failed"):
        ours = stage.seen["main", outcome]
        print(f"# {outcome}: clients {ours}, company {theirs[outcome]}, service {counted[outcome]}")
        if ours + theirs[outcome] != counted[outcome]:
            wrong.append(f"{outcome}: clients {ours}, company {theirs[outcome]}, service {counted[outcome]}")
    ours, gone = stage.seen["main", "withdrawn"], counted["withdrawn"] + counted["gone"]
    print(f"# withdrawn: clients {ours}, company {theirs['left']}, service {gone}")
    if ours + theirs["left"] != gone:
        wrong.append(f"withdrawn: clients {ours}, company {theirs['left']}, service {gone}")
    tap.check("every outcome that the service counted was seen by its client", wrong)


def company_counts(report):
    return {name: int(report[name]) for name in ("answered", "dropped", "failed", "left")}


def silent(tap, stage):
    """No text of an error or outcome has a secret: user, token, position, id or key of a query."""
    wrong = []
    for driver in (driver for drivers in stage.drivers.values() for driver in drivers.values()):
        for text in driver.texts:
            if re.search(r"offset|\b17\b|sct1_|/v1/queries/|-ann|Idempotency-Key: ", text or ""):
                wrong.append(f"{driver.language}: {text}")
    tap.check("no text of an error or outcome has a position, a user, a token or an id", wrong)
    logs = "".join(service.process.text() for service in stage.services.values())
    found = re.findall(r".*(?:/v1/queries/\S{8}|sct1_|-ann|-bob).*", logs)
    tap.check("nor has the service's log", found[:5])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("drivers")
    parser.add_argument("--lease", type=float, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--scenarios", default=HERE / "scenarios.jsonl")
    parser.add_argument("--company", type=int, default=150)
    given = parser.parse_args()
    drivers = json.loads(pathlib.Path(given.drivers).read_text())
    told = [json.loads(line) for line in pathlib.Path(given.scenarios).read_text().splitlines()]
    told = [scenario for scenario in told if given.only in scenario["name"]]
    tap = Tap()
    # Who ends this wants its namespaces and processes gone, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with Lines():
            lines = Lines()
        why = ""
    except (OSError, subprocess.CalledProcessError):
        lines, why = NoLines(), "no network namespaces, which need root"
    with tempfile.TemporaryDirectory() as folder, lines:
        stage = None
        try:
            program = str(pathlib.Path(given.program).resolve())
            stage = Stage(program, drivers, lines, given.lease, pathlib.Path(folder))
            company = company_of(stage, given.company)
            until(lambda: stage.services["main"].outcomes()["answered"] > 0, "company")
            with concurrent.futures.ThreadPoolExecutor() as threads:
                parts = [
                    threads.submit(play_all, tap, stage, [one for one in told if one.get("service", "main") == name], why)
                    for name in stage.services
                ]
                for part in parts:
                    part.result()
            account(tap, stage, company)
            silent(tap, stage)
        finally:
            if stage:
                stage.end()
            Process.end_all()
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
