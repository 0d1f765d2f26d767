"""An evaluator: is the answer in what the system returned, and how long is that?

Run it with:
  assay --system truncate:0.5 --dataset needle -n 20 --evaluator-command 'python3 examples/python/score.py'
"""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    example, output = request["example"], request["output"]
    text = (output.get("response") or output.get("context") or "").lower()
    found = str(example.get("answer", "")).lower() in text
    answer = {
        "id": request["id"],
        "scores": {"kept": 1 if found else 0},
        "measures": {"characters": len(text)},
        "evidence": {"kept": "the answer was found" if found else "the answer was not found"},
    }
    print(json.dumps(answer), flush=True)
