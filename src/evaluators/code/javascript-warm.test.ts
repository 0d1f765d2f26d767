import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../../test/isolation.js";
import { openSandbox, type Sandbox } from "../../sandbox/sandbox.js";
import { JavaScriptJudge } from "./javascript-judge.js";
import { CORRECT } from "./javascript-styles.fixture.js";
import type { Verdict } from "./judge.js";

/** Programs with their tests, which call them `f`, that do not pass or not simply so. */
/** Those in unusual styles take long to judge, and are judged elsewhere: a third of them tells enough. */
const SOME_CORRECT = CORRECT.filter((_, index) => index % 3 === 0);

const OTHERS: [string, string, string][] = [
  ["is wrong", "const f = (x) => x + 1", "assert.equal(f(1), 3)"],
  ["counts in a global", "var n = 0; function f() { this.n++; return n }", "assert.equal(f(), 1)"],
  [
    "finds a helper by this",
    "function g(x) { return x + 1 } function f(x) { return this.g(x) }",
    "assert.equal(f(1), 2)",
  ],
  [
    "shows the text of an error",
    "const f = (h, k) => { try { return h[k]() } catch (e) { return e.message } }",
    "assert.equal(f({}, 'a'), 'h[k] is not a function')",
  ],
  [
    "throws an error with a text of its own code",
    "const f = (h, k) => h[k]()",
    "assert.throws(() => f({}, 'a'), { message: 'h[k] is not a function' })",
  ],
  [
    "uses a timer",
    "const f = () => new Promise((done) => setTimeout(function () { done(typeof this) }, 1))",
    "f().then((x) => assert.equal(x, 'object'))",
  ],
  [
    "asks what a timer is",
    "const f = () => typeof setTimeout(() => {}, 1)._idleTimeout",
    "assert.equal(f(), 'number')",
  ],
  [
    "poisons the next one",
    "const a = require('assert'); var host; function V() { host = this; return true } V.prototype = new Error('x'); a.throws(() => { throw 1 }, V || 0); const f = () => typeof host",
    "assert.equal(f(), 'object')",
  ],
  ["is wrong about a list", "const f = (xs) => xs.map((x) => x + 1)", "assert.deepStrictEqual(f([1]), [3])"],
  ["is wrong as the console tells", "const f = (x) => x + 1", "console.assert(f(1) === 3, 'no')"],
  ["throws", "const f = () => { throw new TypeError('mine') }", "f()"],
  ["throws what is no error", "const f = () => { throw 4 }", "f()"],
  ["throws when it is loaded", "null.x; const f = 1", "assert.equal(f, 1)"],
  ["throws what is expected", "const f = () => { throw new RangeError('r') }", "assert.throws(f, /r/)"],
  ["is missing", "const g = 1", "assert.equal(f(1), 1)"],
  ["is no program", "const f = = 1", "assert.equal(f(1), 1)"],
  ["never ends", "const f = () => { for (;;); }", "assert.equal(f(), 1)"],
  ["ends itself", "const f = () => process.exit(0)", "assert.equal(f(), 1)"],
  ["ends itself when it is loaded", "const f = () => 1; process.exit(0)", "assert.equal(f(), 1)"],
  ["fails later", "const f = () => { setTimeout(() => { null.x }, 1); return 1 }", "assert.equal(f(), 1)"],
  [
    "fails before an answer is there",
    "const f = () => new Promise(() => setTimeout(() => { null.x }, 1))",
    "f().then((x) => assert.equal(x, 1))",
  ],
  ["never answers", "const f = () => new Promise(() => {})", "f().then((x) => assert.equal(x, 1))"],
  [
    "answers later",
    "const f = (x) => new Promise((done) => setTimeout(done, 5, x))",
    "f(3).then((x) => assert.equal(x, 3))",
  ],
  ["answers no", "const f = async () => { throw new Error('no') }", "(async () => { await f() })()"],
  ["shows its text", "const f = (xs) => xs[0]", "assert.ok(f.toString().includes('=> xs[0]'))"],
  ["prints", "const f = (x) => { console.log(x); process.stdout.write('x'); return x }; f(1)", "assert.equal(f(2), 2)"],
  ["exports without a name", "module.exports = (x) => x * 2", "assert.equal(f(2), 4)"],
  ["exports by name", "exports.f = (x) => x * 2", "assert.equal(f(2), 4)"],
  ["calls back", "const f = (work) => [1, 2].map((x) => work(x))", "assert.deepEqual(f((x) => x * 2), [2, 4])"],
  [
    "asks where it is",
    "const f = () => [__filename, __dirname, process.argv.length, require.main === module, typeof exports, typeof this].join()",
    "assert.equal(f(), 'shown')",
  ],
  [
    "does more when it is the main module",
    "const f = () => 1; if (require.main === module) { throw new Error('main') }",
    "assert.equal(f(), 1)",
  ],
  ["uses a module without asking", "assert(true); const f = (x) => path.basename(x)", "assert.equal(f('/a/b'), 'b')"],
  ["asks for a module by typeof", "const f = () => typeof util", "assert.equal(f(), 'object')"],
  ["has a name like a module", "const path = 1; function f(url) { return url + path }", "assert.equal(f(1), 2)"],
  [
    "is tested with a module",
    "const f = (x) => x",
    "const { basename } = path; assert.equal(f(basename('/a/b')), 'b')",
  ],
  ["counts", "let n = 0; const f = () => (n += 1)", "f(); assert.equal(f(), 2)"],
  ["takes what Node has", "const f = (x) => require('path').basename(x)", "assert.equal(f('/a/b'), 'b')"],
  [
    "is asked for what only Node has",
    "const f = (x) => x",
    "assert.equal(typeof performance.now(), 'number'); assert.equal(f(1), 1)",
  ],
  ["has a name of Node's", "const f = 1; const fetch = () => 2", "assert.equal(fetch(), 2)"],
  ["has broken tests", "const f = 1", "assert.equal(f, 1"],
];

