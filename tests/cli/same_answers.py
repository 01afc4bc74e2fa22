#!/usr/bin/env python3
"""usage: same_answers.py A.jsonl B.jsonl: whether two records have the same answers.

Distances may differ by a hand's breadth: positions went through seven decimals of a degree.
"""
import json
import sys


def answers(path):
    with open(path, encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {row["query"]: [r["distance_m"] for r in row["results"]]
            for row in rows if row["event"] == "answer"}


a, b = answers(sys.argv[1]), answers(sys.argv[2])
wrong = [q for q in b if len(a.get(q, [])) != len(b[q]) or
         any(abs(x - y) > 0.1 for x, y in zip(a[q], b[q]))]
print(f"# {len(b)} compared, {len(wrong)} differ")
sys.exit(0 if len(b) > 100 and not wrong else 1)
