import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../../test/isolation.js";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { CodeExecution } from "../code-execution.js";

let evaluator: CodeExecution;

async function pass(example: Partial<Example>, program: string): Promise<number | undefined> {
  const response = `\`\`\`python\n${program}\n\`\`\``;
  const scored = await evaluator.score({ id: 1, question: "q", ...example }, { response });
  return "scores" in scored ? (scored as ScoredWithEvidence).scores.pass_at_1 : (scored as Scores).pass_at_1;
}

/** Correct programs of many styles: what, program, tests. */
const CORRECT: readonly (readonly [string, string, string])[] = [
  ["returns a map", "def f(xs): return map(str, xs)", "assert list(f([1, 2])) == ['1', '2'] and set(f([3])) == {'3'}"],
  ["returns a zip", "def f(a, b): return zip(a, b)", "assert dict(f('ab', [1, 2])) == {'a': 1, 'b': 2}"],
  ["returns a filter", "def f(xs): return filter(None, xs)", "assert sorted(f([0, 2, 1])) == [1, 2]"],
  ["returns a reversed list", "def f(xs): return reversed(xs)", "assert list(f([1, 2])) == [2, 1]"],
  ["returns an enumeration", "def f(xs): return enumerate(xs)", "assert list(f('a')) == [(0, 'a')]"],
  ["takes a map", "def f(xs): return sum(xs)", "assert f(map(int, '12')) == 3 and f(reversed([1])) == 1"],
  [
    "is async",
    "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    return x + 1",
    "import asyncio\nassert asyncio.run(f(1)) == 2",
  ],
  [
    "is awaited together",
    "async def f(x): return x",
    "import asyncio\nasync def both(): return await asyncio.gather(f(1), f(2))\nassert asyncio.run(both()) == [1, 2]",
  ],
  [
    "yields asynchronously",
    "async def f(n):\n    for i in range(n): yield i",
    "import asyncio\nasync def all_of(): return [x async for x in f(3)]\nassert asyncio.run(all_of()) == [0, 1, 2]",
  ],
  [
    "manages a context asynchronously",
    "class A:\n    async def __aenter__(self): return 1\n    async def __aexit__(self, *a): pass",
    "import asyncio\nasync def use():\n    async with A() as x: return x\nassert asyncio.run(use()) == 1",
  ],
  [
    "lets JSON complain",
    "import json\ndef f(s): return json.loads(s)",
    "import json\ntry:\n    f('{')\n    assert False\nexcept json.JSONDecodeError as e:\n    assert e.pos == 1",
  ],
  [
    "lets statistics complain",
    "import statistics\ndef f(s): return statistics.mean(s)",
    "import statistics\ntry:\n    f([])\n    assert False\nexcept statistics.StatisticsError: pass",
  ],
  [
    "lets a queue complain",
    "import queue\ndef f(): return queue.Queue().get_nowait()",
    "import queue\ntry:\n    f()\n    assert False\nexcept queue.Empty: pass",
  ],
  ["returns what it was given", "def f(x): return x", "x = [1]\nassert f(x) is x"],
  ["changes a list given by its name", "def f(a): a.sort()", "x = [2, 1]\nf(a=x)\nassert x == [1, 2]"],
  ["changes a list in a tuple", "def f(t): t[0].append(1)", "x = []\nf((x,))\nassert x == [1]"],
  ["changes a shared row", "def f(g): g[0][0] = 9", "r = [0]\ng = [r, r]\nf(g)\nassert g == [[9], [9]]"],
  ["gets a list twice", "def f(a, b):\n    a.append(1)\n    return b", "x = []\nassert f(x, x) == [1]"],
  [
    "makes named tuples",
    "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(): return P(1, 2)",
    "assert isinstance(f(), tuple) and f() == (1, 2) and f().x == 1",
  ],
  [
    "is a generator",
    "def f(n):\n    for i in range(n): yield i",
    "import types, inspect\nassert isinstance(f(3), types.GeneratorType) and inspect.isgeneratorfunction(f)",
  ],
  [
    "is an enumeration",
    "from enum import Enum\nclass Color(Enum):\n    RED = 1\n    BLUE = 2",
    "assert [c.name for c in Color] == ['RED', 'BLUE'] and Color['RED'].value == 1 and len(Color) == 2",
  ],
  [
    "wraps",
    "from functools import wraps\ndef deco(f):\n    @wraps(f)\n    def g(*a, **k): return f(*a, **k)\n    return g",
    "@deco\ndef hello():\n    return 1\nassert hello.__name__ == 'hello' and hello() == 1",
  ],
  [
    "is random, from a seed",
    "import random\ndef f(xs):\n    random.shuffle(xs)\n    return xs",
    "import random\nrandom.seed(4)\nr = f([1, 2, 3, 4])\nrandom.seed(4)\ny = [1, 2, 3, 4]\nrandom.shuffle(y)\nassert r == y",
  ],
  [
    "names its types",
    "from typing import List, Optional\ndef f(xs: List[int]) -> Optional[int]: return max(xs, default=None)",
    "import typing\nassert typing.get_type_hints(f)['return'] == typing.Optional[int] and f([]) is None",
  ],
  [
    "manages a context",
    "from contextlib import contextmanager\n@contextmanager\ndef cm(log):\n    log.append(1)\n    yield 5\n    log.append(2)",
    "log = []\nwith cm(log=log) as x:\n    assert x == 5\nassert log == [1, 2]",
  ],
  ["counts in a global", "n = 0\ndef f():\n    global n\n    n += 1", "f()\nf()\nassert n == 2"],
  ["keeps a global list", "log = []\ndef f(x): log.append(x)", "f(1)\nf(2)\nassert log == [1, 2]"],
  [
    "asks for input",
    "def f(): return int(input()) + 1",
    "from unittest.mock import patch\nwith patch('builtins.input', return_value='4'):\n    assert f() == 5",
  ],
  ["has a docstring", "def f():\n    'Docs.'\n    return 1", "assert f.__doc__ == 'Docs.'"],
  [
    "is a dataclass",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 2",
    "from dataclasses import asdict\nassert asdict(P(1)) == {'x': 1, 'y': 2} and vars(P(1)) == {'x': 1, 'y': 2}",
  ],
  [
    "is derived from",
    "class A:\n    def hi(self): return self.name()\n    def name(self): return 'a'",
    "class B(A):\n    def name(self): return 'b'\nassert B().hi() == 'b'",
  ],
  ["is imported", "def f(): return 1", "from solution import f\nassert f() == 1"],
  ["returns itself", "def f():\n    a = [1]\n    a.append(a)\n    return a", "a = f()\nassert a[1] is a"],
  [
    "has its list changed",
    "class S:\n    def __init__(self): self.x = []",
    "s = S()\ns.x.append(4)\nassert s.x == [4]",
  ],
  [
    "is tested by unittest",
    "async def f(x): return x",
    "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self): self.assertEqual(await f(1), 1)\nif __name__ == '__main__': unittest.main()",
  ],
];

