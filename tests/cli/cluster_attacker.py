#!/usr/bin/env python3
"""Attacks on a cluster by a client of its NATS servers, with no key or with that of a worker.

usage: cluster_attacker.py record URL SECONDS FILE [SUBJECT...]  store all messages that can be received, of these subjects
       cluster_attacker.py link FILE KEY NAMES                   try to open them and to name their users
       cluster_attacker.py replay URL FILE PATTERN SECONDS       publish those of some subjects again, as fast as they came
       cluster_attacker.py void URL FILE SECONDS                 publish forged reports of no subscriber
       cluster_attacker.py forge URL FILE KEY                    publish placements, heartbeats and messages, forged with a worker's key
       cluster_attacker.py flood URL KEY COUNT SECONDS           publish heartbeats of so many made-up processes with a worker's key
       cluster_attacker.py idle URL KEY SECONDS                  be a worker that sends heartbeats and takes up no part
       cluster_attacker.py may URL SUBJECT                       whether publishing and subscribing there are allowed

A URL is HOST:PORT or USER:PASSWORD@HOST:PORT; where NATS refuses it, "not connected" is printed. replay and flood also end
when they get SIGTERM, and print their counts then. libsodium does the sealing, as it does for us.
"""
import base64
import ctypes
import ctypes.util
import json
import re
import signal
import socket
import sys
import time
import zlib

sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
sodium.sodium_init()
SIZE = ctypes.c_size_t
LONG = ctypes.c_ulonglong


# --- A client of NATS ---------------------------------------------------------------------------

class Refused(Exception):
    """NATS has not let us connect."""


class Nats:
    def __init__(self, url):
        try:
            self.connect(url)
        except (EOFError, ConnectionError) as error:  # the server may hang up before it reads all
            raise Refused from error

    def connect(self, url):
        login, _, address = url.rpartition("@")
        host, port = address.split(":")
        self.sock = socket.create_connection((host, int(port)), timeout=30)
        self.buffer = b""
        self.line()
        options = {"verbose": False, "headers": True, "no_responders": True, "echo": False}
        if login:
            options["user"], options["pass"] = login.split(":")
        self.sock.sendall(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        self.errors = []
        self.sync()

    def line(self):
        while b"\r\n" not in self.buffer:
            self.more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode()

    def more(self):
        data = self.sock.recv(65536)
        if not data:
            raise EOFError
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def sync(self):
        """Wait until the server has handled all so far; its errors are in self.errors then."""
        self.sock.sendall(b"PING\r\n")
        while True:
            line = self.line()
            if line.startswith(("MSG ", "HMSG ")):
                self.take(int(line.split()[-1]) + 2)
            if line.startswith("-ERR"):
                self.errors.append(line)
            if line == "PONG":
                return

    def publish(self, subject, data):
        self.sock.sendall(f"PUB {subject} {len(data)}\r\n".encode() + data + b"\r\n")

    def report_none(self, subject):
        head = b"NATS/1.0 503\r\n\r\n"
        self.sock.sendall(f"HPUB {subject} {len(head)} {len(head)}\r\n".encode() + head + b"\r\n")

    def messages(self, seconds):
        """Subject, reply, bytes, of all that come in this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.sock.settimeout(left)
            try:
                words = self.line().split()
            except (TimeoutError, socket.timeout):
                return
            self.sock.settimeout(30)
            if words[0] == "PING":
                self.sock.sendall(b"PONG\r\n")
            elif words[0] == "MSG":
                data = self.take(int(words[-1]) + 2)[:-2]
                yield words[1], words[3] if len(words) == 5 else "", data
            elif words[0] == "HMSG":
                self.take(int(words[-1]) + 2)


# --- Keys ---------------------------------------------------------------------------------------

def kdf(key, number, context):
    out = ctypes.create_string_buffer(32)
    sodium.crypto_kdf_derive_from_key(out, SIZE(32), ctypes.c_uint64(number), context, key)
    return out.raw


def keyed_hash(data, key):
    out = ctypes.create_string_buffer(32)
    sodium.crypto_generichash(out, SIZE(32), data, LONG(len(data)), key, SIZE(len(key)))
    return out.raw


def secrets_of(path):
    """All keys that can be made of a key file, whatever they may be good for: each 32 bytes of it, and what is derived
    from them as gateways derive their own."""
    text = open(path).read().split()[-1]
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    keys = [data[i:i + 32] for i in range(0, len(data) - 31)]
    for key in list(keys):
        keys += [kdf(key, 1, b"sc-names"), kdf(key, 2, b"sc-seals"), kdf(key, 3, b"sc-gates"), kdf(key, 4, b"sc-broad"), kdf(key, 5, b"sc-works")]
    return keys


def key_number(name):
    """The upper half of the ids of processes with a worker's key, of that name."""
    number = ctypes.create_string_buffer(16)
    sodium.crypto_generichash(number, SIZE(16), name.encode(), LONG(len(name)), None, SIZE(0))
    return 1 << 31 | int.from_bytes(number.raw[:4], "little")


def worker_number(peer):
    return (peer >> 32) & 0x7fffffff


def unseal(key, subject, data):
    if len(data) < 48:
        return None
    bound = data[:8] + subject.encode()
    out = ctypes.create_string_buffer(len(data))
    size = LONG()
    bad = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
        out, ctypes.byref(size), None, data[32:], LONG(len(data) - 32), bound, LONG(len(bound)), data[8:32], key)
    return None if bad else out.raw[:size.value]


