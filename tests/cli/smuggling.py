#!/usr/bin/env python3
"""Requests that two readers may understand differently, sent to the service by way of a real proxy.

    client (here) --> proxy --> recorder (here) --> starcloak serve

The client makes up connections of a few requests each, most of them odd: two lengths, chunks with odd sizes, names
with blanks, lines that end with LF alone, bodies that look like requests. What the proxy makes of it goes through the
recorder, which reads it with a parser of its own, as strictly as RFC 9112 has it, and counts. The service must have
replied to as many requests as were sent to it, or have refused one and closed the connection: a reply more would go to
another client's request.

usage: smuggling.py FRONT-PORT RECORDER-PORT SERVICE-HOST:PORT COUNT SEED
Prints a line of counts; exit 1 if there was a disagreement, with its bytes.
"""
import asyncio
import random
import re
import sys

AT_ONCE = 16
PATIENCE_S = 10
HOSTS = ["Host: x"] * 24 + ["host: x", "Host:x", "Host: x\r\nHost: y", "Host : x", ""]
LENGTHS = ["{n}"] * 20 + ["0{n}", "+{n}", " {n} ", "{n}, {n}", "{m}", "-{n}", "0x{n:x}", "{n}\x0b", "{n} {m}", ""]
ENCODINGS = ["chunked"] * 20 + ["Chunked", " chunked ", "\tchunked", "xchunked", "chunked, chunked",
             "identity", "gzip, chunked", "chunked, identity", "\"chunked\"", "chunked\x0b", ""]
NAMES = ["Transfer-Encoding: "] * 16 + ["transfer-encoding:", "Transfer-Encoding : ", "Transfer_Encoding: ",
         "X: y\r\n Transfer-Encoding: ", "Transfer-Encoding:\r\n ", "X: y\nTransfer-Encoding: ", "\tTransfer-Encoding: "]
MORE = [""] * 24 + ["Connection: keep-alive\r\n", "Connection: Content-Length\r\n", "Connection: Transfer-Encoding\r\n",
        "Expect: 100-continue\r\n", "Upgrade: h2c\r\nConnection: Upgrade\r\n", "X: a\rb\r\n", "X: \0\r\n", "X y: z\r\n",
        "Content-Length\r\n", "X: a\r\n b\r\n", "TE: trailers\r\n"]
INSIDE = [b"x" * 12, b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n", b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
          b"\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n", b""]


# --- Making them up ------------------------------------------------------------------------------------------

def chunks(dice, body):
    """A body in chunks, plain or odd."""
    out = b""
    size = dice.choice(["{:x}"] * 20 + ["{:X}", "00{:x}", "0x{:x}", "+{:x}", " {:x}", "{:x} ", "{:x};a=b", "{:x};a=\"\\\"\"",
                        "{:x};\n", "{:x}\t", "{:x}\0", "10000000000000000{:x}"])
    end = dice.choice([b"\r\n"] * 20 + [b"\n", b"\r", b"\r\n\r\n", b""])
    for at in range(0, len(body), 20):
        part = body[at:at + 20]
        out += size.format(len(part)).encode() + b"\r\n" + part + end
    last = dice.choice([b"0\r\n\r\n"] * 16 + [b"00\r\n\r\n", b"0;x\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"0\n\n", b"0\r\n\n",
                        b"0\r\nContent-Length: 5\r\n\r\n", b"0\r\n"])
    return out + last


def request(dice):
    method = dice.choice(["GET", "POST", "POST", "POST", "HEAD", "DELETE", "PUT", "BREW", "get", "OPTIONS"])
    target = dice.choice(["/healthz"] * 16 + ["/nowhere", "http://x/healthz", "http://y/healthz", "//x/healthz",
                          "/a%00b", "*", "/healthz#a", "/hea lthz"])
    version = dice.choice(["HTTP/1.1"] * 24 + ["HTTP/1.0", "HTTP/1.2", "http/1.1", "HTTP/2.0"])
    line_end = dice.choice(["\r\n"] * 40 + ["\n", "\r"])
    body = dice.choice(INSIDE)
    framed = body
    head = f"{method} {target} {version}{line_end}"
    host = dice.choice(HOSTS)
    head += host + "\r\n" if host else ""
    head += dice.choice(MORE)
    kinds = dice.choice(["none", "none", "length", "length", "length", "length", "chunks", "chunks", "chunks", "chunks", "both", "two lengths"])
    if kinds in ("length", "both", "two lengths"):
        head += "Content-Length: " + dice.choice(LENGTHS).format(n=len(body), m=dice.randrange(40)) + "\r\n"
    if kinds == "two lengths":
        head += f"Content-Length: {dice.choice([len(body), dice.randrange(40)])}\r\n"
    if kinds in ("chunks", "both"):
        head += dice.choice(NAMES) + dice.choice(ENCODINGS) + "\r\n"
        framed = chunks(dice, body) if dice.random() < 0.9 else body
    if kinds == "none":
        framed = b"" if dice.random() < 0.8 else body
    head += dice.choice(["\r\n"] * 40 + ["\n"])
    return dice.choice([b""] * 8 + [b"\r\n", b"\n"]) + head.encode("latin-1") + framed


def connection(dice):
    return b"".join(request(dice) for _ in range(dice.choice([1, 1, 2, 3]))) + \
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


