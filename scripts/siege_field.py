"""What the attackers of scripts/siege share: where they attack, how they connect, and a little HTTP."""
import json
import socket
import ssl
import threading
import time

PATIENCE_S = 20  # of an attacker who waits for a reply


class Refused(Exception):
    """The connection was closed, reset or not even made."""


class Field:
    """Where the attack takes place, and what came of it."""

    def __init__(self, place):
        self.ports = place["ports"]  # {"nginx": 1, "haproxy": 2}
        self.admin = place["admin"]
        self.tokens = place["tokens"]  # by the name of the attack
        self.edges = place["edges"]
        self.address_connections = place["address_connections"]
        self.end = time.monotonic() + place["seconds"]
        self.counts = {}
        self.lock = threading.Lock()
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE

    def is_over(self):
        return time.monotonic() >= self.end

    def pause(self, seconds):
        time.sleep(max(0, min(seconds, self.end - time.monotonic())))

    def count(self, attack, what):
        with self.lock:
            counts = self.counts.setdefault(attack, {})
            counts[str(what)] = counts.get(str(what), 0) + 1

    def tcp(self, door, source, receive_buffer=None):
        """A connection to the proxy `door` from `source`."""
        s = socket.socket()
        try:
            s.settimeout(PATIENCE_S)
            s.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            if receive_buffer:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            s.bind((source, 0))
            s.connect(("127.0.0.1", self.ports[door]))
            return s
        except OSError as e:
            s.close()
            raise Refused(type(e).__name__) from e

    def connect(self, door, source, receive_buffer=None, tls=None):
        """The same with TLS; `tls`: a context of its own."""
        s = self.tcp(door, source, receive_buffer)
        try:
            return (tls or self.tls).wrap_socket(s, server_hostname="localhost", suppress_ragged_eofs=True)
        except (OSError, ValueError) as e:
            s.close()
            raise Refused(type(e).__name__) from e


# --- HTTP, as little of it as attackers need ---------------------------------------------------------

def read_reply(s):
    """Status, headers and body of one reply; those with 100 are passed over."""
    data = b""
    try:
        while True:
            while b"\r\n\r\n" not in data:
                piece = s.recv(65536)
                if not piece:
                    raise Refused("closed")
                data += piece
            head, data = data.split(b"\r\n\r\n", 1)
            lines = head.decode("latin-1").split("\r\n")
            status = int(lines[0].split(" ")[1])
            if status == 100:
                continue
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            length = int(headers.get("content-length", 0))
            while len(data) < length:
                piece = s.recv(65536)
                if not piece:
                    raise Refused("closed")
                data += piece
            return status, headers, data[:length]
    except (OSError, ValueError, IndexError) as e:
        raise Refused(type(e).__name__) from e


def send(s, data):
    try:
        s.sendall(data)
    except OSError as e:
        raise Refused(type(e).__name__) from e


def get(path, host="localhost", more=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


def query(token, edge, profile, request):
    body = json.dumps({"position": {"edge": edge, "offset_m": 0.1}, "profile": profile, "request": request})
    return (f"POST /v1/queries HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


def word_of(status, body):
    """What a reply says: "429 cost", "200 dropped"."""
    try:
        reply = json.loads(body)
        return f"{status} {reply.get('outcome') or reply.get('type', '').rpartition(':')[2]}".strip()
    except (ValueError, AttributeError):
        return str(status)
