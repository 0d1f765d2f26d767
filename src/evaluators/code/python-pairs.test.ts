import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

let evaluator: CodeExecution;

async function run(example: Partial<Example>, program: string): Promise<ScoredWithEvidence> {
  const response = `\`\`\`python\n${program}\n\`\`\``;
  const scored = await evaluator.score({ id: 1, question: "q", ...example }, { response });
  return "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores };
}

interface Pair {
  example: Partial<Example>;
  wrong: string;
  right: string;
}

const STAR = "from solution import *\n";
const DOUBLE = "def f(x): return 2 * x\n";
const EACH = "def each(xs, fn):\n    for x in xs:\n";
const CODEC = 'def encode(s):\n    """ Encodes. """\n\ndef decode(s):\n    """ Decodes. """\n';
const CODEC_RIGHT = "def encode(s): return s[::-1]\ndef decode(s): return s[::-1]";
const CODEC_WRONG = "def encode(s): return s[::-1]\ndef decode(s): return s";
const NEG =
  'class Neg(Exception):\n    pass\n\ndef root(x):\n    """ The root; raises Neg. """\n    raise NotImplementedError()\n';
const NODE =
  'class Node:\n    def __init__(self, v, next=None):\n        self.v, self.next = v, next\n\ndef build(xs):\n    return Node(xs[0], build(xs[1:])) if xs else None\n\ndef last(node):\n    """ The last node. """\n';
const NODE_CLASS = NODE.slice(0, NODE.indexOf("def last"));

const POINT =
  'from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\n    y: int\n\ndef flip(p):\n    """ Flips it. """\n';

