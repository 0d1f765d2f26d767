"""Keeps the sentence of a context that shares the most words with the question."""

import json
import re
import sys


def words(text):
    return set(re.findall(r"\w{4,}", text.lower()))


def compress(context, question):
    sentences = re.split(r"(?<=[.!?])\s+", context)
    return max(sentences, key=lambda sentence: len(words(sentence) & words(question)))


for line in sys.stdin:
    request = json.loads(line)
    context = compress(request["context"], request["question"])
    print(json.dumps({"id": request["id"], "context": context}), flush=True)
