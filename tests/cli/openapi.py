#!/usr/bin/env python3
"""Whether a real response is one that openapi.json describes.

usage: openapi.py OPENAPI.json PATH METHOD STATUS BODYFILE [MEDIA-TYPE]

The status must be described for that page and method, its media type too (without one given, the
only one there is), and a JSON body must fit the schema. Nothing is printed if it is so; otherwise
one line says what is not, and the exit code is 1.

This is the small part of JSON Schema 2020-12 that the document uses. A word that is not known here
is a failure of its own, wherever it stands in the schema, so that nothing goes unchecked. The same
part is checked by tests/support/json_schema.c.
"""
import json
import re
import sys


class Differs(Exception):
    """The value does not fit."""


class NotUnderstood(Exception):
    """The schema has something that is not known here."""


def find(document, pointer):
    """What "#/a/b" points at."""
    if not pointer.startswith("#/"):
        raise NotUnderstood(f"a reference that leads elsewhere: {pointer}")
    at = document
    for name in pointer[2:].split("/"):
        name = name.replace("~1", "/").replace("~0", "~")
        if not isinstance(at, dict) or name not in at:
            raise NotUnderstood(f"nothing is at {pointer}")
        at = at[name]
    return at


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "number": is_number,
    "integer": lambda v: is_number(v) and (isinstance(v, int) or v.is_integer()),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


def same(a, b):
    """Equal as JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    return a == b


class Checker:
    """Checks values against schemas of one document."""

    def __init__(self, document):
        self.document = document
        # For each word: how a value is checked, and the schemas that stand in it.
        self.words = {
            "type": (self.type, None),
            "enum": (self.enum, None),
            "const": (self.const, None),
            "$ref": (self.reference, lambda said: [find(self.document, said)]),
            "oneOf": (self.one_of, list),
            "anyOf": (self.any_of, list),
            "allOf": (self.all_of, list),
            "properties": (self.properties, lambda said: list(said.values())),
            "required": (self.required, None),
            "additionalProperties": (self.additional, lambda said: [] if said is False else [said]),
            "minProperties": (self.limit(dict, len, lambda n, said: n >= said), None),
            "items": (self.items, lambda said: [] if said is False else [said]),
            "prefixItems": (self.prefix_items, list),
            "minItems": (self.limit(list, len, lambda n, said: n >= said), None),
            "maxItems": (self.limit(list, len, lambda n, said: n <= said), None),
            "uniqueItems": (self.unique, None),
            "minimum": (self.limit(None, float, lambda n, said: n >= said), None),
            "exclusiveMinimum": (self.limit(None, float, lambda n, said: n > said), None),
            "maximum": (self.limit(None, float, lambda n, said: n <= said), None),
            "minLength": (self.limit(str, len, lambda n, said: n >= said), None),
            "maxLength": (self.limit(str, len, lambda n, said: n <= said), None),
            "pattern": (self.pattern, None),
            "title": (self.silent, None),
            "description": (self.silent, None),
            "examples": (self.silent, None),
            "default": (self.silent, None),
        }

    def audit(self, schema, depth=0):
        """Every word of the schema, and of all that it refers to, is known."""
        if not isinstance(schema, dict):
            raise NotUnderstood(f"a schema that is no object: {schema!r}")
        if depth > 64:
            raise NotUnderstood("a schema that refers to itself")
        for name, said in schema.items():
            if name not in self.words:
                raise NotUnderstood(f"a word that is not known: {name}")
            inner = self.words[name][1]
            for part in inner(said) if inner else []:
                self.audit(part, depth + 1)

    def check(self, schema, value, where="the body"):
        self.audit(schema)
        self.fits(schema, value, where)

    def fits(self, schema, value, where):
        for name, said in schema.items():
            self.words[name][0](schema, said, value, where)

    # --- The words ------------------------------------------------------------------------

    def silent(self, schema, said, value, where):
        pass

    def type(self, schema, said, value, where):
        names = [said] if isinstance(said, str) else said
        for name in names:
            if name not in TYPES:
                raise NotUnderstood(f"a type that is not known: {name}")
        if not any(TYPES[name](value) for name in names):
            raise Differs(f"{where} is no {' or '.join(names)}: {value!r}")

    def enum(self, schema, said, value, where):
        if not any(same(one, value) for one in said):
            raise Differs(f"{where} is none of {said}: {value!r}")

    def const(self, schema, said, value, where):
        if not same(said, value):
            raise Differs(f"{where} is not {said!r}: {value!r}")

    def reference(self, schema, said, value, where):
        self.fits(find(self.document, said), value, where)

    def how_many(self, schemas, value, where):
        reasons = []
        for schema in schemas:
            try:
                self.fits(schema, value, where)
            except Differs as reason:
                reasons.append(str(reason))
        return len(schemas) - len(reasons), "; ".join(reasons)

    def one_of(self, schema, said, value, where):
        count, reasons = self.how_many(said, value, where)
        if count != 1:
            raise Differs(f"{where} fits {count} of several, and one it must be: {reasons}")

    def any_of(self, schema, said, value, where):
        count, reasons = self.how_many(said, value, where)
        if count == 0:
            raise Differs(f"{where} fits none of several: {reasons}")

    def all_of(self, schema, said, value, where):
        for one in said:
            self.fits(one, value, where)

    def properties(self, schema, said, value, where):
        if isinstance(value, dict):
            for name in said.keys() & value.keys():
                self.fits(said[name], value[name], f"{where}/{name}")

    def required(self, schema, said, value, where):
        if isinstance(value, dict):
            for name in said:
                if name not in value:
                    raise Differs(f"{where} has no {name}")

    def additional(self, schema, said, value, where):
        if isinstance(value, dict):
            for name in value.keys() - schema.get("properties", {}).keys():
                if said is False:
                    raise Differs(f"{where} has {name}, which is not expected")
                self.fits(said, value[name], f"{where}/{name}")

    def items(self, schema, said, value, where):
        if isinstance(value, list):
            first = len(schema.get("prefixItems", []))
            for i, item in enumerate(value[first:], first):
                if said is False:
                    raise Differs(f"{where} has more than {first} items")
                self.fits(said, item, f"{where}/{i}")

    def prefix_items(self, schema, said, value, where):
        if isinstance(value, list):
            for i, (one, item) in enumerate(zip(said, value)):
                self.fits(one, item, f"{where}/{i}")

    def unique(self, schema, said, value, where):
        if said and isinstance(value, list):
            for i, item in enumerate(value):
                if any(same(item, other) for other in value[:i]):
                    raise Differs(f"{where} has an item twice: {item!r}")

    def pattern(self, schema, said, value, where):
        if isinstance(value, str) and not re.search(said, value):
            raise Differs(f"{where} does not match {said}: {value!r}")

    @staticmethod
    def limit(kind, measure, is_met):
        """A word that limits a number, or the size of a text, list or object."""

        def check(schema, said, value, where):
            concerns = is_number(value) if kind is None else isinstance(value, kind)
            if concerns and not is_met(measure(value), said):
                raise Differs(f"{where} is beyond its limit of {said}: {value!r}")

        return check


def refuse_twins(pairs):
    """JSON with a member twice means whatever its reader likes."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Differs("the body has a member twice")
    return dict(pairs)


