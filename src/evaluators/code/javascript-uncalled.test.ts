import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

interface Tests {
  test: string;
  entry_point?: string;
}

const ADDS = "assert.equal(add(1, 2), 3)";

/** Tests that nothing in their own text calls. */
const UNCALLED: Record<string, Tests> = {
  "a function": { test: `function testAdd() { ${ADDS} }` },
  "functions with a snake in their names": { test: `function test_one() {}\nfunction test_two() { ${ADDS} }` },
  "an arrow function": { test: `const test = () => { ${ADDS} }` },
  "an async function": { test: `async function testAdd() { await null; ${ADDS} }` },
  "a function with a default": { test: `function testAdd(x = 1) { ${ADDS} }` },
  "one of two": { test: `function testOne() { add(0, 0) }\nfunction testTwo() { ${ADDS} }\ntestOne()` },
  "one of two that are awaited": {
    test: `async function testOne() { await add(0, 0) }\nasync function testTwo() { ${ADDS} }\n(async () => { await testOne() })()`,
  },
  "one beside an await": {
    test: `import assert from "node:assert";\nconst x = await 1;\nfunction testAdd() { ${ADDS} }`,
  },
  "a method of a class": { test: `class TestAdd { testOne() { add(0, 0) } testTwo() { ${ADDS} } }` },
  "a method of a class with a setup": {
    test: "class AddTests { setUp() { this.x = 1 } async testAdd() { await null; assert.equal(add(this.x, 2), 3) } }",
  },
  "a static method of a class": { test: `class TestAdd { static testAdd() { ${ADDS} } }` },
  "a check": { test: "function check(candidate) { assert.equal(candidate(1, 2), 3) }", entry_point: "add" },
  "a check that is an arrow function": {
    test: "const check = (candidate) => { assert.equal(candidate(1, 2), 3) }",
    entry_point: "add",
  },
  "a check beside tests": {
    test: `function check(candidate) { candidate(0, 0) }\nfunction testAdd() { ${ADDS} }`,
    entry_point: "add",
  },
  "a runner that takes the function": {
    test: "function runTests(candidate) { assert.equal(candidate(1, 2), 3) }",
    entry_point: "add",
  },
  "a runner of functions with other names": { test: `function adds() { ${ADDS} }\nfunction main() { adds() }` },
  "a method that is exported": { test: `module.exports = { test() { ${ADDS} } }` },
  "a function that is exported": { test: `exports.testAdd = () => { ${ADDS} }` },
  "the one function that is exported": { test: `module.exports = function () { ${ADDS} }` },
  "an exported function of a module": { test: `export function testAdd() { ${ADDS} }` },
  "a function that returns what is right": { test: "function testAdd() { return add(1, 2) === 3 }" },
};

/** Tests that never use the program. */
const UNUSED: Record<string, Tests> = {
  "nobody says for what": { test: "function check(candidate) { assert.equal(candidate(1, 2), 3) }" },
  "nobody says by whom": { test: `function adds() { ${ADDS} }` },
  "the tests only compare what they have": { test: "assert.equal(1 + 2, 3); setTimeout(() => {}, 1)" },
  "the tests end before": { test: `process.exit(0); ${ADDS}` },
};

/** Tests that are complete as they are; nothing else in them may be called. */
const CALLED: Record<string, [code: string, tests: Tests]> = {
  "each test once": [
    "let n = 0; const add = () => (n += 1)",
    {
      test: "function testOne() { assert.equal(add(), 1) }\nconst testTwo = () => { assert.equal(add(), 2) }\ntestOne(); testTwo()",
    },
  ],
  "each test of a runner once": [
    "let n = 0; const add = () => (n += 1)",
    { test: "function testOne() { assert.equal(add(), 1) }\nfunction runAll() { testOne() }" },
  ],
  "a check once, wherever it is called": [
    "let n = 0; const add = () => (n += 1)",
    { test: "function check(f) { assert.equal(f(), 1) }\nif (true) { check(add) }", entry_point: "add" },
  ],
  "helpers with arguments": [
    "const add = (a, b) => a + b",
    { test: `function testCase(input, expected) { assert.equal(add(...input), expected) }\n${ADDS}` },
  ],
  "a function of the program with such a name": [
    "const runs = []; function main() { runs.push(1) }",
    { test: "main(); assert.equal(runs.length, 1)" },
  ],
  "a function of the language": ["const add = Math.max", { test: "assert.equal(add(1, 2), 2)" }],
  "members of a class": ["class Limits { static MAX = 3 }", { test: "assert.equal(Limits.MAX, 3)" }],
  "a constant": ["const LIMITS = { max: 3 }", { test: "assert.deepEqual(LIMITS, { max: 3 })" }],
};

describe.skipIf(await lacksIsolation())("uncalled tests in JavaScript", () => {
  let evaluator: CodeExecution;

  beforeAll(() => {
    evaluator = new CodeExecution({ language: "javascript", timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  const score = (code: string, tests: Tests) =>
    evaluator.score({ id: 1, question: "q", ...tests }, { response: `\`\`\`js\n${code}\n\`\`\`` });

  it.concurrent.each(Object.entries(UNCALLED))("are called: %s", async (_, tests) => {
    expect(await score("const add = (a, b) => a + b", tests)).toEqual({ pass_at_1: 1 });
    expect(await score("const add = (a, b) => a - b", tests)).toMatchObject({ scores: { pass_at_1: 0 } });
  });

  it.concurrent.each(Object.entries(UNUSED))("leave the row unscored when %s", async (_, tests) => {
    expect(await score("const add = (a, b) => a - b", tests)).toEqual({
      scores: {},
      unscored: { pass_at_1: "the tests never used the program" },
    });
  });

  it.concurrent.each(Object.entries(CALLED))("are not confused with what is called: %s", async (_, [code, tests]) => {
    expect(await score(code, tests)).toEqual({ pass_at_1: 1 });
  });
});