const PROMPT = 'def total(xs):\n    """ The sum. """\n';
const TESTS = [
  "import math\nsecret = 42\ndef check(candidate):\n    assert math.isclose(candidate([1, 2]), 3)\n    assert candidate([]) == 0\n",
  "secret = 42\ndef check(candidate):\n    assert all(map(lambda x: abs(candidate([x]) - x) == 0, range(1, 5)))\n",
  "secret = 42\ndef check(candidate):\n    assert candidate(lambda x: x) == secret\n",
  "import math\ndef check(candidate):\n    assert math.isclose(candidate([1]), 1)\n",
  "def check(candidate):\n    assert abs(candidate([1])) == 1\n",
  "def check(candidate):\n    assert all(map(lambda x: candidate(xs=[x]) == x, range(1, 5)))\n",
];

/** Programs that would pass in one process with their tests, if they were let in. */
const CHEATS: Record<string, string> = {
  "an enumeration out of texts":
    "from enum import Enum\nX = Enum('X', [('_' + '_eq_' + '_', lambda s, o: True), ('A', 1)])\ndef total(xs): return X.A",
  "an enumeration out of another":
    "from enum import Enum\nclass B(Enum): pass\nX = B('X', [('_' + '_eq_' + '_', lambda s, o: True), ('A', 1)])\ndef total(xs): return X.A",
  "a class out of texts":
    "def total(xs):\n    t = type(int)\n    return t('X', (), {'_' + '_eq_' + '_': lambda s, o: True})()",
  "a class of a class":
    "from abc import ABCMeta\ndef total(xs): return ABCMeta('X', (), {'_' + '_eq_' + '_': lambda s, o: True})()",
  "an imported operator": "class A:\n    from operator import truth as __eq__\ndef total(xs): return A()",
  "a class for an operator":
    "class A:\n    class __eq__:\n        def __init__(self, *a): pass\ndef total(xs): return A()",
  "a matched operator":
    "class A:\n    match (lambda s, o: True):\n        case __eq__: pass\ndef total(xs): return A()",
  "a matched attribute": "def total(f):\n    match f:\n        case object(__globals__=g): return g['secret']",
  "the name of a variable of the tests": "def total(xs): return secret",
  "its own variable of that name": "secret = 0\ndef total(xs): return secret",
  "a change of what the tests have": "def total(xs):\n    global secret\n    secret = 7\n    return 7",
  "a change of a module": "import math\nmath.isclose = lambda *a: True\ndef total(xs): return [xs]",
  "a module handed on": "import math\ndef p(m): m.isclose = lambda *a: True\np(math)\ndef total(xs): return [xs]",
  "a module of a module": "import typing\ndef total(f): return typing.sys.modules['__main__'].secret",
  "another abs": "abs = lambda x: 1\ndef total(xs): return [0]",
  "another all": "def total(xs, y=(all := lambda x: True)): return [0]",
  "the end of a loop": "def total(xs): return next(iter([]))",
  "a pattern":
    "def total(f): return int(getattr('{0._' + '_globals_' + '_}', 'format')(f).split(\"'secret': \")[1][:2])",
  "an attribute by its name":
    "from operator import *\ndef total(f): return attrgetter('_' + '_globals_' + '_')(f)['secret']",
  "an early end": "import sys\ndef total(xs): sys.exit(0)",
};

