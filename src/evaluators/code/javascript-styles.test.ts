import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scored, ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";
import { CORRECT } from "./javascript-styles.fixture.js";

let evaluator: CodeExecution;

/** docs/guides/sandbox.md names them. */
const CANNOT_CROSS = new Set([
  "has a global that the tests set",
  "is asked for one value of an object that is no data",
  "is a proxy that has numbers",
]);

async function score(example: Partial<Example>, program: string): Promise<Scored> {
  const response = `\`\`\`js\n${program}\n\`\`\``;
  return evaluator.score({ id: 1, question: "q", ...example }, { response });
}

async function pass(example: Partial<Example>, program: string): Promise<number | undefined> {
  const scored = await score(example, program);
  return "scores" in scored ? (scored as ScoredWithEvidence).scores.pass_at_1 : (scored as Scores).pass_at_1;
}

/** Tests that need more than numbers and texts to cross between the processes. */
const TESTS = [
  "const secret = 42; const xs = [1, 2]; assert.strictEqual(total(xs, (x) => x), 3); assert.ok([1, 2].every((n) => total([n], (x) => x) === n))",
  "const secret = 42; assert.equal(total((x) => x), secret)",
  "const m = new Map([[1, 2]]); assert.deepStrictEqual(total(m), new Map([[1, 3]])); assert.strictEqual(total(m) instanceof Map, true)",
  "const xs = [3, 1, 2]; const r = total(xs); assert.strictEqual(r, xs); assert.deepEqual([...xs].sort(), xs.slice().sort()); assert.deepEqual(r, [1, 2, 3])",
  "(async () => { const r = await total(Symbol('x')); assert.equal(r, 3); assert.deepEqual(await Promise.all([total(), total()]), [3, 3]) })()",
  "const e = total(new Error('x')); assert.ok(e instanceof Error); assert.equal(JSON.stringify({ v: total({ a: 1 }) }), '{\"v\":3}'); assert.equal(String(total({})), '3')",
];

/** Programs that would pass if they shared a process with their tests. */
const CHEATS: Record<string, string> = {
  "an early end": "function total() { process.exit(0) }",
  "an early end through a constructor": "const total = (xs) => xs.constructor.constructor('return process')().exit(0)",
  "an early end through a computed constructor":
    "const total = (xs) => xs['const' + 'ructor']['const' + 'ructor']('return process')().exit(0)",
  "an early end through this":
    "const self_ = this; function total() { return (function () { return this })()['process'].exit(0) }",
  "another assert":
    "const assert = { equal() {}, ok() {}, strictEqual() {}, deepEqual() {}, deepStrictEqual() {} }; const total = () => -1",
  "the assert that is required":
    "const a = require('assert'); for (const k of Object.keys(a)) a[k] = () => {}; const total = () => -1",
  "methods of lists": "Array.prototype.every = () => true; const total = () => -1",
  "methods of lists by a computed name":
    "const p = [].map; const total = (xs) => { xs['ev' + 'ery'] = () => true; xs['so' + 'rt'] = () => xs; return xs }",
  "methods of the list it was given": "const total = (xs) => { xs.sort = () => xs; xs.slice = () => xs; return xs }",
  "methods of the list it was given, assigned":
    "const total = (xs) => Object.assign(xs, { sort: () => xs, slice: () => [3, 1, 2] })",
  "methods of the list it was given, by a pattern": "const total = (xs) => { [xs.sort] = [() => xs]; return xs }",
  "methods of numbers": "const C = Number; C.isFinite = () => true; Math.abs = () => 0; const total = () => -1",
  "a built-in class handed on":
    "const spoil = (c) => { c.is = () => true; c.keys = () => [] }; [Object].forEach(spoil); const total = () => -1",
  "an object that is another number each time":
    "let n = 0; const total = () => ({ valueOf: () => [3, 1, 2][n++ % 3] })",
  "an object that is another number by a computed name":
    "let n = 0; const total = () => { const o = {}; o['value' + 'Of'] = () => [3, 1, 2][n++ % 3]; return o }",
  "a primitive of its own": "const total = () => ({ [Symbol.toPrimitive]: () => 3 })",
  "JSON of its own": "const total = () => ({ toJSON: () => 3 })",
  "instances of its own": "class Any { static [Symbol.hasInstance]() { return true } }; const total = () => new Any()",
  "a proxy": "const total = new Proxy(function () {}, { apply: () => new Proxy({}, { get: () => 3 }) })",
  "a promise that is never settled": "const total = () => new Promise(() => {})",
  "a thenable that never calls": "const total = () => ({ then() {} })",
  "a thenable by a computed name": "const total = () => { const o = {}; o['th' + 'en'] = () => {}; return o }",
  "the name of a variable of the tests": "const total = () => secret",
  "its own variable of that name": "{ let secret = 0; secret += 1 } const total = () => secret",
  "the text of a function of the tests": "const total = (f) => Number(/\\d+/.exec(String(f))?.[0] ?? -1)",
  "the caller": "function total() { return total.caller.toString().length }",
  "an eval": "const total = () => eval('secret')",
  "an indirect eval": "const total = () => (0, eval)('secret')",
  "a made function": "const total = () => new Function('return secret')()",
  "an error that knows where it was made":
    "Error.prepareStackTrace = (_, sites) => sites; const total = () => new Error().stack[1].getFunction().toString().length",
  "code in a comment of another kind": "const total = () => -1 <!-- `\nprocess.exit(0) //`",
  "code in a pattern": "let a = 1, g = 1; const total = () => -1\na++ /1/ g; process.exit(0); 1/ 1",
  "an escaped name": "const total = () => proc\\u0065ss.exit(0)",
  "a file": "const fs = require('fs'); const total = () => fs.writeSync(3, 'x')",
  "a computed module": "const total = () => require('f' + 's').writeSync(3, 'x')",
  "an import": "const total = () => import('fs').then((fs) => fs.writeSync(3, 'x'))",
  "an end in a timer": "setTimeout(function () { this._idlePrev._onTimeout = () => {} }, 0); const total = () => -1",
  "a listener": "process.on('beforeExit', () => process.exit(0)); const total = () => -1",
  "the console": "console.assert = () => {}; const total = () => -1",
  "a class of promises": "class P extends Promise { then() { return 3 } }\nconst total = () => new P(() => {})",
  "a prototype that is a parameter":
    "function F() {}\nfunction spoil(F) { F.prototype.every = () => true }\nspoil(Array); const total = () => -1",
};

