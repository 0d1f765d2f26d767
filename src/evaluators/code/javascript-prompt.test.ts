import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

interface Case {
  prompt?: string;
  entry_point?: string;
  test: string;
  right: string;
  wrong: string;
}

const CODED = "assert.equal(encode('xyz'), 'zyx'); assert.equal(decode(encode('xyz')), 'xyz')";
const CODES = "const turn = (s) => [...s].reverse().join('')\nfunction encode(s) { return turn(s) }\n";

const PROMPTED: Record<string, Case> = {
  "a function of which the prompt has only a comment": {
    prompt: "function encode(s) {\n  // Turns the text around.\n}\n\nfunction decode(s) {\n  // Turns it back.\n",
    entry_point: "decode",
    test: CODED,
    right: `${CODES}function decode(s) { return turn(s) }`,
    wrong: `${CODES}function decode(s) { return s }`,
  },
  "a function of which the prompt has only an error": {
    prompt: "function encode(s) {\n  throw new Error('not implemented');\n}\n\nfunction decode(s) {\n",
    entry_point: "decode",
    test: CODED,
    right: `${CODES}function decode(s) { return turn(s) }`,
    wrong: `${CODES}function decode(s) { return s }`,
  },
  "an error class of the prompt": {
    prompt: "class Negative extends Error {}\n\nfunction root(x) {\n",
    entry_point: "root",
    test: "assert.throws(() => root(-1), Negative); assert.equal(root(4), 2)",
    right: "function root(x) { if (x < 0) throw new Negative('no'); return Math.sqrt(x) }",
    wrong: "function root(x) { if (x < 0) throw new Error('no'); return Math.sqrt(x) }",
  },
  "a class that helpers of the prompt make": {
    prompt:
      "class TreeNode {\n  constructor(value, next) { this.value = value; this.next = next }\n}\nfunction build([first, ...rest]) {\n  return first === undefined ? null : new TreeNode(first, build(rest))\n}\n\nfunction last(node) {\n",
    entry_point: "last",
    test: "const list = build([1, 2, 3]); assert.ok(last(list) instanceof TreeNode); assert.equal(last(list).value, 3)",
    right:
      "function last(node) { if (!(node instanceof TreeNode)) throw new TypeError('no node'); return node.next === null ? node : last(node.next) }",
    wrong: "function last(node) { return node }",
  },
  "a class that the program writes again": {
    prompt: "function TreeNode(value) {\n  this.value = value\n}\n\nfunction make(x) {\n",
    entry_point: "make",
    test: "assert.ok(make(1) instanceof TreeNode); assert.equal(make(1).value, 1)",
    right: "function TreeNode(value) { this.value = value }\nfunction make(x) { return new TreeNode(x) }",
    wrong: "function TreeNode(value) { this.value = value }\nfunction make(x) { return { value: x } }",
  },
  "an object of the prompt": {
    prompt: "const NOTHING = Object.freeze({ kind: 'nothing' })\n\nfunction first(xs) {\n",
    entry_point: "first",
    test: "assert.strictEqual(first([]), NOTHING); assert.equal(first([1]), 1)",
    right: "function first(xs) { return xs.length === 0 ? NOTHING : xs[0] }",
    wrong: "function first(xs) { return xs.length === 0 ? null : xs[0] }",
  },
  "a table of the prompt that the program changes": {
    prompt: "const PRICES = { a: 1 }\n\nfunction price(x) {\n",
    entry_point: "price",
    test: "assert.equal(price('a'), PRICES.a)",
    right: "const PRICES = { a: 1 }\nfunction price(x) { return PRICES[x] }",
    wrong: "const PRICES = { a: 9 }\nfunction price(x) { return PRICES[x] }",
  },
};

const ADDS = "function add(a, b) { return a + b }";
const SUBTRACTS = "function add(a, b) { return a - b }";

const REQUIRED: Record<string, Case> = {
  "by its names": {
    test: "const { add } = require('./solution');\nassert.equal(add(1, 2), 3)",
    right: ADDS,
    wrong: SUBTRACTS,
  },
  "by its names, where one function is exported": {
    test: "const { add } = require('./solution');\nassert.equal(add(1, 2), 3)",
    right: `${ADDS}\nmodule.exports = add`,
    wrong: `${SUBTRACTS}\nmodule.exports = add`,
  },
  "as a whole": {
    test: "const solution = require('../src/solution.js');\nassert.equal(solution.add(1, 2), 3)",
    right: `${ADDS}\nmodule.exports = { add }`,
    wrong: `${SUBTRACTS}\nmodule.exports = { add }`,
  },
  "as one function": {
    test: "var add = require('./add');\nassert.equal(add(1, 2), 3)",
    right: ADDS,
    wrong: SUBTRACTS,
  },
  "as one function that has another name": {
    test: "const sum = require('./solution');\nassert.equal(sum(1, 2), 3)",
    right: "module.exports = (a, b) => a + b",
    wrong: "module.exports = (a, b) => a - b",
  },
  "by an import": {
    test: 'import assert from "node:assert";\nimport { add } from "./solution.js";\nassert.equal(add(1, 2), 3)',
    right: `export ${ADDS}`,
    wrong: `export ${SUBTRACTS}`,
  },
  "by an import when it runs": {
    test: "const { add } = await import('./solution.js');\nassert.equal(add(1, 2), 3)",
    right: `export ${ADDS}`,
    wrong: `export ${SUBTRACTS}`,
  },
  "by the default of an import when it runs": {
    test: "import('./solution.mjs').then((m) => { assert.equal(m.default(1, 2), 3) })",
    right: "module.exports = (a, b) => a + b",
    wrong: "module.exports = (a, b) => a - b",
  },
  "by a default import": {
    test: 'import add from "./solution.js";\nassert.equal(add(1, 2), 3)',
    right: `export default ${ADDS}`,
    wrong: `export default ${SUBTRACTS}`,
  },
};

describe.skipIf(await lacksIsolation())("what JavaScript tests get from the prompt and from the program's file", () => {
  let evaluator: CodeExecution;

  beforeAll(() => {
    evaluator = new CodeExecution({ language: "javascript", timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  it.concurrent.each(Object.entries({ ...PROMPTED, ...REQUIRED }))("%s", async (_, { right, wrong, ...example }) => {
    const score = (code: string) =>
      evaluator.score({ id: 1, question: "q", ...example }, { response: `\`\`\`js\n${code}\n\`\`\`` });
    expect(await score(right)).toEqual({ pass_at_1: 1 });
    expect(await score(wrong)).toMatchObject({ scores: { pass_at_1: 0 } });
  });
});
