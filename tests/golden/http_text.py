"""HTTP as text: what was asked and what came back, without what differs each time."""
import json
import re
import socket
import time

PATIENCE_S = 60


def read_response(stream):
    """One response: status line, headers in their order, body."""
    status = stream.readline().decode("latin-1").rstrip("\r\n")
    headers = []
    while True:
        line = stream.readline().decode("latin-1").rstrip("\r\n")
        if not line:
            break
        name, _, value = line.partition(": ")
        headers.append((name, value))
    sizes = [int(value) for name, value in headers if name.lower() == "content-length"]
    return status, headers, sizes


def exchange(address, request, has_body=True):
    """Send raw bytes on a connection of its own; status line, headers and body."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), PATIENCE_S) as s:
        try:
            s.sendall(request)
        except OSError:
            pass  # refused before it was all sent
        with s.makefile("rb") as stream:
            status, headers, sizes = read_response(stream)
            body = b""
            if has_body and sizes:
                body = stream.read(sizes[0])
            elif has_body:
                body = stream.read()
    return status, headers, body


def request_bytes(method, path, headers=(), body=None):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers]
    data = b"" if body is None else body if isinstance(body, bytes) else body.encode()
    if body is not None:
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def shape(value):
    """Of JSON: which members there are, and of which types."""
    if isinstance(value, dict):
        return {key: shape(member) for key, member in value.items()}
    if isinstance(value, list):
        merged = None
        for member in value:
            merged = shape(member) if merged is None else merge(merged, shape(member))
        return [] if merged is None else [merged]
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    return "number" if isinstance(value, (int, float)) else "string"


def merge(a, b):
    """The shape of what has one of two shapes."""
    if isinstance(a, dict) and isinstance(b, dict):
        merged = dict(a)
        for key, member in b.items():
            merged[key] = merge(merged[key], member) if key in merged else member
        return merged
    if isinstance(a, list) and isinstance(b, list):
        if not a or not b:
            return a or b
        return [merge(a[0], b[0])]
    if a == b:
        return a
    kinds = {part for side in (a, b) for part in
             (side.split("|") if isinstance(side, str) else [json.dumps(side, sort_keys=True)])}
    return "|".join(sorted(kinds))


def shape_text(value):
    return json.dumps(shape(value), indent=1) + "\n"


def show_headers(headers, masked=()):
    """Headers in their order, with the date and what else is told masked."""
    lines = []
    for name, value in headers:
        if name.lower() in ("date", *masked):
            value = "~"
        lines.append(f"< {name}: {value}\n")
    return "".join(lines)


class Talk:
    """A conversation with one server, as a text."""

    def __init__(self, address):
        self.address = address
        self.text = ""

    def ask(self, title, method, path, headers=(), body=None, show=None, masked=(), told=None):
        """One request. `show` turns the body of a success into text (default: as it is); `masked`
        are headers whose values differ; `told` is written in place of the request's body."""
        raw = request_bytes(method, path, headers, body)
        status, got, data = exchange(self.address, raw, method != "HEAD")
        self.text += f"### {title}\n> {method} {path}\n"
        for name, value in headers:
            self.text += f"> {name}: {re.sub(r'sct1_[A-Za-z0-9_-]{20,}', '<token>', value)[:80]}\n"
        if body is not None:
            self.text += f"> {told or body}\n"
        self.note(status, got, data, show if " 200 " in status + " " else None, masked)
        return status, got, data

    def raw(self, title, data, told):
        """Bytes that are no proper request."""
        status, got, body = exchange(self.address, data)
        self.text += f"### {title}\n> {told}\n"
        self.note(status, got, body, None, ())

    def note(self, status, headers, body, show, masked):
        self.text += f"< {status}\n" + show_headers(headers, masked)
        text = show(body) if show else body.decode(errors="backslashreplace")
        self.text += text + ("\n" if text and not text.endswith("\n") else "") + "\n"


def metric_names(text):
    """The text of /metrics without its values: help, types, names and labels."""
    lines = [line if line.startswith("#") else line.rpartition(" ")[0] for line in text.splitlines()]
    return "\n".join(lines) + "\n"


class Events:
    """A stream of server-sent events, read until all of some kinds have come."""

    def __init__(self, address, path):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), PATIENCE_S)
        self.socket.sendall(request_bytes("GET", path))
        self.stream = self.socket.makefile("rb")
        self.status, self.headers, _ = read_response(self.stream)
        self.shapes = {}

    def read_until(self, *kinds):
        """Gather shapes by kind of event until each of these has been seen."""
        end = time.monotonic() + PATIENCE_S
        kind = None
        while not set(kinds) <= set(self.shapes):
            if time.monotonic() > end:
                raise RuntimeError(f"of the events {kinds} came only {sorted(self.shapes)}")
            line = self.stream.readline().decode()
            if not line:
                raise RuntimeError(f"the stream ended after {sorted(self.shapes)}")
            if line.startswith("event: "):
                kind = line[7:].strip()
            elif line.startswith("data: ") and kind:
                data = json.loads(line[6:])
                name = f"{kind} {data['outcome']}" if "outcome" in data else kind
                value = shape(data)
                self.shapes[name] = merge(self.shapes[name], value) if name in self.shapes else value

    def text(self):
        parts = [f"< {self.status}\n{show_headers(self.headers)}"]
        for kind in sorted(self.shapes):
            parts.append(f"event: {kind}\n{json.dumps(self.shapes[kind], indent=1)}\n")
        return "".join(parts)

    def close(self):
        self.stream.close()
        self.socket.close()