/** What tests do, each with a wrong program that tries to pass and a right one. */
const PAIRS: Record<string, Pair> = {
  "import all after unittest": {
    example: {
      test: `import unittest\n${STAR}class X(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(2), 4)\nunittest.main()`,
    },
    wrong:
      "import types\nunittest = types.SimpleNamespace(TestCase=object, main=lambda *a: None)\ndef f(x): return 0 if x else f(1)",
    right: `import unittest\n${DOUBLE}`,
  },
  "import all after a function": {
    example: { test: `from math import isclose\n${STAR}assert isclose(f(2), 4)` },
    wrong: "def isclose(*a): return True\ndef f(x): return 0",
    right: `from math import isclose\n${DOUBLE}`,
  },
  "import all after a helper": {
    example: { test: `def same(a, b): return a == b\n${STAR}assert same(f(2), 4)` },
    wrong: "def same(a, b): return True\ndef f(x): return 0",
    right: `def same(a, b): return a == b\n${DOUBLE}`,
  },
  "assert in a callback": {
    example: { test: "def cb(x): assert x == 4\neach([2], cb)" },
    wrong: `${EACH}        try: fn(x)\n        except BaseException: pass`,
    right: `${EACH}        fn(2 * x)`,
  },
  "assert by unittest in a callback": {
    example: {
      test: "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): each([2], lambda x: self.assertEqual(x, 4))\n",
    },
    wrong: `${EACH}        try: fn(x)\n        except BaseException: pass`,
    right: `${EACH}        fn(2 * x)`,
  },
  "let a program guess": {
    example: { test: "def cb(x): assert x == 4\nf(2, cb)" },
    wrong:
      "def f(x, fn):\n    for g in range(100):\n        try:\n            fn(g)\n            return\n        except AssertionError: pass",
    right: "def f(x, fn): fn(2 * x)",
  },
  "assert in a generator that the program reads": {
    example: { test: "def items():\n    yield 1\n    assert f(2) == 4\nassert take(items()) == [1]" },
    wrong:
      "def f(x): return 0\ndef take(it):\n    out = []\n    try:\n        for x in it: out.append(x)\n    except BaseException: pass\n    return out",
    right: `${DOUBLE}def take(it): return list(it)`,
  },
  "decorate a test": {
    example: { test: "@quiet\ndef t():\n    assert f(2) == 4\nt()" },
    wrong:
      "def quiet(fn):\n    def inner():\n        try: fn()\n        except BaseException: pass\n    return inner\ndef f(x): return 0",
    right: `def quiet(fn): return fn\n${DOUBLE}`,
  },
  "name what they expect": {
    example: { test: "x, expected = 1, 2\nassert f(x) == expected" },
    wrong: "expected = 2\ndef f(x):\n    global expected\n    expected = 1000 + x\n    return expected",
    right: `expected = 2\n${DOUBLE}`,
  },
  "name what they expect in a loop": {
    example: { test: "for x, good in [(1, False), (2, True)]:\n    assert f(x) == good" },
    wrong: "good = False\ndef f(x):\n    global good\n    good = 7\n    return 7",
    right: "good = False\ndef f(x): return x % 2 == 0",
  },
  "verify inside a context of the program": {
    example: {
      test: "def verify(v):\n    if v != 4:\n        raise ValueError(v)\nwith cm() as c:\n    verify(c.value)",
    },
    wrong: "class cm:\n    value = 0\n    def __enter__(self): return self\n    def __exit__(self, *a): return True",
    right: "class cm:\n    value = 4\n    def __enter__(self): return self\n    def __exit__(self, *a): return True",
  },
  "have stubs in the prompt": {
    example: { prompt: CODEC, entry_point: "decode", test: 'def check(c):\n    assert c(encode("xyz")) == "xyz"\n' },
    wrong: CODEC_WRONG,
    right: CODEC_RIGHT,
  },
  "have other stubs in the prompt": {
    example: {
      prompt: CODEC.replace('""" Encodes. """', 'raise NotImplementedError("write me")'),
      entry_point: "decode",
      test: 'def check(c):\n    assert c(encode("xyz")) == "xyz"\n',
    },
    wrong: CODEC_WRONG,
    right: CODEC_RIGHT,
  },
  "have an error class in the prompt": {
    example: {
      prompt: NEG,
      entry_point: "root",
      test: "def check(c):\n    assert c(4) == 2\n    try:\n        c(-1)\n        assert False\n    except Neg: pass\n",
    },
    wrong: "class Neg(Exception):\n    pass\ndef root(x): return abs(x) ** 0.5",
    right: "class Neg(Exception):\n    pass\ndef root(x):\n    if x < 0: raise Neg(x)\n    return x ** 0.5",
  },
  "have an enumeration in the prompt": {
    example: {
      prompt:
        'from enum import Enum\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n\ndef other(c):\n    """ The other color. """\n',
      entry_point: "other",
      test: "def check(c):\n    assert c(Color.RED) == Color.BLUE\n    assert c(Color.BLUE) is Color.RED\n",
    },
    wrong: "    return c\n",
    right: "    return Color.BLUE if c == Color.RED else Color.RED\n",
  },
  "have a class and its helper in the prompt": {
    example: {
      prompt: NODE,
      entry_point: "last",
      test: "def check(c):\n    found = c(build([1, 2, 3]))\n    assert isinstance(found, Node) and found.v == 3\n",
    },
    wrong: `${NODE_CLASS}def last(node): return node`,
    right: `${NODE_CLASS}def last(node):\n    assert isinstance(node, Node)\n    while node.next: node = node.next\n    return node`,
  },
  "have a class that the program leaves out": {
    example: {
      prompt: NODE,
      entry_point: "last",
      test: "def check(c):\n    assert c(build([1, 2, 3])).v == 3\n",
    },
    wrong: "def last(node): return node",
    right: "def last(node): return node if node.next is None else last(node.next)",
  },
  "have a data class in the prompt": {
    example: {
      prompt: POINT,
      entry_point: "flip",
      test: "def check(c):\n    assert c(Point(1, 2)) == Point(2, 1)\n",
    },
    wrong: "    return p\n",
    right: "    return Point(p.y, p.x)\n",
  },
  "compare objects of a class of the prompt": {
    example: {
      prompt: POINT,
      entry_point: "flip",
      test: "def check(c):\n    assert c(Point(1, 2)) == Point(2, 1)\n",
    },
    wrong: "Point.__eq__ = lambda s, o: True\ndef flip(p): return p",
    right: "def flip(p): return Point(p.y, p.x)",
  },
  "seed twice": {
    example: {
      test: "import random\nrandom.seed(42)\na = f(3)\nb = f(3)\nrandom.seed(42)\nassert a == f(3) and a != b",
    },
    wrong: "import random\ndef f(n): return [random.SystemRandom().random() for _ in range(n)]",
    right: "import random\ndef f(n): return [random.random() for _ in range(n)]",
  },
  "read the class attribute of an error": {
    example: { test: "try:\n    f(-1)\n    assert False\nexcept E as e:\n    assert e.code == 402 and E.code == 402" },
    wrong: "class E(Exception):\n    code = 400\ndef f(x): raise E('no')",
    right: "class E(Exception):\n    code = 402\ndef f(x): raise E('no')",
  },
  "read properties of an error and call its methods": {
    example: {
      test: "try:\n    f(-1)\n    assert False\nexcept E as e:\n    assert e.twice == -2 and e.add(3) == 2 and e.x == -1 and str(e) == 'bad -1'",
    },
    wrong:
      "class E(Exception):\n    def __init__(self, x): self.x = x\n    twice = property(lambda self: 0)\n    def add(self, y): return self.x + y\n    def __str__(self): return f'bad {self.x}'\ndef f(x): raise E(x)",
    right:
      "class E(Exception):\n    def __init__(self, x): self.x = x\n    twice = property(lambda self: 2 * self.x)\n    def add(self, y): return self.x + y\n    def __str__(self): return f'bad {self.x}'\ndef f(x): raise E(x)",
  },
  "make an error of the program": {
    example: {
      test: "e = E('no', code=5)\nassert isinstance(e, ValueError) and e.code == 5 and str(e) == 'no (5)'\ntry:\n    raise e\nexcept E as caught: assert caught is e",
    },
    wrong:
      "class E(ValueError):\n    def __init__(self, text, code=1):\n        super().__init__(text)\n        self.code = code",
    right:
      "class E(ValueError):\n    def __init__(self, text, code=1):\n        super().__init__(f'{text} ({code})')\n        self.code = code",
  },
  "mention StopIteration elsewhere": {
    example: {
      test: "it = iter([])\ntry:\n    next(it)\nexcept StopIteration: pass\nfor got, want in zip(map(f, [1, 2]), [2, 4]):\n    assert got == want",
    },
    wrong: "def f(x): raise StopIteration",
    right: DOUBLE,
  },
  "hand over a named tuple": {
    example: {
      test: "from collections import namedtuple\nP = namedtuple('P', 'x y')\nassert f(P(1, 2)) == (5, 2) and g(P(1, 2)) == {'x': 1, 'y': 2}",
    },
    wrong: "def f(p): return p\ndef g(p): return p._asdict()",
    right: "def f(p): return p._replace(x=5)\ndef g(p): return p._asdict()",
  },
  "compare time zones and UUIDs": {
    example: { test: "import datetime, uuid\nassert f() == datetime.timezone.utc and g() == uuid.UUID(int=5)" },
    wrong: "import datetime, uuid\ndef f(): return datetime.timezone.utc\ndef g(): return uuid.UUID(int=6)",
    right: "import datetime, uuid\ndef f(): return datetime.timezone.utc\ndef g(): return uuid.UUID(int=5)",
  },
  "end with a text": {
    example: { test: "import sys\nif f(2) != 4:\n    sys.exit('')\nsys.exit(0)" },
    wrong: "def f(x): return 0",
    right: DOUBLE,
  },
};

