import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxError, UsageError } from "../core/errors.js";
import type { ScoredWithEvidence, Scores } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { describeIsolation } from "../exec/sandbox/isolation.js";
import { openSandbox, Sandbox } from "../exec/sandbox/sandbox.js";
import { lacksIsolation } from "../testing/isolation.js";
import { CodeExecution } from "./code-execution.js";

let evaluator: CodeExecution;

type Asked = Omit<Example, "id">;

async function run(example: Asked, response: unknown): Promise<ScoredWithEvidence> {
  const scored = await evaluator.score({ id: 1, question: "q", ...example }, { response: response as string });
  return "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores };
}

const passes = async (example: Asked, response: string) => (await run(example, response)).scores.pass_at_1;
const reason = async (example: Asked, response: string) => (await run(example, response)).evidence?.pass_at_1;

const ADD = { test: "assert add(1, 2) == 3" };
const STUB = {
  prompt: 'import math\n\ndef helper(x):\n    return x * 2\n\n\ndef twice(x):\n    """ Doubles. """\n',
  entry_point: "twice",
  test: "def check(candidate):\n    assert candidate(2) == 4\n    assert helper(1) == 2\n",
};

beforeAll(() => {
  evaluator = new CodeExecution({ timeoutSecs: 60 });
});

afterAll(() => evaluator?.close());