def seal(key, sender, subject, text):
    head = sender.to_bytes(8, "little")
    nonce = ctypes.create_string_buffer(24)
    sodium.randombytes_buf(nonce, SIZE(24))
    bound = head + subject.encode()
    out = ctypes.create_string_buffer(len(text) + 16)
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        out, None, text, LONG(len(text)), bound, LONG(len(bound)), None, nonce.raw, key)
    return head + nonce.raw + out.raw


def signed_by_stranger(sender, subject, text):
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    sodium.crypto_sign_keypair(public, secret)
    bound = sender.to_bytes(8, "little") + subject.encode()
    state = ctypes.create_string_buffer(sodium.crypto_sign_statebytes())
    sodium.crypto_sign_init(state)
    for part in (bytes([len(bound)]), bound, text):
        sodium.crypto_sign_update(state, part, LONG(len(part)))
    signature = ctypes.create_string_buffer(64)
    sodium.crypto_sign_final_create(state, signature, None, secret)
    return signature.raw + text


# --- Protocol Buffers, as far as it takes -------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            found[tag >> 3], at = varint(data, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else varint(data, at)
            found[tag >> 3], at = data[at:at + size], at + size
    return found


def number_field(number, value):
    out = bytearray([number << 3])
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def bytes_field(number, data):
    return bytes([number << 3 | 2, *([len(data)] if len(data) < 128 else [len(data) & 127 | 128, len(data) >> 7])]) + data


def fixed_field(number, value):
    return bytes([number << 3 | 1]) + value.to_bytes(8, "little")


def two_byte_tag(number, data):
    """A field of bytes, of a number above 15."""
    tag = number << 3 | 2
    return bytes([tag & 127 | 128, tag >> 7]) + bytes_field(0, data)[1:]


# --- Batches: what is sealed for one process (docs/cluster-protocol.md) -------------------------

def batch(*messages):
    return b"\x01" + b"".join(len(message).to_bytes(4, "little") + message for message in messages)


def unbatch(data):
    data = data[1:] if data[0] == 1 else zlib.decompress(data[5:])
    found, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "little")
        found.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return found


# --- The attacks --------------------------------------------------------------------------------

def read_rows(path):
    return [(subject, reply, bytes.fromhex(data), at) for subject, reply, data, at in map(json.loads, open(path))]


def record(url, seconds, path, *subjects):
    nats = Nats(url)
    for number, subject in enumerate(subjects or [">"]):
        nats.sock.sendall(f"SUB {subject} {number + 1}\r\n".encode())
    nats.sync()
    print("listening", flush=True)
    # Line by line: who has enough ends us.
    with open(path, "w", buffering=1) as out:
        for subject, reply, data in nats.messages(float(seconds)):
            out.write(json.dumps([subject, reply, data.hex(), time.monotonic()]) + "\n")


