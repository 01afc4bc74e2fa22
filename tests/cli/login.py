#!/usr/bin/python3
"""A login of another party, for tests: keys, their set at an address, and tokens by PyJWT.

usage: login.py PORT_FILE

    GET /keys                     the JSON Web Key Set
    GET /token?alg=A&sub=S&...    a token by the newest key of that algorithm; other parameters are
                                  claims (numbers are numbers), header.X a header, secret=public an
                                  HS256 token whose secret is the public key
    POST /rotate                  new keys; the old ones are no longer in the set
    POST /fail?status=N           what /keys answers from now on; 200: the set again
    GET /count                    how often the set was asked for
"""
import base64
import http.server
import json
import sys
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm


def new_keys(generation):
    made = {
        "RS256": (rsa.generate_private_key(public_exponent=65537, key_size=2048), RSAAlgorithm),
        "ES256": (ec.generate_private_key(ec.SECP256R1()), None),
        "EdDSA": (ed25519.Ed25519PrivateKey.generate(), OKPAlgorithm),
    }
    return {name: {"key": key, "kid": f"{name}-{generation}", "writer": writer}
            for name, (key, writer) in made.items()}


def number(value, size):
    return base64.urlsafe_b64encode(value.to_bytes(size, "big")).rstrip(b"=").decode()


def public_jwk(name, entry):
    public = entry["key"].public_key()
    if name == "ES256":  # PyJWT of Debian 12 does not write these
        point = public.public_numbers()
        jwk = {"kty": "EC", "crv": "P-256", "x": number(point.x, 32), "y": number(point.y, 32)}
    else:
        jwk = json.loads(entry["writer"].to_jwk(public))
    return {**jwk, "kid": entry["kid"], "use": "sig"}


class Login(http.server.BaseHTTPRequestHandler):
    keys = new_keys(1)
    generation = 1
    status = 200
    count = 0

    def log_message(self, *_):
        pass

    def send(self, text, status=200):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def token(self, query):
        now = int(time.time())
        claims = {"iss": "https://login.example", "aud": "starcloak", "iat": now, "exp": now + 600}
        headers = {}
        for name, value in query.items():
            value = int(value) if value.lstrip("-").isdigit() else value
            if name.startswith("header."):
                headers[name[7:]] = value
            elif name not in ("alg", "secret"):
                claims[name] = value
        entry = self.keys[query["alg"]]
        if query.get("secret") == "public":
            # What a careless service takes for a shared secret.
            secret = entry["key"].public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            return self.by_secret(claims, {"kid": entry["kid"]}, secret)
        return jwt.encode(claims, entry["key"], query["alg"],
                          headers={"kid": entry["kid"], **headers})

    @staticmethod
    def by_secret(claims, headers, secret):
        import hashlib
        import hmac
        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
                 for part in ({"alg": "HS256", **headers}, claims)]
        text = b".".join(parts)
        tag = base64.urlsafe_b64encode(hmac.new(secret, text, hashlib.sha256).digest())
        return (text + b"." + tag.rstrip(b"=")).decode()

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        if address.path == "/keys":
            Login.count += 1
            listed = [public_jwk(name, entry) for name, entry in self.keys.items()]
            self.send(json.dumps({"keys": listed}), Login.status)
        elif address.path == "/count":
            self.send(str(Login.count))
        else:
            self.send(self.token(query))

    def do_POST(self):
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/rotate":
            Login.generation += 1
            Login.keys = new_keys(Login.generation)
        else:
            Login.status = int(urllib.parse.parse_qs(address.query)["status"][0])
        self.send("done")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Login)
    with open(sys.argv[1], "w", encoding="ascii") as stream:
        stream.write(f"{server.server_port}\n")
    server.serve_forever()


if __name__ == "__main__":
    main()