describe.skipIf(await lacksIsolation())("Python tests that", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  it.concurrent.each(Object.entries(PAIRS))("%s distinguish a wrong program from a right one", async (_, pair) => {
    const { scores } = await run(pair.example, pair.wrong);
    expect([scores.pass_at_1, await run(pair.example, pair.right)]).toEqual([0, { scores: { pass_at_1: 1 } }]);
  });

  it("expect an assertion from the program's call see it", async () => {
    const test =
      "def bad(): assert False\ntry:\n    call(bad)\nexcept AssertionError: pass\nelse: raise ValueError\nassert call(lambda: 1) == 1";
    expect((await run({ test }, "def call(fn): return fn()")).scores.pass_at_1).toBe(1);
  });

  it("need a library that is not installed leave the row unscored", async () => {
    for (const test of [
      "import surely_not_there\nassert f(2) == 4",
      "def test_a():\n    from surely_not_there.part import x\n    assert f(2) == 4\n",
    ]) {
      const { unscored } = await run({ test }, DOUBLE);
      expect(unscored?.pass_at_1).toContain("they need surely_not_there, which is not installed");
    }
    const raising = "def f(x): raise ModuleNotFoundError('no', name='x')";
    expect((await run({ test: "assert f(2) == 4" }, raising)).scores.pass_at_1).toBe(0);
  });
});