def link(path, key_path, names_path):
    """Queries go to workers. Count those that are there, those that some key opens, and those whose user is found."""
    keys = secrets_of(key_path)
    users = {}
    names = open(names_path).read().split()
    for key in keys:
        of_users = kdf(key, 1, b"SC-names")
        users.update((keyed_hash(name.encode(), of_users)[:8], name) for name in names)
    sent, opened, linked = {}, {}, 0
    for subject, _, data, _ in read_rows(path):
        if ".worker." not in subject or ".beat." in subject:
            continue
        worker = subject.rsplit(".", 1)[1]
        sent[worker] = sent.get(worker, 0) + 1
        number = worker_number(int(worker, 16))
        for key in keys + [kdf(key, number, b"sc-workr") for key in keys]:
            plain = unseal(key, subject, data)
            if plain is None:
                continue
            opened[worker] = opened.get(worker, 0) + 1
            for message in unbatch(plain):
                query = fields(fields(message).get(1, b"")).get(3)
                linked += query is not None and fields(query).get(7) in users
            break
    print(json.dumps({"workers": len(sent), "sent": sum(sent.values()), "workers_opened": len(opened),
                      "opened": sum(opened.values()), "linked": linked}))


class Until:
    """So many seconds from now, or SIGTERM."""

    def __init__(self, seconds):
        self.end = time.monotonic() + float(seconds)
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        self.end = 0

    def is_over(self):
        return time.monotonic() >= self.end


def replay(url, path, pattern, seconds):
    nats = Nats(url)
    rows = [row for row in read_rows(path) if re.search(pattern, row[0])]
    until = Until(seconds)
    count = 0
    while rows and not until.is_over():
        begun = time.monotonic()
        for subject, _, data, at in rows:
            wait = begun + at - rows[0][3] - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            if until.is_over():
                break
            nats.publish(subject, data)
            count += 1
        print("a round", file=sys.stderr, flush=True)
    nats.sync()
    print(json.dumps({"replayed": count, "errors": len(nats.errors)}))


def void(url, path, seconds):
    nats = Nats(url)
    replies = sorted({row[1] for row in read_rows(path)} - {""})
    end = time.monotonic() + float(seconds)
    count = 0
    while time.monotonic() < end:
        for reply in replies:
            nats.report_none(reply)
            count += 1
        nats.sync()
        time.sleep(0.01)
    print(json.dumps({"subjects": len(replies), "forged": count, "errors": len(nats.errors)}))


def forge(url, path, key_path):
    """With the keys of a worker, in every role that it might try."""
    nats = Nats(url)
    text = open(key_path).read().split()[-1]
    own, broadcast = (base64.urlsafe_b64decode(text)[i:i + 32] for i in (0, 32))
    rows = read_rows(path)
    cluster = rows[0][0].split(".")[0]
    gateways = sorted({int(row[0].rsplit(".", 1)[1], 16) for row in rows if f"{cluster}.gateway." in row[0]})
    workers = sorted({int(row[0].rsplit(".", 1)[1], 16) for row in rows if f"{cluster}.worker." in row[0]})
    number = worker_number(next(peer for peer in workers if any(
        unseal(own, row[0], row[2]) for row in rows if row[0].endswith(f"worker.{peer:016x}"))))
    others = [peer for peer in workers if worker_number(peer) != number]
    placed = next(fields(fields(plain[64:])[3]) for row in rows if row[0] == f"{cluster}.place"
                  if (plain := unseal(broadcast, row[0], row[2])))
    place, beat, result = [f"{cluster}.{rest}" for rest in ("place", "beat.gateway", f"gateway.{gateways[0]:016x}")]
    mine = next(peer for peer in workers if worker_number(peer) == number)
    placement = bytes_field(3, number_field(1, 1000000) + fixed_field(2, gateways[0]) + fixed_field(3, int.from_bytes(placed[3], "little")) +
                            bytes_field(4, mine.to_bytes(8, "little")) + bytes_field(5, bytes([1]) * len(placed[5])))
    heartbeat = bytes_field(2, fixed_field(1, 1) + bytes_field(4, b"forged") + number_field(5, 1 << 40) +
                            fixed_field(6, int.from_bytes(placed[3], "little")) + number_field(8, 1 << 60))
    commit = bytes_field(1, number_field(1, 14) + fixed_field(2, gateways[-1]) + bytes_field(5, bytes_field(1, bytes(16))))
    dropped = bytes_field(1, number_field(1, 11) + fixed_field(2, others[0]) + bytes_field(3, bytes_field(1, bytes(16))))
    commit, dropped = batch(commit), batch(dropped)
    forged = [
        (place, seal(broadcast, gateways[0], place, signed_by_stranger(gateways[0], place, placement))),
        (place, seal(broadcast, gateways[0], place, bytes(64) + placement)),
        (beat, seal(broadcast, 1, beat, signed_by_stranger(1, beat, heartbeat))),
        (result, seal(own, gateways[-1], result, commit)),       # from gateway to gateway
        (result, seal(broadcast, gateways[-1], result, commit)),
        (result, seal(own, others[0], result, dropped)),         # as another worker
    ]
    for subject, data in forged:
        nats.publish(subject, data)
    # What its own key does seal: a message of gateways, and one of another sender inside.
    nats.publish(result, seal(own, mine, result, commit))
    nats.publish(result, seal(own, mine, result, dropped))
    nats.sync()
    print(json.dumps({"forged": len(forged), "errors": len(nats.errors)}))


