// Ours beside implementations by others, in both directions: HPKE, binary HTTP, Oblivious HTTP built
// on the other HPKE by the steps of RFC 9458, and Privacy Pass. Speaks TAP.
//
// usage: node interop.mjs PEER
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { webcrypto } from "node:crypto";
import { AeadId, CipherSuite, HkdfSha256, KdfId, KemId, Aes128Gcm } from "@hpke/core";
import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { DhkemX25519HkdfSha256 } from "@hpke/dhkem-x25519";
import { BHttpDecoder, BHttpEncoder } from "bhttp-js";
import {
  AuthorizationHeader,
  publicVerif,
  Token,
  TokenChallenge,
  WWWAuthenticateHeader,
  TOKEN_TYPES,
} from "@cloudflare/privacypass-ts";

// A global from Node.js 20 on, which privacypass-ts expects; Debian 12 has 18.
globalThis.crypto ??= webcrypto;

// --- The peer and TAP -----------------------------------------------------------------------------

const peer = spawn(process.argv[2], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const bytes = (text) => new TextEncoder().encode(text);
const text = (data) => new TextDecoder().decode(data);
const hex = (data) => Buffer.from(data).toString("hex") || "-";
const word = (value) => hex(typeof value === "string" ? bytes(value) : value);

/** Tells the peer what to do; its words, or null if it refuses. */
async function ask(name, ...values) {
  peer.stdin.write(`${[name, ...values.map(word)].join(" ")}\n`);
  const { value } = await answers.next();
  if (value === undefined) throw new Error("the peer has ended");
  const [status, ...words] = value.split(" ");
  if (status !== "ok") return null;
  return words.map((w) => new Uint8Array(Buffer.from(w === "-" ? "" : w, "hex")));
}

let count = 0;
let failed = 0;
async function test(name, body) {
  count++;
  try {
    await body();
    console.log(`ok ${count} - ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${count} - ${name}\n# ${String(error.stack).replaceAll("\n", "\n# ")}`);
  }
}

function equal(got, wanted) {
  const a = got && typeof got === "object" ? hex(got) : String(got);
  const b = wanted && typeof wanted === "object" ? hex(wanted) : String(wanted);
  if (a !== b) throw new Error(`got ${a}, wanted ${b}`);
}

// --- HPKE -----------------------------------------------------------------------------------------

const aeads = [
  { name: "AES-128-GCM", id: AeadId.Aes128Gcm, make: () => new Aes128Gcm(), key: 16, nonce: 12 },
  { name: "ChaCha20-Poly1305", id: AeadId.Chacha20Poly1305, make: () => new Chacha20Poly1305(), key: 32, nonce: 12 },
];
const suite = (aead) =>
  new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: aead.make() });

async function keyPair(aead) {
  const pair = await suite(aead).kem.generateKeyPair();
  return {
    pair,
    secret: new Uint8Array(await suite(aead).kem.serializePrivateKey(pair.privateKey)),
    public: new Uint8Array(await suite(aead).kem.serializePublicKey(pair.publicKey)),
  };
}

for (const aead of aeads) {
  await test(`@hpke/core opens what we seal with ${aead.name}`, async () => {
    const key = await keyPair(aead);
    const [enc, first, second, exported] = await ask("hpke-seal", [aead.id], key.public, "info", "aad", "a text");
    const context = await suite(aead).createRecipientContext({ recipientKey: key.pair.privateKey, enc, info: bytes("info") });
    equal(text(await context.open(first, bytes("aad"))), "a text");
    equal(text(await context.open(second, bytes("aad"))), "a text");
    equal(new Uint8Array(await context.export(bytes("peer"), 48)), exported);
  });
  await test(`we open what @hpke/core seals with ${aead.name}`, async () => {
    const key = await keyPair(aead);
    const context = await suite(aead).createSenderContext({ recipientPublicKey: key.pair.publicKey, info: bytes("info") });
    const enc = new Uint8Array(context.enc);
    const sealed = new Uint8Array(await context.seal(bytes("a text"), bytes("aad")));
    const [opened, exported] = await ask("hpke-open", [aead.id], key.secret, "info", "aad", enc, sealed);
    equal(text(opened), "a text");
    equal(new Uint8Array(await context.export(bytes("peer"), 48)), exported);
    equal(await ask("hpke-open", [aead.id], key.secret, "other", "aad", enc, sealed), "null");
  });
}

// --- Binary HTTP ----------------------------------------------------------------------------------

