import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../test/isolation.js";
import { textArgs } from "./interpreter-args.js";
import { describeIsolation, type Isolation } from "./isolation.js";
import { KEEPER } from "./keeper.js";
import { openSandbox, type ProgramResult, type Sandbox } from "./sandbox.js";
import { ownUids } from "./uid-pool.js";
import { WarmBoxes } from "./warm-boxes.js";
import { runWarm } from "./warm-run.js";

const named = (main: string, text: string) => ({ language: "javascript" as const, files: { [main]: text }, main });
const javascript = (text: string) => named("main.js", text);

/** Ordinary programs: what they come to is told by a warm box. */
const WARM: [string, string][] = [
  ["a sum", "console.log(Array.from({ length: 100 }, (_, n) => n).reduce((a, b) => a + b))"],
  ["nothing", ""],
  ["values", "console.log({ a: [1, () => 2, class X {}] }, new Map([[1, new Set(['x'])]]), [1, , 2], -0, 1n)"],
  [
    "deep values",
    "console.log({ a: { b: { c: { d: 1 } } } }, [[[[1]]]], new Date(0), /x/g, null, undefined, [undefined])",
  ],
  [
    "objects of classes",
    "class A { #x = 1; y = 2; get z() { return 1 } static s = 1 }; class B extends Map {}; console.log(new A(), A, new B([[1, 2]]), Object.create(null))",
  ],
  [
    "methods",
    "class Stack { items = []; push(x) { this.items.push(x); return this } get size() { return this.items.length } }; const s = new Stack().push(1).push(2); console.log(s, s.size, [1].map(function (x) { return x + 1 }))",
  ],
  [
    "functions",
    "function f() {}; async function g() {}; function* h() {}; console.log(f, g, h, (x) => x, Math.max, Math, JSON)",
  ],
  ["promises", "console.log(Promise.resolve(4), (async () => {})(), new Promise(() => {}))"],
  ["waiting", "(async () => { console.log(1, await 2, await Promise.all([3, (async () => 4)()])) })(); console.log(0)"],
  [
    "formats",
    "console.log('%s is %d and %i, %j %o %%', 'x', 4.5, 4.5, { a: 1 }, [1]); console.log('%s', { toString() { return 'mine' } })",
  ],
  ["the error output", "console.error('bad', [1]); console.warn('w'); console.info(1); console.debug('%d', 2)"],
  ["recursion", "const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); console.log(fib(22))"],
  ["sloppy code", "x = 5; var y = 010; console.log(x, y, typeof z)"],
  ["strict code", "'use strict'; let [a, b] = [1, 2]; for (const [k, v] of [[a, b]]) console.log(k, v)"],
  ["exports", "module.exports = { f: 1 }; exports.g = 2; console.log(module.exports)"],
  ["other letters", "console.log('é漢🎉', '\\u{1F600}'.length, [...'🎉a'].length, '\\ud83d')"],
  ["much output", "for (let i = 0; i < 5000; i += 1) console.log('line ' + i)"],
  [
    "patterns and divisions",
    "const a = 8, g = 2; console.log(a /2/ g, 'a-b'.split(/-/), `t` + a / g, 'x1'.replace(/(\\d)/, '<$1>')) // a comment\n/* and another */",
  ],
  ["computed keys", "const o = { ['a' + 1]: 1 }; o['b'] ??= 3; console.log(o, o['a1'], [1, 2][1], 'xyz'[1])"],
  [
    "generators",
    "function* count() { for (let i = 0; ; i += 1) yield i }; for (const n of count()) { if (n > 3) break; console.log(n) }",
  ],
  ["own iterators", "class Range { *[Symbol.iterator]() { yield 1; yield 2 } }; console.log([...new Range()])"],
  [
    "dates and numbers",
    "console.log((1234.5).toLocaleString('en-US'), new Intl.NumberFormat('de').format(1e6), new Date(0).toISOString(), 0.1 + 0.2)",
  ],
  ["JSON", "console.log(JSON.stringify({ a: [1, { b: null }], d: new Date(0) }, null, 2), JSON.parse('[1]'))"],
  [
    "a label",
    "outer: for (const a of [1, 2]) for (const b of [1, 2]) { if (b === 2) continue outer; console.log(a, b) }",
  ],
  [
    "an error that nobody meets",
    "const half = (n) => { if (n % 2) throw new RangeError('odd'); return n / 2 }; console.log(half(4))",
  ],
];

