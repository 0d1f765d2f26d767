"""A memory: keeps every turn, and answers with the turn that shares the most words with the question.

Run it with:
  assay memory --system-command 'python3 examples/python/memory.py' --dataset locomo=examples/talk.json
"""

import json
import re
import sys

turns = []


def words(text):
    return set(re.findall(r"[a-z0-9]{3,}", text.lower()))


def query(question):
    asked = words(question)
    best = max(turns, key=lambda turn: len(words(turn["content"]) & asked), default={"content": ""})
    return {"answer": best["content"], "context": best["content"]}


for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request["op"] == "reset":
        turns = []
    elif request["op"] == "ingest":
        turns.extend(request["turns"])
    else:
        answer.update(query(request["question"]))
    print(json.dumps(answer), flush=True)
