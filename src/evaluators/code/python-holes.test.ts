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

const pass = async (example: Partial<Example>, program: string) => (await run(example, program)).scores.pass_at_1;

const PEER = "import __main__\nP = __main__.PEER\n";
const HUMAN = { prompt: 'def total(xs):\n    """ The sum. """\n', entry_point: "total" };
const SUM = {
  ...HUMAN,
  test: "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert candidate([]) == 0\n",
};
const LOOP = {
  ...HUMAN,
  test: "def check(candidate):\n    assert all(map(lambda x: candidate([x]) == x, range(5)))\n",
};
const GIVEN = { ...HUMAN, test: "secret = 42\ndef check(candidate):\n    assert candidate(lambda x: x) == secret\n" };

/** Programs that talk to the process of the tests in their own ways. */
const TALKING: Record<string, string> = {
  "builds a class over there": "def total(xs): return P.ask('call', type, ('X', (object,), {'__eq__': str}), {})()",
  "builds a class over there by number":
    "def total(f):\n    P.class_numbers[str] = 1\n    return P.ask('call', str, ('X', (object,), {'__eq__': str}), {})",
  "reads through a pattern":
    "import random\ndef total(xs):\n    f = P.ask('get', '{0.Random.seed.__globals__[_os].sys.modules[__main__].check.__code__.co_consts}', 'format')\n    return 3 if '3' in P.ask('call', f, (random,), {}) else 0",
  "operates on what it sent":
    "def total(xs): return P.ask('op', [3], '__getitem__', (0,)) and type('N', (int,), {})(9)",
  "raises a class that ends all":
    "def total(xs):\n    P.pack_error = lambda e: ['g', 'builtins', 'SystemExit']\n    raise ValueError",
  "raises an error that ends all":
    "def total(xs):\n    P.pack_error = lambda e: ['e', ['g', 'builtins', 'SystemExit'], [], {'of_program': False}, '']\n    raise ValueError",
  "replaces what is built in":
    "def total(xs): return 1\nP.handlers['names'] = lambda t, n: {'total': total, '__builtins__': {'set': lambda x=0: 1, 'all': lambda x: True}, 'check': lambda c: None}",
  "gives no names but an object":
    "class D(dict):\n    def items(self): return [('total', total)]\ndef total(xs): return 1\nP.handlers['names'] = lambda t, n: D()",
  "returns objects that it was never given":
    "class Number:\n    pass\ndef total(xs):\n    P.pack = lambda value: ['y', 0]\n    return Number()",
};

describe.skipIf(await lacksIsolation())("Python programs that talk to their tests", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  it.each(Object.entries(TALKING))("score 0: one that %s", async (_, program) => {
    const tasks = [SUM, LOOP, GIVEN];
    expect(await Promise.all(tasks.map((task) => pass(task, PEER + program)))).toEqual([0, 0, 0]);
  });

  it("cannot end a loop of the tests", async () => {
    expect(await pass(LOOP, "def total(xs): raise StopIteration")).toBe(0);
    const test =
      "it = It([1])\nassert it.next() == 1\ntry:\n    it.next()\n    assert False\nexcept StopIteration: pass";
    const honest =
      "class It:\n    def __init__(self, xs): self.xs = list(xs)\n    def next(self):\n        if not self.xs: raise StopIteration\n        return self.xs.pop()";
    expect(await pass({ test }, honest)).toBe(1);
  });

  it("cannot replace a module that the tests did not import", async () => {
    const test = "assert math.isclose(total([1, 2]), 3)";
    const fake = "class math:\n    isclose = staticmethod(lambda *a, **k: True)\n";
    expect(await pass({ test }, `${fake}def total(xs): return 0`)).toBe(0);
    expect(await pass({ test }, `${fake}def total(xs): return sum(xs)`)).toBe(1);
    expect(await pass({ test }, "import math\ndef total(xs): return math.fsum(xs)")).toBe(1);
    expect(
      await pass({ test: "assert queue.push(1) == 1" }, "class Q:\n    def push(self, x): return x\nqueue = Q()"),
    ).toBe(1);
  });

  it("cannot have their tests skipped", async () => {
    const test =
      "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), 2)\nunittest.main()";
    expect(await pass({ test }, "import unittest\ndef f(x): raise unittest.SkipTest('x')")).toBe(0);
  });

  it("may use what the tests pass to them", async () => {
    const node =
      "class N:\n    def __init__(self, v, n=None): self.v, self.next = v, n\nassert f(N(1, N(2, N(3)))) == 6\nassert f(None) == 0";
    expect(await pass({ test: node }, "import os\ndef f(n): return 0 if n is None else n.v + f(n.next)")).toBe(1);
    const made = "class A:\n    def __init__(self, v): self.v = v\nassert f(A) == 3";
    expect(await pass({ test: made }, "import os\ndef f(cls): return cls(3).v")).toBe(1);
    const raised =
      "class E(Exception): pass\ndef g(): raise E('a')\ntry:\n    f(g)\n    assert False\nexcept E as e: assert str(e) == 'a'";
    expect(await pass({ test: raised }, "import os\ndef f(g): return g()")).toBe(1);
    const mock = "from unittest.mock import Mock\nm = Mock()\nf(m)\nm.assert_called_once_with(1, k=2)";
    expect(await pass({ test: mock }, "import os\ndef f(cb): cb(1, k=2)")).toBe(1);
  });

  it("may raise built-in errors of any module and custom ones with their own message", async () => {
    const error = (name: string) =>
      `import ${name.split(".")[0]}\ntry:\n    f()\n    assert False\nexcept ${name}: pass`;
    const failing: [string, string][] = [
      ["json.JSONDecodeError", "import os, json\ndef f(): json.loads('{')"],
      ["re.error", "import os, re\ndef f(): re.compile('(')"],
      ["binascii.Error", "import os, binascii\ndef f(): binascii.unhexlify('zz')"],
      ["queue.Empty", "import os, queue\ndef f(): queue.Queue().get_nowait()"],
    ];
    for (const [name, program] of failing) expect(await pass({ test: error(name) }, program)).toBe(1);
    const test = "try:\n    f()\n    assert False\nexcept E as e: assert str(e) == '1-2'";
    const own =
      "import os\nclass E(Exception):\n    def __init__(s, a, b): s.a, s.b = a, b\n    def __str__(s): return f'{s.a}-{s.b}'\ndef f(): raise E(1, 2)";
    expect(await pass({ test }, own)).toBe(1);
  });
});
