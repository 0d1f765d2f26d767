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

const WRONG = "def f(x): return 1";
const RIGHT = "def f(x): return x + 1";
const TEST = "def test_a():\n    assert f(1) == 2\n";
const CASE = "class T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), 2)\n";

/** Tests that are only defined, or whose result is ignored. */
const DEFINED: Record<string, string> = {
  "a docstring at the top": `"""Tests of f."""\n${TEST}`,
  "a changed path": `import os, sys\nsys.path.insert(0, os.path.dirname("x"))\nfrom solution import f\n${TEST}`,
  "an optional import": `try:\n    import surely_not_there\nexcept ImportError:\n    surely_not_there = None\n${TEST}`,
  "a condition": `import sys\nif sys.version_info < (3,):\n    raise SystemExit(1)\n${TEST}`,
  "an annotated variable": `X: dict = {}\n${TEST}`,
  "a line that prints": `print("loaded")\n${TEST}`,
  "a loop": `cases = []\nfor i in range(1):\n    cases.append((i + 1, i + 2))\n${TEST}`,
  "a class of pytest": "class TestF:\n    def test_a(self):\n        assert f(1) == 2\n",
  "a class of pytest with a setup":
    "class TestF:\n    def setup_method(self, method):\n        self.x = 1\n    def test_a(self):\n        assert f(self.x) == 2\n",
  "a class of pytest that inherits its tests":
    "class Base:\n    x = 0\n    def test_a(self):\n        assert f(self.x) == self.x + 1\nclass TestZero(Base):\n    pass\nclass TestOne(Base):\n    x = 1\n",
  "a setup of the module":
    "def setup_module():\n    global x\n    x = 1\ndef setup_function(function):\n    global y\n    y = 2\ndef test_a():\n    assert f(x) == y\n",
  "a definition in a block": `try:\n    import math\nexcept ImportError:\n    math = None\nelse:\n    ${TEST.replace("\n", "\n    ")}`,
  "a definition in a condition": `import sys\nif sys.version_info >= (3,):\n    ${TEST.replace("\n", "\n    ")}`,
  "an async function": "async def test_a():\n    assert f(1) == 2\n",
  "a parameter with a default": "def test_a(x=1):\n    assert f(x) == 2\n",
  "runTest alone": "import unittest\nclass T(unittest.TestCase):\n    def runTest(self): self.assertEqual(f(1), 2)\n",
  "a runner whose result nobody reads": `import unittest\ndef make():\n    ${CASE.replaceAll("\n", "\n    ")}\n    return T\nunittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(make()))\n`,
  "unittest.main that does not exit": `import unittest\n${CASE}unittest.main(exit=False)\n`,
  "a part that is added to a suite": `import unittest\n${CASE}    def test_b(self): f(1)\nsuite = unittest.TestSuite()\nsuite.addTest(T("test_b"))\nunittest.TextTestRunner().run(suite)\n`,
  "examples in a docstring": 'def g():\n    """\n    >>> f(1)\n    2\n    """\nimport doctest\ndoctest.testmod()\n',
  "a function that runs the tests": "def run_tests():\n    assert f(1) == 2\n",
  "a main function": 'def main():\n    if f(1) != 2:\n        raise ValueError("wrong")\n',
  "a function that calls the others": `${TEST}def run_all():\n    test_a()\n`,
  "one that is called, one that is not": `def test_b():\n    f(1)\n${TEST}test_b()\n`,
  "a subtest": `import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        with self.subTest(1): self.assertEqual(f(1), 2)\nunittest.main(exit=False)`,
  "a function besides unittest.main": `import unittest\nclass T(unittest.TestCase):\n    def test_b(self): f(1)\n${TEST}unittest.main()\n`,
};

describe.skipIf(await lacksIsolation())("Python tests that are only defined", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  it.concurrent.each(Object.entries(DEFINED))("are run: with %s", async (_, test) => {
    expect([await pass({ test }, WRONG), await run({ test }, RIGHT)]).toEqual([0, { scores: { pass_at_1: 1 } }]);
  });

  it("are run beside check", async () => {
    const test = `import unittest\ndef check(candidate):\n    candidate(1)\n${CASE}`;
    const task = { test, entry_point: "f" };
    expect([await pass(task, WRONG), await pass(task, RIGHT)]).toEqual([0, 1]);
    const given = { test: "def test_f(candidate):\n    assert candidate(1) == 2\n", entry_point: "f" };
    expect([await pass(given, WRONG), await pass(given, RIGHT)]).toEqual([0, 1]);
  });

  it("are run once, and not when they are only helpers", async () => {
    const once = `runs = []\ndef test_a():\n    runs.append(f(1))\n    assert runs == [2]\n`;
    expect(await pass({ test: `${once}test_a()\n` }, RIGHT)).toBe(1);
    expect(await pass({ test: `${once}for test in [test_a]: test()\n` }, RIGHT)).toBe(1);
    const helper =
      "def test_case(x, y):\n    assert f(x) == y\ndef fail():\n    assert False\nfor x in range(3):\n    test_case(x, x + 1)\nif f(1) != 2: fail()\n";
    expect([await pass({ test: helper }, WRONG), await pass({ test: helper }, RIGHT)]).toEqual([0, 1]);
  });

  it("leave the row unscored when they never use the program", async () => {
    const never = [
      "def check(candidate):\n    assert candidate(1) == 2\n",
      "from solution import f\nx = 1\nassert x == 1\n",
      "t = lambda: f(1) == 2\n",
      "import unittest\n@unittest.skip('x')\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), 2)\n",
    ];
    for (const test of never) {
      for (const program of [WRONG, RIGHT]) {
        const { scores, unscored } = await run({ test }, program);
        expect([scores.pass_at_1, unscored?.pass_at_1]).toEqual([undefined, "the tests never used the program"]);
      }
    }
    const { unscored } = await run({ test: "def test_a(capsys):\n    assert f(1) == 2\n" }, RIGHT);
    expect(unscored?.pass_at_1).toContain("nothing says what test_a is to be given for capsys");
  });

  it("may use only the program's variables and classes", async () => {
    expect(await pass({ test: "assert LIMIT == 5" }, "LIMIT = 5")).toBe(1);
    expect(await pass({ test: "assert LIMIT == 5" }, "LIMIT = 6")).toBe(0);
    expect(await pass({ test: "assert issubclass(B, A)" }, "class A: pass\nclass B(A): pass")).toBe(1);
    expect(await pass({ test: "import solution\nassert solution.LIMIT == 5" }, "LIMIT = 5")).toBe(1);
  });
});