def refuse_number(text):
    raise Differs(f"the body has what is no JSON number: {text}")


def media_of(response, wanted):
    """The media type of a response and its schema; none for one without a body."""
    content = response.get("content")
    if not content:
        return None, None
    if not wanted:
        if len(content) > 1:
            raise Differs(f"say which media type it is: {' or '.join(content)}")
        wanted = next(iter(content))
    wanted = wanted.split(";")[0].strip()
    if wanted not in content:
        raise Differs(f"{wanted} is not described, only {' and '.join(content)}")
    return wanted, content[wanted]["schema"]


def check_response(document, path, method, status, body, wanted=None):
    operation = document["paths"].get(path, {}).get(method.lower())
    if operation is None:
        raise Differs(f"{method} {path} is not described")
    response = operation["responses"].get(status)
    if response is None:
        raise Differs(f"{method} {path} is not described to answer with {status}")
    if "$ref" in response:
        response = find(document, response["$ref"])
    media, schema = media_of(response, wanted)
    if media is None:
        if body:
            raise Differs("it has a body, and should have none")
    elif media.endswith("json"):
        try:
            value = json.loads(body, object_pairs_hook=refuse_twins, parse_constant=refuse_number)
        except ValueError as reason:
            raise Differs(f"the body is no JSON: {reason}") from reason
        Checker(document).check(schema, value)


def main(arguments):
    if len(arguments) not in (5, 6):
        sys.exit(__doc__)
    document_path, path, method, status, body_path = arguments[:5]
    with open(document_path, encoding="utf-8") as file:
        document = json.load(file)
    with open(body_path, "rb") as file:
        body = file.read()
    try:
        check_response(document, path, method, status, body, *arguments[5:])
    except (Differs, NotUnderstood) as reason:
        sys.exit(f"openapi.py: {method} {path} {status}: {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
