#!/usr/bin/env python3
"""Mint a token of StarCloak in a backend of one's own, with Python's standard library alone.

usage: mint_token.py KEY_FILE USER SECONDS

KEY_FILE is made by 'starcloak token key'; its first key signs. docs/tokens.md has the format.
"""
import base64
import hashlib
import secrets
import struct
import sys
import time


def mint(key: bytes, user: str, seconds: int) -> str:
    name = user.encode()
    if not 1 <= len(name) <= 64 or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in user):
        raise ValueError("a user has 1 to 64 bytes without control characters")
    now = int(time.time())
    said = struct.pack("<QQ", now, now + seconds) + secrets.token_bytes(8) + name
    tag = hashlib.blake2b(b"sct1" + said, digest_size=16, key=key).digest()
    return "sct1_" + base64.urlsafe_b64encode(said + tag).rstrip(b"=").decode()


def first_key(path: str) -> bytes:
    with open(path, encoding="ascii") as lines:
        return next(bytes.fromhex(line) for line in lines if line.strip() and line[0] != "#")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(mint(first_key(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