const body = '{"x":9.9,"y":53.5}';
for (const form of [0, 1]) {
  const name = form ? "indeterminate" : "known";
  await test(`bhttp-js reads our request of ${name} length`, async () => {
    const [message] = await ask(
      "bhttp-request", [form], "POST", "https", "cloak.example", "/v1/queries?a=b", body,
      "content-type", "application/json", "accept", "*/*",
    );
    equal(message.length, 1024);
    const request = new BHttpDecoder().decodeRequest(message);
    equal(request.method, "POST");
    equal(request.url, "https://cloak.example/v1/queries?a=b");
    equal(request.headers.get("content-type"), "application/json");
    equal(await request.text(), body);
  });
  await test(`bhttp-js reads our response of ${name} length`, async () => {
    const [message] = await ask("bhttp-response", [form], [0x01, 0x95], body, "retry-after", "5");
    const response = new BHttpDecoder().decodeResponse(message);
    equal(response.status, 405);
    equal(response.headers.get("retry-after"), "5");
    equal(await response.text(), body);
  });
}
// It leaves the query of an address out.
await test("we read a request of bhttp-js", async () => {
  const message = await new BHttpEncoder().encodeRequest(
    new Request("https://cloak.example/v1/queries", { method: "POST", body, headers: { "content-type": "application/json" } }),
  );
  const [method, scheme, authority, path, content, ...fields] = await ask("bhttp-decode", message);
  equal([method, scheme, authority, path, content].map(text).join(" "), `POST https cloak.example /v1/queries ${body}`);
  equal(fields.map(text).join(" "), "content-type application/json");
});
await test("we read a response of bhttp-js", async () => {
  const message = await new BHttpEncoder().encodeResponse(new Response(body, { status: 404, headers: { vary: "x" } }));
  const [status, content, ...fields] = await ask("bhttp-decode", message);
  equal(status, [0x01, 0x94]);
  equal(text(content), body);
  equal(fields.map(text).join(" ").includes("vary x"), true);
});

// --- Oblivious HTTP, by the steps of RFC 9458 over @hpke/core -------------------------------------

const header = (keyId, aead) => Uint8Array.from([keyId, 0, KemId.DhkemX25519HkdfSha256, 0, KdfId.HkdfSha256, 0, aead.id]);
const join = (...parts) => new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));

/** 4.4: key and nonce of a response. */
async function responseCipher(context, aead, enc, nonce) {
  const secret = await context.export(bytes("message/bhttp response"), Math.max(aead.key, aead.nonce));
  const ikm = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const derive = (info, size) =>
    crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: join(enc, nonce), info: bytes(info) }, ikm, 8 * size);
  const cipher = aead.make().createEncryptionContext(await derive("key", aead.key));
  return { cipher, iv: await derive("nonce", aead.nonce) };
}

for (const aead of aeads) {
  await test(`a client on @hpke/core asks our gateway with ${aead.name}`, async () => {
    const [list] = await ask("ohttp-keys");
    equal((list[0] << 8) | list[1], list.length - 2);
    const keyId = list[2];
    const hdr = header(keyId, aead);
    const key = await suite(aead).kem.deserializePublicKey(list.slice(5, 37).buffer);
    const info = join(bytes("message/bhttp request"), [0], hdr);
    const context = await suite(aead).createSenderContext({ recipientPublicKey: key, info });
    const enc = new Uint8Array(context.enc);
    const sealed = join(hdr, enc, new Uint8Array(await context.seal(bytes("a request"))));
    const [opened] = await ask("ohttp-open", sealed);
    equal(text(opened), "a request");
    const [answer] = await ask("ohttp-answer", "an answer");
    const size = Math.max(aead.key, aead.nonce);
    const { cipher, iv } = await responseCipher(context, aead, enc, answer.slice(0, size));
    equal(text(await cipher.open(iv, answer.slice(size), new Uint8Array())), "an answer");
    sealed[sealed.length - 1] ^= 1;
    equal(await ask("ohttp-open", sealed), "null");
  });
  await test(`our client asks a gateway on @hpke/core with ${aead.name}`, async () => {
    const key = await keyPair(aead);
    const config = join([7, 0, 0x20], key.public, [0, 4, 0, 1, 0, aead.id]);
    const list = join([0, config.length], config);
    const [sealed] = await ask("ohttp-seal", list, [aead.id], "a request");
    equal(sealed.slice(0, 7), header(7, aead));
    const enc = sealed.slice(7, 39);
    const context = await suite(aead).createRecipientContext({
      recipientKey: key.pair.privateKey,
      enc,
      info: join(bytes("message/bhttp request"), [0], header(7, aead)),
    });
    equal(text(await context.open(sealed.slice(39))), "a request");
    const nonce = crypto.getRandomValues(new Uint8Array(Math.max(aead.key, aead.nonce)));
    const { cipher, iv } = await responseCipher(context, aead, enc, nonce);
    const answer = join(nonce, new Uint8Array(await cipher.seal(iv, bytes("an answer"), new Uint8Array())));
    const [opened] = await ask("ohttp-read", answer);
    equal(text(opened), "an answer");
    answer[0] ^= 1;
    equal(await ask("ohttp-read", answer), "null");
  });
}

// --- Privacy Pass ---------------------------------------------------------------------------------

const { BlindRSAMode, Client, Issuer, Origin, getPublicKeyBytes, convertEncToRSASSAPSS, convertRSASSAPSSToEnc } = publicVerif;
const context = crypto.getRandomValues(new Uint8Array(32));
const challenge = new TokenChallenge(2, "issuer.example", context, ["cloak.example", "other.example"]);

