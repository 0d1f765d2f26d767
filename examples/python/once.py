"""A program that answers one request and ends: it reads all of stdin, prints one object and exits.

Run it with:
  assay --system-command 'python3 examples/python/once.py' --dataset needle -n 5
"""

import json
import sys

request = json.load(sys.stdin)
print(json.dumps({"id": request["id"], "response": request["question"].split()[-1]}))
