"""A compressor: keeps the tenth of the sentences that share the most words with the question.

Reads one JSON object per line and prints one for each. Run it with:
  assay --system-command 'python3 examples/python/compress.py' --dataset needle -n 20
"""

import json
import re
import sys


def words(text):
    return set(re.findall(r"[a-z0-9]{3,}", text.lower()))


def compress(context, question):
    asked = words(question)
    sentences = re.split(r"(?<=[.!?])\s+", context)
    ranked = sorted(sentences, key=lambda sentence: len(words(sentence) & asked), reverse=True)
    best = set(ranked[: max(1, len(ranked) // 10)])
    return " ".join(sentence for sentence in sentences if sentence in best)


for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    try:
        answer["context"] = compress(request.get("context", ""), request.get("question", ""))
    except Exception as error:  # One failed request must not end the program.
        answer["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(answer), flush=True)