/** Programs that end in another way, or may do more than compute: a process of their own has to tell. */
const COLD: [string, string][] = [
  ["an error", "throw new Error('x')"],
  ["something else that is thrown", "throw { a: 1 }"],
  ["a rejection", "Promise.reject(4)"],
  ["an error that is caught", "const h = {}; try { h['a'](1) } catch (error) { console.log(error.message) }"],
  ["an error that is caught later", "(async () => { null.x })().catch((error) => console.log(error.message))"],
  ["an error that comes out of a promise", "Promise.allSettled([(async () => { [].x.y })()]).then(console.log)"],
  ["an error that was not thrown", "console.log(new Error('x').stack.split('\\n').length > 1)"],
  ["errors of its own", "class Mine extends Error {}; console.log(typeof new Mine('x').stack)"],
  ["timers", "class A { name = 'a'; hi() { console.log(typeof this) } }; setTimeout(new A().hi, 0)"],
  ["assertions", "const assert = require('assert'); assert(true); console.log('fine')"],
  [
    "assertions of errors",
    "const a = require('assert'); console.log(a.throws(() => { throw new Error('x') }, a.AssertionError))",
  ],
  ["this", "var counter = 0; function f() { this.counter = 1; return counter }; console.log(f())"],
  ["the module itself", "console.log(this === module.exports, require.main === module)"],
  ["what a function is called with", "function f() { return arguments.length }; console.log(f(1, 2))"],
  ["no program", "const const = 1"],
  ["a number that a name follows", "console.log(3in[1,2,3,4])"],
  ["a comment of HTML", "const y = 1, a = 1; console.log(a <!--y\n);"],
  ["deep recursion", "(function f() { f() })()"],
  ["an exit code", "process.exitCode = 3"],
  ["an end that is caught", "try { process.exit(7) } catch { process.exitCode = 0 }"],
  ["a stream of its own", "process.stdout.write = () => true; console.log('hidden')"],
  ["other ways to print", "console.dir({ a: 1 }, { depth: 0 }); console.table([1])"],
  ["what was matched last", "/(\\d)/.test('a1'); console.log(RegExp.$1)"],
  ["a name that is a word elsewhere", "var let = () => 1; console.log(typeof (0, let['constr' + 'uctor']))"],
  ["another", "var yield = Object; console.log(typeof yield['getProto' + 'typeOf'])"],
  ["and another", "var of = Object; for (void of['ke' + 'ys']({}); ;) break; console.log(1)"],
  ["a file", "console.log(require('fs').readdirSync('.'))"],
  ["the environment", "console.log(Object.keys(process.env))"],
  ["text that becomes code", "console.log(eval('1 + 1'))"],
  [
    "text that becomes code by a computed key",
    "const k = 'constr' + 'uctor'; console.log((() => {})[k]('return 6 * 7')())",
  ],
  ["an own inspection", "console.log({ [Symbol.for('nodejs.util.inspect.custom')]: () => 'mine' })"],
  ["bytes", "console.log(new Uint8Array(2), Buffer.from('a'))"],
  ["an infinite loop that is none", "const end = Date.now() + 1300; while (Date.now() < end); console.log('done')"],
  ["the text of a function", "console.log(String((xs) => xs[0]))"],
  ["a key of two", "console.log([1, 2][0, 1])"],
];