describe.skipIf(await lacksIsolation())("judging in a warm box", () => {
  let sandbox: Sandbox;
  let warm: JavaScriptJudge;
  let cold: JavaScriptJudge;

  beforeAll(async () => {
    sandbox = await openSandbox();
    warm = new JavaScriptJudge(sandbox);
    cold = new JavaScriptJudge(sandbox, { isWarm: false });
  });

  afterAll(async () => {
    await warm?.close();
    await cold?.close();
    await sandbox?.close();
  });

  function judged(judge: JavaScriptJudge, program: string, tests: string): Promise<Verdict> {
    const task = { language: "javascript" as const, prompt: "", before: "", tests, entryPoint: "f" };
    return judge.judge({ task, variants: [{ text: program, mayCut: false }], timeoutSecs: 3 });
  }

  it.each([...SOME_CORRECT, ...OTHERS])("comes to the same verdict: a program that %s", async (_, program, tests) => {
    expect(await judged(warm, program, tests)).toEqual(await judged(cold, program, tests));
  });

  it("is how programs that pass and only compute are judged", () => {
    expect(cold.warmTrials).toBe(0);
    expect(warm.warmTrials).toBeGreaterThan(5);
  });

  it("shows a program nothing of the one before", async () => {
    await judged(
      warm,
      "Math.max = () => 'spoiled'; leaked = 1; JSON.parse = () => 1; const f = () => 1",
      "assert.equal(f(), 1)",
    );
    const verdict = await judged(
      warm,
      "const f = () => [Math.max(1, 2), typeof leaked]",
      "assert.deepEqual(f(), [2, 'undefined'])",
    );
    expect(verdict.outcome).toBe("passed");
  });

  it("throws a box away in which more was said than was asked for", async () => {
    const before = warm.warmTrials;
    const forger = 'JSON.stringify = () => \'["=",1,[]]\\n["=",1,[]]\'; const f = () => 2';
    await judged(warm, forger, "assert.equal(f(), 1)");
    for (let round = 0; round < 3; round += 1) {
      expect(await judged(warm, "const f = () => 2", "assert.equal(f(), 2)")).toMatchObject({ outcome: "passed" });
    }
    expect(warm.warmTrials).toBeGreaterThanOrEqual(before + 3);
  });
});