# --- Reading what the proxy sent, and what came back ------------------------------------------------------------

def head_of(data, at):
    end = data.find(b"\r\n\r\n", at)
    return (None, at) if end < 0 else (data[at:end].split(b"\r\n"), end + 4)


def fields(lines, name):
    split = (line.partition(b":") for line in lines[1:])
    return [value.strip() for found, colon, value in split if colon and found.lower() == name]


def body_end(data, at, lines):
    """Where the body of a message ends; None: it is not whole; -1: it is not plain."""
    lengths, encodings = fields(lines, b"content-length"), fields(lines, b"transfer-encoding")
    if encodings:
        if lengths or [e.lower() for e in encodings] != [b"chunked"]:
            return -1
        while True:
            end = data.find(b"\r\n", at)
            if end < 0:
                return None
            size = re.fullmatch(rb"([0-9a-fA-F]+)(;[^\r\n]*)?", data[at:end])
            if not size or len(size[1]) > 12:
                return -1
            at, size = end + 2, int(size[1], 16)
            if size == 0:
                break
            if len(data) < at + size + 2:
                return None
            if data[at + size:at + size + 2] != b"\r\n":
                return -1
            at += size + 2
        while True:
            end = data.find(b"\r\n", at)
            if end < 0:
                return None
            if end == at:
                return end + 2
            at = end + 2
    if len(lengths) > 1 or (lengths and not re.fullmatch(rb"[0-9]{1,12}", lengths[0])):
        return -1
    at += int(lengths[0]) if lengths else 0
    return at if at <= len(data) else None


def count_requests(data):
    """The methods of the whole requests that there are; and of what follows that is none, else None."""
    at, methods = 0, []
    while at < len(data):
        method = data[at:].lstrip(b"\r\n").split(b" ")[0]
        lines, start = head_of(data, at)
        end = None if lines is None else body_end(data, start, lines)
        if end is None or end < 0:
            return methods, method
        methods.append(method)
        at = end
    return methods, None


def count_replies(data, methods):
    """Statuses of the replies; -1 at the end if they cannot be read."""
    at, statuses = 0, []
    while at < len(data):
        lines, start = head_of(data, at)
        if lines is None or not lines[0].startswith(b"HTTP/1.1 "):
            return statuses + [-1]
        status = int(lines[0].split(b" ")[1])
        at = start
        if status == 100:
            continue
        is_head = len(statuses) < len(methods) and methods[len(statuses)] == b"HEAD"
        statuses.append(status)
        if is_head or status in (204, 304):
            continue
        end = body_end(data, start, lines)
        if end is None or end < 0:
            return statuses + [-1]
        at = end
    return statuses


class Recorder:
    def __init__(self, service):
        self.host, _, self.port = service.rpartition(":")
        self.connections = []

    async def serve(self, reader, writer):
        record = {"sent": b"", "got": b"", "closed": False}
        self.connections.append(record)
        try:
            there, to = await asyncio.open_connection(self.host, int(self.port))
        except OSError:
            writer.close()
            return

        async def copy(source, target, name):
            try:
                while data := await source.read(65536):
                    record[name] += data
                    target.write(data)
                    await target.drain()
            except OSError:
                pass
            if name == "got":
                record["closed"] = True
            try:
                target.write_eof()
            except OSError:
                pass

        try:
            await asyncio.gather(copy(reader, to, "sent"), copy(there, writer, "got"))
        except asyncio.CancelledError:
            pass
        for stream in (to, writer):
            stream.close()


def judge(record):
    """None, or what is wrong."""
    methods, rest = count_requests(record["sent"])
    statuses = count_replies(record["got"], methods + [rest])
    if -1 in statuses:
        return "a reply cannot be read"
    if len(statuses) > len(methods) + (rest is not None):
        return f"{len(statuses)} replies to {len(methods)} requests"
    if len(statuses) == len(methods) + 1 and not 400 <= statuses[-1] < 600:
        return "a reply to what is no request"
    return None


# --- Clients -------------------------------------------------------------------------------------------------

async def talk(port, data):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        writer.write_eof()
        await asyncio.wait_for(reader.read(), PATIENCE_S)
    except (OSError, asyncio.TimeoutError):
        pass
    writer.close()


async def reachable(port):
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            reply = await asyncio.wait_for(reader.read(), PATIENCE_S)
            writer.close()
            if b" 200 " in reply:
                return
        except (OSError, asyncio.TimeoutError):
            pass
        await asyncio.sleep(0.1)


async def main(front, here, service, count, seed):
    recorder = Recorder(service)
    server = await asyncio.start_server(recorder.serve, "127.0.0.1", here)
    await reachable(front)
    dice = random.Random(seed)
    waiting = [connection(dice) for _ in range(count)]

    async def client():
        while waiting:
            await talk(front, waiting.pop())

    await asyncio.gather(*(client() for _ in range(AT_ONCE)))
    server.close()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    wrong = 0
    for record in recorder.connections:
        problem = judge(record)
        if problem:
            wrong += 1
            print(f"{problem}:\n  sent {record['sent']!r}\n  got {record['got'][:600]!r}", file=sys.stderr)
    requests = sum(len(count_requests(record["sent"])[0]) for record in recorder.connections)
    print(f"{count} connections, {requests} requests passed on by {len(recorder.connections)} connections, {wrong} disagreements")
    return wrong > 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))))