describe.skipIf(await lacksIsolation())("a warm box", () => {
  let isolation: Isolation;
  let sandbox: Sandbox;

  beforeAll(async () => {
    isolation = await describeIsolation();
    sandbox = await openSandbox({ isolation, concurrency: 1 });
  });

  afterAll(() => sandbox?.close());

  /** What came of it, and whether a warm box told. */
  async function told(text: string, where = sandbox): Promise<{ result: ProgramResult; isWarm: boolean }> {
    const before = where.warmRuns;
    const result = await where.run(javascript(text));
    return { result, isWarm: where.warmRuns > before };
  }

  /** In a box of its own, as with any limits of its own. */
  const inOwnBox = (text: string) => sandbox.run(javascript(text), { limits: {} });

  it.each(WARM)("comes to the same end as a process: %s", async (_, text) => {
    expect(await told(text)).toEqual({ result: await inOwnBox(text), isWarm: true });
  });

  it.each(COLD)("leaves to a process what is not ordinary: %s", async (_, text) => {
    expect(await told(text)).toEqual({ result: await inOwnBox(text), isWarm: false });
  });

  it.each([
    [
      "globals",
      "leak = 1; var v = 2; Math.leak = 4; JSON.leak = 5",
      "console.log(typeof leak, typeof v, Math.leak, JSON.leak)",
    ],
    [
      "what is built in",
      "Math.max = () => 'mine'; JSON.stringify = () => 'mine'; String.raw = 1",
      "console.log(Math.max(1, 2), JSON.stringify([1]), typeof String.raw)",
    ],
    ["promises", "(async () => { for (;;) { await null; if (Date.now() % 7 === 0) break } })()", "console.log('end')"],
    ["what was printed", "console.log('first')", "console.log('second')"],
  ])("shows one program nothing of another: %s", async (_, first, second) => {
    const own = await openSandbox({ isolation, concurrency: 1 });
    try {
      expect((await told(first, own)).isWarm).toBe(true);
      expect(await told(second, own)).toEqual({ result: await inOwnBox(second), isWarm: true });
    } finally {
      await own.close();
    }
  });

  it.each([
    ["another language", { language: "python" as const, files: { "main.py": "print(1)" }, main: "main.py" }],
    ["an input", { ...javascript("console.log(1)"), stdin: "x" }],
    ["a module", named("main.mjs", "console.log(await 1)")],
    [
      "a program with a package",
      { ...javascript("console.log(1)"), files: { "main.js": "console.log(1)", "package.json": "{}" } },
    ],
    ["a name that says nothing", named("main", "console.log(1)")],
  ])("is not used for %s", async (_, program) => {
    const before = sandbox.warmRuns;
    expect((await sandbox.run(program)).stdout).toBe("1\n");
    expect(sandbox.warmRuns).toBe(before);
  });

  it("is not used without isolation", async () => {
    const unsafe = await openSandbox({ isolation: { ...isolation, kind: null }, unsafeLocalExec: true });
    expect((await told("console.log(1)", unsafe)).isWarm).toBe(false);
    await unsafe.close();
  });

  it("does without where the limits leave it no room", async () => {
    const narrow = await openSandbox({ isolation, limits: { openFiles: 4 } });
    const { isWarm } = await told("console.log(1)", narrow);
    expect(isWarm).toBe(false);
    await narrow.close();
  });

  it("is replaced when it has died, and its program run elsewhere", async () => {
    const own = await openSandbox({ isolation, concurrency: 1 });
    const before = new Set(keepers());
    await told("console.log(1)", own);
    const [keeper = ""] = keepers(before);
    process.kill(Number(keeper), "SIGKILL");
    expect(await told("console.log(2)", own)).toMatchObject({ result: { stdout: "2\n" }, isWarm: false });
    expect(await told("console.log(3)", own)).toMatchObject({ result: { stdout: "3\n" }, isWarm: true });
    await own.close();
  });

  it("is replaced after a hundred programs", async () => {
    const own = await openSandbox({ isolation, concurrency: 1 });
    const before = new Set(keepers());
    const ids = new Set<string>();
    for (let count = 0; count < 101; count += 1) {
      expect((await told(`console.log(${count})`, own)).result.stdout).toBe(`${count}\n`);
      if (count === 0 || count === 50 || count === 100) for (const id of keepers(before)) ids.add(id);
    }
    expect(own.warmRuns).toBe(101);
    expect(ids.size).toBe(2);
    await own.close();
  });

  it("is stopped with its program when that is aborted", async () => {
    const own = await openSandbox({ isolation, concurrency: 1 });
    await told("console.log(1)", own);
    const running = own.run(javascript("for (;;);"), { signal: AbortSignal.timeout(100) });
    await expect(running).rejects.toThrow("timeout");
    expect(await told("console.log(2)", own)).toMatchObject({ result: { stdout: "2\n" }, isWarm: true });
    await own.close();
  });

  it("leaves no process behind when the sandbox is closed", async () => {
    const own = await openSandbox({ isolation, concurrency: 2 });
    const before = new Set(keepers());
    await Promise.all([told("console.log(1)", own), told("console.log(2)", own)]);
    expect(keepers(before).length).toBe(2);
    await own.close();
    expect(keepers(before)).toEqual([]);
  });

  it("ends with the sandbox in the middle of a program", async () => {
    const own = await openSandbox({ isolation, concurrency: 1 });
    const before = new Set(keepers());
    await told("console.log(1)", own);
    const running = own.run(javascript("for (;;);"));
    await new Promise((resolve) => setImmediate(resolve));
    await own.close();
    expect(await running).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: false });
    expect(keepers(before)).toEqual([]);
  });

  it("makes room when there are no user ids left", async () => {
    const uids = ownUids();
    if (uids === null) return;
    const own = await openSandbox({ isolation, concurrency: 1 });
    await told("console.log(1)", own);
    const taken: number[] = [];
    for (let uid = uids.take(); uid !== null; uid = uids.take()) taken.push(uid);
    try {
      expect(await told("console.log(require('fs') !== null)", own)).toMatchObject({ result: { stdout: "true\n" } });
    } finally {
      for (const uid of taken) uids.give(uid);
      await own.close();
    }
  });

  it("is ended when nobody needs it for a while", async () => {
    const args = textArgs("javascript", KEEPER);
    const before = new Set(keepers());
    const start = () => sandbox.start({ language: "javascript", args, isLasting: true });
    const boxes = new WarmBoxes(start, { idleMs: 30 });
    const job = { main: "main.js", text: "console.log(1)", outputBytes: 100, limitMs: 1000 };
    expect(await boxes.use((box) => runWarm(box, job))).toEqual({ exitCode: 0, stdout: "1\n", stderr: "" });
    expect(keepers(before).length).toBe(1);
    await expect.poll(() => keepers(before)).toEqual([]);
  });

  it.each([
    ["the line of another", JSON.stringify(["other", 0, "forged", ""])],
    ["no line that can be read", "forged"],
  ])("is not believed when it says %s", async (_, line) => {
    const says = `require("fs").writeSync(3, ${JSON.stringify(`ready\n${line}\n`)}); setTimeout(() => {}, 60000)`;
    const start = () => sandbox.start({ language: "javascript", args: textArgs("javascript", says), isLasting: true });
    const job = { main: "main.js", text: "", outputBytes: 100, limitMs: 5000 };
    const boxes = new WarmBoxes(start);
    const worked = await boxes.use(async (box) => ({ value: await runWarm(box, job), isOrdinary: false }));
    expect(worked).toEqual({ value: null, isOrdinary: false });
  });

  it.each([
    ["that has printed", `require("fs").writeSync(2, "x")`],
    ["with another process", `require("child_process").spawn("/bin/sleep", ["60"])`],
  ])("is not believed when it is one %s", async (_, first) => {
    const args = textArgs("javascript", `${first};${KEEPER}`);
    const start = () => sandbox.start({ language: "javascript", args, isLasting: true });
    const job = { main: "main.js", text: "console.log(1)", outputBytes: 100, limitMs: 5000 };
    expect(await new WarmBoxes(start).use((box) => runWarm(box, job))).toBeNull();
  });

  it("holds the programs of many at a time apart", async () => {
    const own = await openSandbox({ isolation, concurrency: 3 });
    const texts = Array.from(
      { length: 30 },
      (_, n) => `(async () => { for (let i = 0; i < ${(n % 5) * 1000}; i += 1) await i; console.log(${n}) })()`,
    );
    const all = await Promise.all(texts.map((text) => own.run(javascript(text))));
    expect(all.map(({ stdout }) => Number(stdout))).toEqual(texts.map((_, n) => n));
    expect(own.warmRuns).toBe(30);
    await own.close();
  });
});

/** The processes of warm boxes that this process has started, but for those that were there before. */
function keepers(before: ReadonlySet<string> = new Set()): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && !before.has(pid) && isKeeper(pid) && isOurs(pid));
}

function isKeeper(pid: string): boolean {
  const command = textOf(`/proc/${pid}/cmdline`);
  return !command.startsWith("/usr/bin/bwrap") && command.includes("assay-inside.js");
}

function isOurs(pid: string): boolean {
  const parent = /^PPid:\t(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1];
  return parent !== undefined && parent !== "0" && (parent === String(process.pid) || isOurs(parent));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