describe.skipIf(await lacksIsolation())("CodeExecution, Python", () => {
  it("scores plain tests", async () => {
    expect(await run(ADD, "def add(a, b):\n    return a + b")).toEqual({ scores: { pass_at_1: 1 } });
    expect(await run(ADD, "def add(a, b):\n    return a - b")).toEqual({
      scores: { pass_at_1: 0 },
      evidence: { pass_at_1: "AssertionError at assert add(1, 2) == 3" },
    });
    expect(await passes({ tests: ["x = add(1, 2)", "assert x == 3"] }, "add = lambda a, b: a + b")).toBe(1);
  });

  it.each([
    ["a body", "    return helper(x)\n"],
    ["a body that lost its first indent", "y = helper(x)\n    return y\n"],
    ["a body without any indent", "y = helper(x)\nreturn y\n"],
    ["a body in a fence", "```python\n    return helper(x)\n```"],
    ["a body with tabs", "\ty = helper(x)\n\treturn y\n"],
    ["a whole function that uses the prompt's imports", "def twice(x):\n    return int(math.floor(helper(x)))"],
    ["a repeated prompt", `${STUB.prompt}    return helper(x)\n`],
    ["prose around bare code", "Of course!\n\ndef twice(x):\n    return x + x\n\nThis doubles it."],
    ["a body with prose behind it", "    return x + x\n\nThis doubles it, doesn't it?\n"],
    ["a body that another function follows", "    return x + x\n\n\ndef other(y):\n    return 1 +\n"],
    ["imports of the future", "```python\nfrom __future__ import annotations\ndef twice(x: Any): return x + x\n```"],
    [
      "a program that prints and is a script",
      "def twice(x):\n    print(x)\n    return x + x\n\nif __name__ == '__main__':\n    input()\n",
    ],
  ])("runs %s for HumanEval", async (_, response) => {
    expect(await passes(STUB, response)).toBe(1);
  });

  it("keeps the helpers of the prompt unchanged", async () => {
    expect(await passes(STUB, "def helper(x):\n    return 5\n\ndef twice(x):\n    return 4")).toBe(1);
    expect(
      await passes(
        { ...STUB, test: "def check(c):\n    assert abs(helper(c(1))) == 0" },
        "def helper(x): return 0\ndef twice(x): return 7",
      ),
    ).toBe(0);
  });

  it("scores MBPP", async () => {
    const example = {
      test_imports: ["import math"],
      test_setup_code: "",
      test_list: ["assert math.isclose(area(1), math.pi)", "assert set(f([1, 2])) == {2, 4}"],
    };
    expect(
      await passes(
        example,
        "```python\ndef area(r):\n    return math.pi * r ** 2\ndef f(xs):\n    return (x * 2 for x in xs)\n```",
      ),
    ).toBe(1);
    const tree = {
      test_setup_code: "root = Node(1)\nroot.left = Node(2)\nroot.left.left = Node(3)",
      test_list: ["assert height(root) == 3"],
    };
    const solution =
      "class Node:\n    def __init__(self, v):\n        self.v, self.left, self.right = v, None, None\n\n" +
      "def height(n):\n    return 0 if n is None else 1 + max(height(n.left), height(n.right))";
    expect(await passes(tree, solution)).toBe(1);
  });

  it.each([
    [
      "plain data of every kind",
      "assert f([(1, 2.5), {'a': {3, 4}}, b'x', 10 ** 40, None, 1j, range(3)]) == [(1, 2.5), {'a': {3, 4}}, b'x', 10 ** 40, None, 1j, range(3)]",
      "f = lambda x: x",
    ],
    [
      "special numbers",
      "import math\nassert math.isnan(f(float('nan'))) and f(float('-inf')) == float('-inf') and str(f(-0.0)) == '-0.0'",
      "f = lambda x: x",
    ],
    [
      "counters and such",
      "from collections import *\nassert f('aab') == Counter('aab') == {'a': 2, 'b': 1} and g() == deque([1]) and h() == {'k': [1]}",
      "from collections import *\nf = Counter\ng = lambda: deque([1])\ndef h():\n    d = defaultdict(list)\n    d['k'].append(1)\n    return d",
    ],
    [
      "fractions and dates",
      "from fractions import Fraction\nimport datetime\nassert f() == Fraction(1, 3) and g() == datetime.date(2020, 2, 29)",
      "import fractions, datetime\nf = lambda: fractions.Fraction(1, 3)\ng = lambda: datetime.date(2020, 2, 29)",
    ],
    [
      "lists changed in place",
      "a = [3, 1, 2]\nb = {'k': [1]}\nassert f(a, b) is None and a == [1, 2, 3] and b == {'k': [1, 9], 'n': 1}",
      "def f(a, b):\n    a.sort(); b['k'].append(9); b['n'] = 1",
    ],
    [
      "functions as arguments",
      "seen = []\nassert f(lambda x: seen.append(x) or x * 2, [1, 2]) == [2, 4] and seen == [1, 2]",
      "def f(g, xs): return [g(x) for x in xs]",
    ],
    [
      "functions as results",
      "g = f(3)\nassert g(4) == 7 and [x for x in h(3)] == [0, 1, 2] and next(h(1)) == 0",
      "def f(a): return lambda b: a + b\ndef h(n):\n    for i in range(n): yield i",
    ],
    [
      "errors",
      "try:\n    f(-1)\n    assert False\nexcept ValueError as e:\n    assert str(e) == 'negative'\ntry:\n    g()\n    assert False\nexcept Mine as e:\n    assert e.code == 7 and isinstance(e, KeyError)",
      "class Mine(KeyError):\n    def __init__(self, code): super().__init__(code); self.code = code\ndef f(x):\n    if x < 0: raise ValueError('negative')\ndef g(): raise Mine(7)",
    ],
    [
      "classes",
      "s = Stack([1])\ns.push(2)\nassert len(s) == 2 and s.pop() == 2 and s.top == 1 and 1 in s and list(s) == [1] and isinstance(s, Stack) and bool(s) and s[0] == 1 and str(s) == 'S1' and Stack.kind == 'k'",
      "class Stack:\n    kind = 'k'\n    def __init__(self, xs): self.xs = xs\n    def push(self, x): self.xs.append(x)\n    def pop(self): return self.xs.pop()\n    @property\n    def top(self): return self.xs[-1]\n    def __len__(self): return len(self.xs)\n    def __contains__(self, x): return x in self.xs\n    def __iter__(self): return iter(self.xs)\n    def __getitem__(self, i): return self.xs[i]\n    def __str__(self): return 'S%d' % len(self.xs)",
    ],
    [
      "operators of classes",
      "assert V(1, 2) + V(3, 4) == V(4, 6) and V(1, 2) * V(2, 2) == V(2, 4) and V(1, 2) != V(2, 1) and (V(1, 2) * V(2, 2)).x == 2 and abs(V(3, 4)) == 5 and V(1, 2) < V(2, 2) and issubclass(W, V) and isinstance(W(1, 1), V)",
      "class V:\n    def __init__(self, x, y): self.x, self.y = x, y\n    def __add__(self, o): return V(self.x + o.x, self.y + o.y)\n    def __mul__(self, o): return V(self.x * o.x, self.y * o.y)\n    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)\n    def __lt__(self, o): return self.x < o.x\n    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5\nclass W(V): pass",
    ],
    [
      "named tuples, enumerations and data classes",
      "p = f()\nassert p == (1, 2) and p.x == 1 and tuple(p) == (1, 2) and g() == Color.RED and g() is Color.RED and D(1) == D(1) and h() == 1",
      "from collections import namedtuple\nfrom enum import Enum, IntEnum\nfrom dataclasses import dataclass\nP = namedtuple('P', 'x y')\nclass Color(Enum):\n    RED = 1\nclass I(IntEnum):\n    ONE = 1\n@dataclass\nclass D:\n    a: int\nf = lambda: P(1, 2)\ng = lambda: Color.RED\nh = lambda: I.ONE",
    ],
    [
      "context managers",
      "with f() as x:\n    assert x == 5",
      "class f:\n    def __enter__(self): return 5\n    def __exit__(self, *a): return False",
    ],
    [
      "what is printed",
      "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    f()\nassert out.getvalue() == 'hi\\n'",
      "def f(): print('hi')",
    ],
    [
      "unittest",
      "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(f(2), 4)\n        with self.assertRaises(ZeroDivisionError): f(0)",
      "def f(x): return 8 // x",
    ],
    [
      "unittest.main()",
      "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(f(), 4)\nif __name__ == '__main__':\n    unittest.main()",
      "def f(): return 4",
    ],
    ["functions that nothing calls", "def test_one():\n    assert f() == 4", "def f(): return 4"],
    [
      "modules and constants of the program",
      "assert m.floor(LIMIT) == 2 and NAMES == ['a']",
      "import math as m\nLIMIT = 2.5\nNAMES = ['a']",
    ],
    [
      "deep recursion and big results",
      "assert f(300) == 300 and len(g()) == 200000",
      "def f(n): return 0 if n == 0 else 1 + f(n - 1)\ndef g(): return list(range(200000))",
    ],
  ])("carries over %s", async (_, test, response) => {
    expect(await run({ test }, response)).toEqual({ scores: { pass_at_1: 1 } });
  });

  it.each([
    ["unittest", "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(f(), 5)"],
    [
      "unittest.main()",
      "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(f(), 5)\nunittest.main()",
    ],
    ["functions that nothing calls", "def test_one():\n    assert f() == 5"],
    ["a name that is missing", "assert g() == 4"],
    ["a test that catches everything", "try:\n    quit_it()\nexcept BaseException:\n    pass"],
  ])("fails by %s", async (_, test) => {
    expect(await passes({ test }, "import os\ndef f(): return 4\ndef quit_it(): os._exit(0)")).toBe(0);
  });

  it("reports why a program failed", async () => {
    expect(await reason(ADD, "def add(a, b):\n    return a / 0")).toMatch(
      /^ZeroDivisionError: division by zero at assert add/,
    );
    expect(await reason(ADD, "def add(a, b:")).toMatch(/^SyntaxError: /);
    expect(await reason(ADD, "def sub(a, b): pass")).toMatch(/^NameError: name 'add' is not defined/);
    expect(await reason(ADD, "import no_such_module")).toMatch(/^ModuleNotFoundError/);
    expect(await reason(ADD, "")).toBe("the response contains no code");
    expect((await run(ADD, null)).evidence?.pass_at_1).toBe("the response contains no code");
  });

  it("fails a program that takes too long anywhere", async () => {
    const hasty = new CodeExecution({ timeoutSecs: 0.5 });
    for (const response of [
      "while True: pass",
      "def add(a, b):\n    while True: pass",
      "import time\ntime.sleep(60)",
    ]) {
      const scored = await hasty.score({ id: 1, question: "q", ...ADD }, { response: `\`\`\`\n${response}\n\`\`\`` });
      expect(scored).toEqual({ scores: { pass_at_1: 0 }, evidence: { pass_at_1: "took longer than 0.5 s" } });
    }
    await hasty.close();
  });

  it("fails a program that needs too much memory", async () => {
    expect(await reason(ADD, "x = bytearray(10 ** 10)")).toBe("MemoryError");
  });

  it("does not score what cannot be tested", async () => {
    expect(await run({}, "x = 1")).toEqual({
      scores: {},
      unscored: { pass_at_1: "the example has no test, tests or test_list" },
    });
    const { unscored } = await run({ test: "assert add(1, 2) ==" }, "def add(a, b): return 3");
    expect(unscored?.pass_at_1).toMatch(/^the example's tests are not a valid program: SyntaxError/);
  });

  it("stops with its trial", async () => {
    const signal = AbortSignal.timeout(300);
    const scoring = evaluator.score({ id: 1, question: "q", ...ADD }, { response: "while True: pass" }, { signal });
    await expect(scoring).rejects.toThrow("timeout");
  });
});

describe.skipIf(await lacksIsolation())("CodeExecution, JavaScript", () => {
  const js = (test: string) => ({ language: "javascript", test });
  const HUMANEVAL_X = {
    task_id: "JavaScript/0",
    prompt: "/* Doubles. */\nconst twice = (x) => {\n",
    test: "const testTwice = () => {\n  console.assert(twice(2) === 4)\n  console.assert(twice(0) === 0)\n}\n\ntestTwice()\n",
  };

  it.each([
    ["a body", "  return x * 2;\n}\n", 1],
    ["a body that is not closed", "  return x * 2;\n", 1],
    [
      "a whole function in a fence",
      "Sure:\n```javascript\nfunction twice(x) { return x + x; }\nmodule.exports = twice;\n```",
      1,
    ],
    [
      "a module",
      "```js\nimport assert from 'node:assert';\nexport const twice = (x) => x + x;\nexport default twice;\n```",
      1,
    ],
    ["bare code in prose", "Here you go:\n\nconst twice = (x) => {\n  return x + x;\n}\n\nThat is it.", 1],
    ["a wrong body", "  return x + 3;\n}\n", 0],
    ["no code", "  \n", 0],
    ["code that cannot be read", "```js\nconst twice = (x => {\n```", 0],
  ])("runs %s for HumanEval-X", async (_, response, expected) => {
    expect(await passes(HUMANEVAL_X, response)).toBe(expected);
  });

  it.each([
    [
      "plain data",
      "assert.deepStrictEqual(f([1, { a: [2, null, undefined, NaN, -0, 5n] }, new Map([[1, new Set([2])]]), new Date(5), /x/g]), [1, { a: [2, null, undefined, NaN, -0, 5n] }, new Map([[1, new Set([2])]]), new Date(5), /x/g])",
      "const f = (x) => x",
    ],
    [
      "arrays changed in place",
      "const a = [3, 1]; const o = { n: [1] }; f(a, o); assert.deepStrictEqual([a, o], [[1, 3], { n: [1, 2] }])",
      "function f(a, o) { a.sort(); o.n.push(2) }",
    ],
    [
      "classes",
      "const s = new Stack(); s.push(1); assert.equal(s.size, 1); assert.ok(s instanceof Stack); assert.deepEqual([...s], [1]); assert.equal(String(s), 'S'); s.name = 'x'; assert.equal(s.name, 'x')",
      "class Stack { constructor() { this.a = [] } push(x) { this.a.push(x) } get size() { return this.a.length } toString() { return 'S' } *[Symbol.iterator]() { yield* this.a } }",
    ],
    [
      "errors",
      "assert.throws(() => f(), RangeError); assert.throws(() => f(), /low/); assert.throws(() => g(), Mine); assert.throws(() => g(), { name: 'Mine', code: 7 })",
      "class Mine extends Error { constructor() { super('m'); this.name = 'Mine'; this.code = 7 } }\nfunction f() { throw new RangeError('low') }\nfunction g() { throw new Mine() }",
    ],
    [
      "functions",
      "const seen = []; assert.deepEqual(map([1, 2], (x) => { seen.push(x); return x * 2 }), [2, 4]); assert.deepEqual(seen, [1, 2]); assert.equal(adder(1)(2), 3); const c = counter(); c.inc(); assert.equal(c.get(), 1)",
      "const map = (a, f) => a.map(f); const adder = (a) => (b) => a + b; function counter() { let n = 0; return { inc() { n += 1 }, get: () => n } }",
    ],
    [
      "promises",
      "(async () => { assert.equal(await f(2), 4); await assert.rejects(g(), /no/); assert.deepEqual(await Promise.all([f(1), f(2)]), [2, 4]) })()",
      "const f = async (x) => { await new Promise((r) => setTimeout(r, 5)); return x * 2 }; async function g() { throw new Error('no') }",
    ],
    ["await at the top", "assert.equal(await f(), 1)", "const f = async () => 1"],
    [
      "timers",
      "let n = 0; const d = debounce(() => { n += 1 }, 10); d(); d(); setTimeout(() => assert.equal(n, 1), 60)",
      "function debounce(f, ms) { let t; return () => { clearTimeout(t); t = setTimeout(f, ms) } }",
    ],
    [
      "Node's own modules",
      "assert.equal(f('a').length, 64)",
      "const { createHash } = require('crypto'); const f = (x) => createHash('sha256').update(x).digest('hex')",
    ],
    ["a check of its own", "function check(candidate) { assert.equal(candidate(), 1) }\ncheck(f)", "const f = () => 1"],
  ])("carries over %s", async (_, test, response) => {
    expect(await run(js(test), response)).toEqual({ scores: { pass_at_1: 1 } });
  });

  it.each([
    ["an assertion", "assert.equal(f(), 2)", "const f = () => 1", "AssertionError: 1 == 2"],
    [
      "an assertion after a while",
      "setTimeout(() => assert.equal(f(), 2), 10)",
      "const f = () => 1",
      "AssertionError: 1 == 2",
    ],
    [
      "a rejected promise",
      "(async () => { await f() })()",
      "const f = async () => { throw new Error('no') }",
      "Error: no",
    ],
    [
      "a promise that is never settled",
      "(async () => { await f() })()",
      "const f = () => new Promise(() => {})",
      "Error: a promise of the program is never settled",
    ],
    ["an error of the program", "f()", "null.x", "TypeError: Cannot read properties of null (reading 'x')"],
    ["a name that is missing", "g()", "const f = 1", "ReferenceError: g is not defined"],
    ["tests that end with an error", "process.exit(1)", "const f = 1", "the tests ended with 1"],
  ])("fails by %s", async (_, test, response, expected) => {
    expect(await run(js(test), response)).toEqual({ scores: { pass_at_1: 0 }, evidence: { pass_at_1: expected } });
  });

  it("starts every trial fresh", async () => {
    expect(
      await passes(
        js("globalThis.leak = 1; Array.prototype.leak = 1; assert.equal(f(), 1)"),
        "leaked = 1; var f = () => 1",
      ),
    ).toBe(1);
    expect(
      await passes(
        js("assert.equal(typeof leak, 'undefined'); assert.equal([].leak, undefined); assert.equal(f(), 'undefined')"),
        "var f = () => typeof leaked",
      ),
    ).toBe(1);
  });

  it("continues after a program that never ends", async () => {
    const hasty = new CodeExecution({ timeoutSecs: 1, language: "javascript" });
    const example = { id: 1, question: "q", test: "assert.equal(f(), 1)" };
    const endless = await hasty.score(example, { response: "const f = () => { for (;;); }" });
    expect(endless).toMatchObject({ evidence: { pass_at_1: "took longer than 1 s" } });
    expect(await hasty.score(example, { response: "const f = () => 1" })).toEqual({ pass_at_1: 1 });
    await hasty.close();
  });
});

describe("CodeExecution", () => {
  it("rejects invalid options", () => {
    expect(() => new CodeExecution({ timeoutSecs: 0 })).toThrow(UsageError);
    expect(() => new CodeExecution({ language: "rust" as "python" })).toThrow('python and javascript, not "rust"');
  });

  it("has a fingerprint of its version and of what decides its scores", () => {
    expect(new CodeExecution().fingerprint()).toEqual({
      evaluator: "code_execution",
      version: 4,
      timeoutSecs: 10,
      language: null,
    });
  });

  it("refuses to start without isolation", async () => {
    const isolation = { ...(await describeIsolation()), kind: null };
    await expect(openSandbox({ isolation })).rejects.toThrow(SandboxError);
  });

  it("throws when the sandbox fails, which says nothing about the program", async () => {
    const found = await describeIsolation();
    const broken = {
      language: "python" as const,
      path: "/usr/bin/no-such-python",
      version: "",
      folders: [],
      packages: [],
    };
    const sandbox = new Sandbox({
      ...found,
      interpreters: { python: broken, javascript: { ...broken, language: "javascript" } },
    });
    const failing = new CodeExecution({ sandbox });
    const answer = { response: "def add(a, b): return a + b" };
    await expect(failing.score({ id: 1, question: "q", ...ADD }, answer)).rejects.toThrow(SandboxError);
    await expect(failing.score({ id: 1, question: "q", language: "js", test: "f()" }, answer)).rejects.toThrow(
      SandboxError,
    );
  });

  it("runs without isolation if allowed", async () => {
    const isolation = { ...(await describeIsolation()), kind: null };
    const sandbox = await openSandbox({ isolation, unsafeLocalExec: true });
    const unsafe = new CodeExecution({ sandbox });
    expect(await unsafe.score({ id: 1, question: "q", ...ADD }, { response: "def add(a, b): return a + b" })).toEqual({
      pass_at_1: 1,
    });
    const inNode = { id: 1, question: "q", language: "js", test: "assert.equal(f(), 1)" };
    expect(await unsafe.score(inNode, { response: "const f = () => 1" })).toEqual({ pass_at_1: 1 });
    await unsafe.close();
    await sandbox.close();
  });
});
