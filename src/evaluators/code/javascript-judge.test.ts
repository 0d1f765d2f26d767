import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

interface Case {
  code: string;
  test: string;
  entry_point?: string;
}

const WAITS = "(async () => { assert.equal(await f(1), 2) })()";
const CALLED_BACK = "f(1, (error, value) => { assert.equal(value, 2) })";
const CHAINED = `(async () => {
  const next = (x) => new Promise((resolve) => f(x, (error, value) => resolve(value)));
  assert.equal(await next(await next(1)), 3);
})()`;
const PLAIN = "assert.equal(f(1), 2)";

/** Sends answers before any question, with one function for every name. */
const FORGED = `const fs = require("fs");
const all = ["a", ...["f", "assert", "console", "require"].map((name) => ["a", name, ["x", 900, true]])];
fs.writeSync(3, '["=",["u"],[]]\\n' + JSON.stringify(["=", all, []]) + "\\n");
for (let n = 0; n < 200; n++) fs.writeSync(3, '["=",["x",900,true],[]]\\n');`;

const WRONG: Record<string, Case> = {
  "answers for names that were not asked for": { code: FORGED, test: PLAIN },
  "answers with something else than names": {
    code: `require("fs").writeSync(3, '["=",["u"],[]]\\n["=",["a",["x",1,true],3],[]]\\n')`,
    test: PLAIN,
  },
  "returns a thenable that never calls": { code: "const f = () => ({ then() {} })", test: WAITS },
  "returns a promise that never settles": { code: "const f = () => new Promise(() => {})", test: WAITS },
  "returns a promise of its own kind": {
    code: "class P extends Promise {}\nconst f = () => new P(() => {})",
    test: WAITS,
  },
  "never settles one of many": {
    code: "const f = () => ({ then() {} })",
    test: "Promise.all([f()]).then(([value]) => assert.equal(value, 2))",
  },
  "never calls what is given to then": {
    code: "const f = () => ({ then() {} })",
    test: "f().then((value) => assert.equal(value, 2))",
  },
  "never calls back, and is waited for": { code: "const f = () => {}", test: CHAINED },
  "calls back late with something wrong": {
    code: "const f = (x, done) => { setTimeout(() => done(null, 99), 20) }",
    test: CALLED_BACK,
  },
  "is another number each time": {
    code: "let n = 0\nconst f = () => ({ valueOf: () => (n++ === 0 ? 3 : 1) })",
    test: "const r = f(); assert(r > 2 && r < 2)",
  },
  "brings a module of Node's": {
    code: "const util = { isDeepStrictEqual: () => true }\nconst f = () => 1",
    test: "assert(util.isDeepStrictEqual(f(1), 2))",
    entry_point: "f",
  },
};

const RIGHT: Record<string, Case> = {
  "calls back late": { code: "const f = (x, done) => { setTimeout(() => done(null, x + 1), 20) }", test: CALLED_BACK },
  "calls back late, again and again": {
    code: "const f = (x, done) => { setTimeout(() => done(null, x + 1), 20) }",
    test: CHAINED,
  },
  "calls the tests after it has answered": {
    code: "const f = async (work) => { await null; return work(1) }",
    test: "(async () => { assert.equal(await f((x) => x + 1), 2) })()",
  },
  "waits for async functions of the tests": {
    code: "const f = async (work, n) => { for (let i = 0; ; i++) { try { return await work() } catch (error) { if (i >= n) throw error; await new Promise((go) => setTimeout(go, 5)) } } }",
    test: "(async () => { let n = 0; assert.equal(await f(async () => { if (++n < 3) throw new Error('no'); return n }, 5), 3); await assert.rejects(f(async () => { throw new Error('never') }, 1), /never/) })()",
  },
  "waits for timers of the tests": {
    code: "const f = (works) => Promise.all(works.map(async (work) => (await work()) + 1))",
    test: "(async () => { const after = (ms, value) => () => new Promise((resolve) => setTimeout(() => resolve(value), ms)); assert.deepEqual(await f([after(20, 1), after(5, 2)]), [2, 3]) })()",
  },
  "gives up waiting for the tests": {
    code: "const f = (promise, ms) => Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error('late')), ms))])",
    test: "(async () => { await assert.rejects(f(new Promise(() => {}), 20), /late/); assert.equal(await f(Promise.resolve(4), 500), 4) })()",
  },
  "wins a race": {
    code: "const f = async (x) => x + 1",
    test: "(async () => { let timer; const late = new Promise((resolve) => { timer = setTimeout(resolve, 3000) }); assert.equal(await Promise.race([f(1), late]), 2); clearTimeout(timer) })()",
  },
  "is tested with node:test": {
    code: "const f = (x) => x + 1",
    test: "const test = require('node:test');\ntest('adds', () => { assert.equal(f(1), 2) })",
  },
  "has texts for objects": {
    code: "class M { constructor(n) { this.n = n }\n  valueOf() { return this.n }\n  add(n) { this.n += n }\n  toString() { return 'M' + this.n } }",
    test:
      "const m = new M(3); assert.equal(m.valueOf(), 3); m.add(5); assert.equal(m.n, 8); assert.equal(`$" +
      "{m}`, 'M8'); assert.equal(String(m), 'M8')",
  },
  "asks a function of the tests for its length and name": {
    code: "const f = (work) => work.name + work.length",
    test: "assert.equal(f(function both(a, b) {}), 'both2')",
  },
  "exports by name": { code: "exports.f = (x) => x + 1", test: PLAIN },
  "exports an object": { code: "const g = (x) => x + 1\nmodule.exports = { f: g }", test: PLAIN },
  "exports a function": { code: "module.exports = function (x) { return x + 1 }", test: PLAIN, entry_point: "f" },
  "exports a default function": {
    code: "export default function (x) { return x + 1 }",
    test: PLAIN,
    entry_point: "f",
  },
  "exports a default arrow": { code: "export default async (x) => x + 1", test: WAITS, entry_point: "f" },
  "exports under another name": { code: "const g = (x) => x + 1\nexport { g as f }", test: PLAIN },
};

describe.skipIf(await lacksIsolation())("JavaScript programs", () => {
  let evaluator: CodeExecution;

  beforeAll(() => {
    evaluator = new CodeExecution({ language: "javascript", timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  const score = async ({ code, ...example }: Case) => {
    const response = `\`\`\`js\n${code}\n\`\`\``;
    const scored = await evaluator.score({ id: 1, question: "Write f.", ...example }, { response });
    return "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores };
  };

  it.each(Object.entries(WRONG))("does not pass one that %s", async (_, wrong) => {
    expect((await score(wrong)).scores).toEqual({ pass_at_1: 0 });
  });

  it.each(Object.entries(RIGHT))("passes one that %s", async (_, right) => {
    expect(await score(right)).toEqual({ scores: { pass_at_1: 1 } });
  });

  it("leaves tests undecided that need a library, whatever the program is called", async () => {
    const code = "const describe = () => {}\nconst expect = () => ({ toBe() {} })\nconst f = () => 1";
    const scored = await score({ code, test: "describe('f', () => { expect(f(1)).toBe(2) })" });
    expect(scored).toMatchObject({ scores: {}, unscored: { pass_at_1: expect.stringContaining("need describe") } });
  });

  it("cannot leave its own tests undecided", async () => {
    const code = "const f = () => { throw new ReferenceError('expect is not defined') }";
    expect((await score({ code, test: PLAIN })).scores).toEqual({ pass_at_1: 0 });
  });
});