describe.skipIf(await lacksIsolation())("Python programs in one process with their tests", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 6 });
  });
  afterAll(() => evaluator?.close());

  it.concurrent.each(CORRECT)("pass when they are right: one that %s", async (_, program, test) => {
    expect(await pass({ test }, program)).toBe(1);
  });

  it("fail when they are wrong", async () => {
    const wrong: [string, string][] = [
      ["def f(xs): return map(str, xs[1:])", "assert list(f([1, 2])) == ['1', '2']"],
      ["async def f(x): return x", "import asyncio\nassert asyncio.run(f(1)) == 2"],
      ["def f(x): return list(x)", "x = [1]\nassert f(x) is x"],
      ["async def f(x):\n    raise ValueError", "import asyncio\nassert asyncio.run(f(1)) == 2"],
    ];
    const scores = await Promise.all(wrong.map(([program, test]) => pass({ test }, program)));
    expect(scores).toEqual([0, 0, 0, 0]);
  });

  it.concurrent.each(Object.entries(CHEATS))("score 0 when they cheat by %s", async (_, program) => {
    const tasks = TESTS.map((test) => ({ prompt: PROMPT, entry_point: "total", test }));
    expect(await Promise.all(tasks.map((task) => pass(task, program)))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("keep the helpers of the prompt as they are", async () => {
    const prompt = `def near(a, b):\n    return abs(a - b) < 1e-6\n\n${PROMPT}`;
    const task = { prompt, entry_point: "total", test: "def check(c):\n    assert near(list(c([1]))[0], 1)\n" };
    expect(await pass(task, "def total(xs): return map(int, xs)")).toBe(1);
    expect(await pass(task, "def near(a, b): return True\ndef total(xs): return map(str, xs)")).toBe(0);
  });
});
