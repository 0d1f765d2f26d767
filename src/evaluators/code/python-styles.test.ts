import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";
import { CORRECT, NOT_CROSSING } from "./python-styles.fixture.js";

let evaluator: CodeExecution;

async function run(example: Partial<Example>, program: string): Promise<ScoredWithEvidence> {
  const response = `\`\`\`python\n${program}\n\`\`\``;
  const scored = await evaluator.score({ id: 1, question: "q", ...example }, { response });
  return "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores };
}

const pass = async (example: Partial<Example>, program: string) => (await run(example, program)).scores.pass_at_1;

const PROMPT = 'def total(xs):\n    """ The sum. """\n';
const TESTS = [
  "import math\nsecret = 42\ndef check(candidate):\n    assert math.isclose(candidate([1, 2]), 3)\n    assert candidate([]) == 0\n",
  "secret = 42\ndef check(candidate):\n    assert all(map(lambda x: abs(candidate([x]) - x) == 0, range(1, 5)))\n",
  "secret = 42\ndef check(candidate):\n    assert candidate(lambda x: x) == secret\n",
  "import math\ndef check(candidate):\n    assert math.isclose(candidate([1]), 1)\n",
  "def check(candidate):\n    assert abs(candidate([1])) == 1\n",
  "def check(candidate):\n    assert all(map(lambda x: candidate(xs=[x]) == x, range(1, 5)))\n",
];

/** Programs that would pass if they shared a process with their tests. */
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

describe.skipIf(await lacksIsolation())("Python programs in unusual styles", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  it.concurrent.each(CORRECT)("pass when correct: one that %s", async (_, program, test) => {
    expect(await run({ test }, program)).toEqual({ scores: { pass_at_1: 1 } });
  });

  it.concurrent.each(NOT_CROSSING)("name what cannot cross: one that %s", async (_, program, test) => {
    const { scores, evidence } = await run({ test }, program);
    expect(scores.pass_at_1).toBe(0);
    expect(evidence?.pass_at_1).toContain("the tests need something that cannot cross between processes: ");
  });

  it("report a value that is too long to cross", async () => {
    const program = "def f(n): return 'a' * n";
    expect(await pass({ test: "assert len(f(5_000_000)) == 5_000_000" }, program)).toBe(1);
    const { evidence } = await run({ test: "assert len(f(20_000_000)) == 20_000_000" }, program);
    expect(evidence?.pass_at_1).toContain("cannot cross between processes: 19 MB at once");
  });

  it("pass in 93 of 100 cases", () => {
    expect(CORRECT.length / (CORRECT.length + NOT_CROSSING.length)).toBeGreaterThanOrEqual(0.93);
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

  it("keep the helpers of the prompt unchanged", async () => {
    const prompt = `def near(a, b):\n    return abs(a - b) < 1e-6\n\n${PROMPT}`;
    const task = { prompt, entry_point: "total", test: "def check(c):\n    assert near(list(c([1]))[0], 1)\n" };
    expect(await pass(task, "def total(xs): return map(int, xs)")).toBe(1);
    expect(await pass(task, "def near(a, b): return True\ndef total(xs): return map(str, xs)")).toBe(0);
  });
});