await test("privacypass-ts has the same bytes for a challenge", async () => {
  const [ours] = await ask("pass-challenge", "issuer.example", context, "cloak.example,other.example");
  equal(ours, challenge.serialize());
  const none = new TokenChallenge(2, "issuer.example", new Uint8Array(), []);
  equal((await ask("pass-challenge", "issuer.example", "", ""))[0], none.serialize());
});
await test("a client of privacypass-ts has a token of our issuer, and both verify it", async () => {
  const [spki, , directory] = await ask("pass-issuer");
  const read = JSON.parse(text(directory));
  equal(new Uint8Array(Buffer.from(read["token-keys"][0]["token-key"], "base64url")), spki);
  const client = new Client(BlindRSAMode.PSS);
  const request = await client.createTokenRequest(challenge, spki);
  const [response] = await ask("pass-issue", request.serialize());
  const token = await client.finalize(client.deserializeTokenResponse(response));
  const value = new AuthorizationHeader(token).toString();
  equal(Boolean(await ask("pass-verify", spki, challenge.serialize(), value)), true);
  equal(Boolean(await ask("pass-verify", spki, challenge.serialize(), new AuthorizationHeader(token).toString(true))), true);
  equal(await ask("pass-verify", spki, "another challenge", value), "null");
  const key = await crypto.subtle.importKey("spki", convertRSASSAPSSToEnc(spki), { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);
  equal(await new Origin(BlindRSAMode.PSS, ["cloak.example"]).verify(token, key), true);
});
await test("our client has a token of an issuer of privacypass-ts, and both verify it", async () => {
  const keys = await Issuer.generateKey(BlindRSAMode.PSS, { modulusLength: 2048, publicExponent: Uint8Array.from([1, 0, 1]) });
  const issuer = new Issuer(BlindRSAMode.PSS, "issuer.example", keys.privateKey, keys.publicKey);
  const spki = await getPublicKeyBytes(keys.publicKey);
  const [request] = await ask("pass-begin", challenge.serialize(), spki);
  const { TokenRequest } = publicVerif;
  const response = await issuer.issue(TokenRequest.deserialize(TOKEN_TYPES.BLIND_RSA, request));
  const [token, value] = await ask("pass-finish", response.serialize());
  const read = AuthorizationHeader.parse(TOKEN_TYPES.BLIND_RSA, text(value))[0].token;
  equal(read.serialize(), token);
  equal(await issuer.verify(Token.deserialize(TOKEN_TYPES.BLIND_RSA, token)), true);
  equal(Boolean(await ask("pass-verify", spki, challenge.serialize(), value)), true);
  const wrong = response.serialize();
  wrong[100] ^= 1;
  await ask("pass-begin", challenge.serialize(), spki);
  equal(await ask("pass-finish", wrong), "null");
});
await test("an issuer of privacypass-ts signs with the key file of ours", async () => {
  const [spki, pem] = await ask("pass-issuer");
  const der = Buffer.from(text(pem).replace(/-----.*-----/g, "").replaceAll("\n", ""), "base64");
  const algorithm = { name: "RSA-PSS", hash: "SHA-384" };
  const secret = await crypto.subtle.importKey("pkcs8", der, algorithm, true, ["sign"]);
  const key = await crypto.subtle.importKey("spki", convertRSASSAPSSToEnc(spki), algorithm, true, ["verify"]);
  equal(convertEncToRSASSAPSS(new Uint8Array(await crypto.subtle.exportKey("spki", key))), spki);
  const issuer = new Issuer(BlindRSAMode.PSS, "issuer.example", secret, key);
  const [request] = await ask("pass-begin", challenge.serialize(), spki);
  const response = await issuer.issue(publicVerif.TokenRequest.deserialize(TOKEN_TYPES.BLIND_RSA, request));
  const [, value] = await ask("pass-finish", response.serialize());
  equal(Boolean(await ask("pass-verify", spki, challenge.serialize(), value)), true);
});
await test("WWW-Authenticate goes both ways", async () => {
  const [spki] = await ask("pass-issuer");
  const [value] = await ask("pass-offer", challenge.serialize(), spki, [60]);
  const [read] = WWWAuthenticateHeader.parse(text(value));
  equal(read.challenge.serialize(), challenge.serialize());
  equal(read.tokenKey, spki);
  equal(read.maxAge, 60);
  for (const quoted of [false, true]) {
    const theirs = new WWWAuthenticateHeader(challenge, spki, 10).toString(quoted);
    const [ourChallenge, ourKey] = await ask("pass-offers", `Basic realm="x", ${theirs}`);
    equal(ourChallenge, challenge.serialize());
    equal(ourKey, spki);
  }
});

peer.stdin.end();
console.log(`1..${count}`);
process.exitCode = failed > 0 ? 1 : 0;