describe.skipIf(await lacksIsolation())("JavaScript programs in unusual styles", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60, language: "javascript" });
  });
  afterAll(() => evaluator?.close());

  it.concurrent.each(CORRECT.filter(([name]) => !CANNOT_CROSS.has(name)))(
    "pass when correct: one that %s",
    async (_, program, test) => {
      expect(await score({ test }, program)).toEqual({ pass_at_1: 1 });
    },
  );

  it.concurrent.each(CORRECT.filter(([name]) => CANNOT_CROSS.has(name)))(
    "fail with the reason when something cannot cross: one that %s",
    async (_, program, test) => {
      expect(await score({ test }, program)).toMatchObject({
        scores: { pass_at_1: 0 },
        evidence: {
          pass_at_1: expect.stringContaining("the tests need something that cannot cross between processes: "),
        },
      });
    },
  );

  it("pass in 80 of 100 cases", () => {
    expect(1 - CANNOT_CROSS.size / CORRECT.length).toBeGreaterThanOrEqual(0.8);
  });

  it("can be called a thousand times with lists that the tests keep", async () => {
    const quick = new CodeExecution({ timeoutSecs: 120, language: "javascript" });
    const test =
      "const kept = []; for (let n = 0; n < 1000; n += 1) { const xs = Array.from({ length: 500 }, (_, at) => at); kept.push(xs); assert.equal(f(xs), 500) }";
    try {
      const response = "```js\nconst f = (xs) => xs.length\n```";
      expect(await quick.score({ id: 1, question: "q", test }, { response })).toEqual({ pass_at_1: 1 });
    } finally {
      await quick.close();
    }
  });

  it("fail when they are wrong", async () => {
    const wrong: [string, string][] = [
      ["const f = (x) => [...x]", "const x = [1]; assert.strictEqual(f(x), x)"],
      ["function* f() { yield 1 }", "assert.deepStrictEqual([...f()], [1, 2])"],
      ["let n = 0; function f() {}", "f(); assert.equal(n, 1)"],
      ["const f = async () => { throw new Error('no') }", "(async () => { assert.equal(await f(Symbol('x')), 1) })()"],
    ];
    expect(await Promise.all(wrong.map(([program, test]) => pass({ test }, program)))).toEqual([0, 0, 0, 0]);
  });

  it.concurrent.each(Object.entries(CHEATS))("score 0 when they cheat by %s", async (_, program) => {
    expect(await Promise.all(TESTS.map((test) => pass({ test, entry_point: "total" }, program)))).toEqual(
      TESTS.map(() => 0),
    );
  });

  it("cannot bring the libraries of their tests", async () => {
    const code = "const describe = () => {}; const expect = () => ({ toBe() {} }); const f = (x) => Symbol('y')";
    const test = "assert.ok(f(Symbol('x')).description === 'x'); describe('f', () => { expect(1).toBe(2) })";
    expect(await pass({ test }, code)).toBe(0);
  });

  it("cannot replace a helper of the prompt that the tests rely on", async () => {
    const prompt = "const near = (a, b) => Math.abs(a - b) < 1e-6\n\nconst total = (xs) => {\n";
    const test = "const xs = new Set([1]); assert.ok(near(total(xs).size, 2))";
    const program = "const near = () => true\nconst total = (xs) => new Set(xs)";
    expect(await pass({ prompt, test, entry_point: "total" }, program)).toBe(0);
  });
});