def flood(url, key_path, count, seconds):
    nats = Nats(url)
    _, name, text = open(key_path).read().split()
    own = base64.urlsafe_b64decode(text)[:32]
    key = key_number(name)
    beat = "starcloak.beat.worker"
    until = Until(seconds)
    sent = 0
    while not until.is_over():
        for peer in range(key << 32, (key << 32) + int(count)):
            sent += 1
            heartbeat = bytes_field(2, fixed_field(1, peer) + number_field(2, 1) + bytes_field(4, b"made-up") +
                                    number_field(5, sent) + fixed_field(6, 1) + number_field(9, 1))
            nats.publish(beat, seal(own, peer, beat, heartbeat))
        nats.sync()
        time.sleep(0.3)  # as often as real processes: memory is attacked here, not processors
    print(json.dumps({"sent": sent, "key": f"{key:08x}", "errors": len(nats.errors)}))


def idle(url, key_path, seconds):
    """A worker that names the gateways that it hears, and so is believed; and nothing more."""
    nats = Nats(url)
    _, name, text = open(key_path).read().split()
    own, broadcast = (base64.urlsafe_b64decode(text)[i:i + 32] for i in (0, 32))
    peer = key_number(name) << 32 | 7
    heard = {}
    sent = 0
    nats.sock.sendall(b"SUB starcloak.beat.gateway 1\r\n")
    until = Until(seconds)
    while not until.is_over():
        for subject, _, data in nats.messages(0.3):
            plain = unseal(broadcast, subject, data)
            if plain is not None:
                beat = fields(fields(plain[64:])[2])
                heard[beat[1]] = (beat[5], beat[6])
        if not heard:
            continue
        sent += 1
        heartbeat = fixed_field(1, peer) + number_field(2, 1) + bytes_field(4, b"idle") + number_field(5, sent)
        heartbeat += fixed_field(6, int.from_bytes(next(iter(heard.values()))[1], "little")) + number_field(9, 8)
        heartbeat += two_byte_tag(21, b"".join(heard)) + two_byte_tag(22, b"".join(number_field(0, number)[1:] for number, _ in heard.values()))
        nats.publish("starcloak.beat.worker", seal(own, peer, "starcloak.beat.worker", bytes_field(2, heartbeat)))
    print(json.dumps({"sent": sent, "errors": len(nats.errors)}))


def may(url, subject):
    """Prints what is allowed there."""
    nats = Nats(url)
    nats.publish(subject, b"")
    nats.sync()
    can_publish = not nats.errors
    nats.errors = []
    nats.sock.sendall(f"SUB {subject} 7\r\n".encode())
    nats.sync()
    print(("publish" if can_publish else "-") + " " + ("subscribe" if not nats.errors else "-"))


ATTACKS = {"record": record, "link": link, "replay": replay, "void": void, "forge": forge, "flood": flood, "idle": idle, "may": may}
try:
    ATTACKS[sys.argv[1]](*sys.argv[2:])
except Refused:
    print("not connected", flush=True)
