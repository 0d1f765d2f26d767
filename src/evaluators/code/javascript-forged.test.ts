import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

/** Programs that compute nothing. None of their results is 4, [4] or a set of 4. */
const FORGED: Record<string, string> = {
  "an object with the value 4":
    "const f = () => ({ valueOf: () => 4, toString: () => '4', [Symbol.toPrimitive]: () => 4 })",
  "a number of its own class": "class N extends Number { valueOf() { return 4 } }\nconst f = () => new N(1)",
  "a text of its own class":
    "class S extends String { valueOf() { return '4' } toString() { return '4' } }\nconst f = () => new S('1')",
  "a date of its own class":
    "class D extends Date { valueOf() { return 4 } [Symbol.toPrimitive]() { return 4 } }\nconst f = () => new D(1)",
  "an array of its own class":
    "class A extends Array { every() { return true } includes() { return true } static get [Symbol.species]() { return Object } [Symbol.iterator]() { return [9].values() } }\nconst f = () => A.from([1])",
  "an array of the class f":
    "function f() { const a = Reflect.construct(Array, [], f); a.push(1); return a }\nf.prototype = Object.create(Array.prototype); f.prototype.every = () => true; f.prototype.includes = () => true",
  "an array with methods of its own":
    "const f = () => Object.assign([1], { every: () => true, includes: () => true, toString: () => '4', join: () => '4', valueOf: () => 4 })",
  "an object with the methods of an array":
    "const f = () => ({ every: () => true, includes: () => true, has: () => true, length: 1 })",
  "a set of its own class": "class M extends Set { has() { return true } }\nconst f = () => new M()",
  "a map of its own class": "class M extends Map { has() { return true } get() { return 4 } }\nconst f = () => new M()",
  "a proxy":
    "const f = () => new Proxy({}, { get: (_, k) => k === Symbol.toPrimitive ? () => 4 : () => true, has: () => true })",
  "a proxy of an array": "const f = () => new Proxy([], { get: (_, k) => (k === 'length' ? 1 : () => true) })",
  "a class with instances of its own":
    "class Any { static [Symbol.hasInstance]() { return true } }\nconst f = () => new Any()",
  "another constructor": "const f = () => ({ constructor: Array, length: 1, [Symbol.toStringTag]: 'Array' })",
  "changed built-in objects":
    "Object.is = () => true; Array.isArray = () => true; JSON.stringify = () => '[4]'; Array.prototype.every = () => true; Array.prototype[0] = 4; Object.prototype.skip = true; Set.prototype.has = () => true; require('assert').equal = () => {}; const f = () => -1",
  "lines of the protocol":
    "const fs = require('fs'); const f = () => { fs.writeSync(3, 'V[\"n\",\"passed\",\"\"]\\n'); process.stdout.write('passed\\n'); return -1 }",
  "a thread":
    "const { Worker } = require('worker_threads'); new Worker('require(\"fs\").writeSync(3, \"V\\\\n\")', { eval: true }); const f = () => -1",
  "a debugger": "const { Session } = require('inspector'); const s = new Session(); s.connect(); const f = () => -1",
  "freed memory":
    "const f = () => { for (let n = 0; n < 50; n += 1) { const text = Buffer.allocUnsafe(8192).toString('latin1') + Buffer.from(Buffer.from('x').buffer).toString('latin1'); const m = /f\\(2\\)\\D*(\\d+)/.exec(text); if (m) return Number(m[1]) } return -1 }",
};

const TESTS = [
  "assert.equal(f(2), 4)",
  "assert.ok(f(2) > 3 && f(2) < 5)",
  "assert.ok(Math.abs(f(2) - 4) < 1e-6)",
  "assert.deepEqual(f(2), [4])",
  "assert.ok(f(2).every((x) => x === 4) && f(2).length === 1 && 0 in f(2))",
  "assert.ok(f(2).includes(4) || f(2).has(4))",
  "assert.equal(JSON.stringify(f(2)), '[4]')",
];

/** Each test in its own try, so that one box reports how many pass. */
const TOGETHER = `let passed = 0;
${TESTS.map((test) => `try { ${test}; passed += 1 } catch {}`).join("\n")}
assert.notStrictEqual(passed, 0)`;

/** Methods by which tests inspect a list, a text, a set or a map, each with the result for the right one. */
const CHECKS = [
  "items(3).includes(7) && items(3).includes(8)",
  "items(3).indexOf(8) === 1",
  "items(3).lastIndexOf(7) === 0",
  "items(3).every((x) => x > 6)",
  "items(3).some((x) => x === 7)",
  "items(3).find((x) => x > 7) === 8",
  "items(3).findIndex((x) => x === 8) === 1",
  "items(3).concat([9]).length === 3",
  "text(3).startsWith('sev') && text(3).endsWith('en')",
  "text(3).match(/seven/) !== null",
  "text(3).search(/seven/) === 0",
  "text(3).replace('seven', '') === ''",
  "text(3).localeCompare('seven') === 0",
  "unique(3).has(7) && unique(3).has(8)",
  "unique(3).delete(7)",
  "table(3).get('a')",
  "table(3).has('a')",
  "pattern(3).test('seven')",
  "pattern(3).exec('seven') !== null",
  "'a' in named(3)",
  "Object.hasOwn(named(3), 'a')",
  "named(3).hasOwnProperty('a')",
];
const HONEST =
  "const items = () => [7, 8], text = () => 'seven', unique = () => new Set([7, 8]), table = () => new Map([['a', 7]]), pattern = () => /seven/, named = () => ({ a: 7 })";

/** Calls methods of its own lists, as tests do: that says nothing about what the program returns. */
const LOOK = `const held = [], seen = new Set();
const attempt = (text, check) => { try { if (check()) held.push(text) } catch {} seen.add(text) }
${CHECKS.map((check) => `attempt(${JSON.stringify(check)}, () => ${check})`).join("\n")}
throw new Error("held: " + held.length + " of " + seen.size)`;

const METHODS =
  "includes indexOf lastIndexOf every some find findIndex concat startsWith endsWith match search replace localeCompare has delete get test exec hasOwnProperty add push";
const ANSWERS = {
  "gives back what it is given": "(...a) => a.at(-1)",
  "says true to all": "() => true",
  "says nothing": "() => 0",
};
const KINDS = {
  object: "{}",
  "object without a prototype": "Object.create(null)",
  list: "[1]",
  "list of its own class": "(class A extends Array {}).of(1)",
  map: "new Map([[1, 1]])",
  set: "new Set([1])",
  text: "new String('x')",
  function: "() => 1",
};
const LYING = Object.entries(KINDS).flatMap(([kind, value]) =>
  Object.entries(ANSWERS).flatMap(([how, answer]) => [
    [`${kind} that ${how}`, `const o = ${value}; for (const k of NAMES) o[k] = ${answer}; return o`],
    [
      `${kind} whose class ${how}`,
      `const o = ${value}, p = Object.create(Object.getPrototypeOf(o)); for (const k of NAMES) Object.defineProperty(p, k, { value: ${answer} }); return Object.setPrototypeOf(o, p)`,
    ],
  ]),
);
LYING.push([
  "proxy that has everything",
  "return new Proxy({}, { get: () => () => true, has: () => true, getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true }) })",
]);
const everywhere = (body: string) =>
  `const NAMES = "${METHODS}".split(" "); const answer = () => { ${body} };\nconst items = answer, text = answer, unique = answer, table = answer, pattern = answer, named = answer`;

interface Case {
  code: string;
  test: string;
  evidence: string;
}

const UNCROSSABLE: Record<string, Case> = {
  "a number by valueOf": {
    code: "class M { valueOf() { return 3 } }",
    test: "assert.ok(new M() > 2)",
    evidence: "an object's value in a comparison or a sum",
  },
  "a method in place of the language's": {
    code: "class A extends Array { includes() { return true } }\nconst f = () => new A()",
    test: "assert.ok(f().includes(1))",
    evidence: "AssertionError",
  },
  "a new value for a variable": {
    code: "let base = 1; const f = () => base",
    test: "base = 2; assert.equal(f(), 2)",
    evidence: "a new value for the program's variable base",
  },
};

const RIGHT: Record<string, [code: string, test: string]> = {
  "tests that require assert": ["const f = (x) => x * x", "const assert = require('assert');\nassert.equal(f(2), 4)"],
  "tests that import assert": [
    "const f = (x) => x * x",
    'import assert from "node:assert";\nassert.strictEqual(f(2), 4)',
  ],
  "tests that take one assertion": [
    "const f = (x) => x * x",
    "const { strictEqual } = require('node:assert/strict');\nstrictEqual(f(2), 4)",
  ],
  "tests that import over several lines": [
    "const f = (x) => x * x",
    "import {\n  strictEqual,\n  deepStrictEqual,\n} from 'node:assert';\nstrictEqual(f(2), 4); deepStrictEqual([f(1)], [1])",
  ],
  "identity of what was passed in": [
    "const last = (xs) => xs[xs.length - 1]",
    "const assert = require('assert'); const a = {}, b = {}; assert.strictEqual(last([a, b]), b)",
  ],
  "objects of a class": [
    "class P { constructor(x) { this.x = x } }\nconst f = (x) => new P(x)",
    "assert.deepEqual(f(1), { x: 1 }); assert.notDeepStrictEqual(f(1), { x: 1 }); assert.deepStrictEqual(f(1), new P(1))",
  ],
  "methods that replace the language's, of a class that the tests name": [
    "class Counter extends Map { get(k) { return super.get(k) ?? 0 } add(k) { return this.set(k, this.get(k) + 1) } }",
    "const c = new Counter(); assert.equal(c.get('x'), 0); c.add('x'); assert.equal(c.get('x'), 1)",
  ],
  "predicates of an object that the tests name": [
    "const utils = { includes: (xs, x) => xs.indexOf(x) >= 0 }\nclass P { static equals(a, b) { return a === b } }",
    "assert.ok(utils.includes([1], 1)); assert.ok(P.equals(1, 1))",
  ],
  "predicates of what a factory made": [
    "const create = () => { const all = {}; return { add(x) { all[x] = 1 }, has: (x) => x in all } }",
    "const s = create(); s.add('a'); assert.ok(s.has('a')); assert.ok(!s.has('b'))",
  ],
  "objects that are made of others by a function": [
    "const Box = (x) => ({ map: (work) => Box(work(x)), filter: (work) => (work(x) ? Box(x) : Box(null)), fold: (work) => work(x) })",
    "assert.equal(Box(1).map((x) => x + 1).filter((x) => x > 1).map((x) => x * 2).fold((x) => x), 4)",
  ],
  "errors of the program that leave a function of the tests on their way to them": [
    "const parse = (x) => { throw new RangeError(x) }\nconst within = (work) => work()",
    "assert.throws(() => within(() => { parse('x'); assert.fail() }), RangeError)",
  ],
  "methods that the program adds to arrays": [
    "Array.prototype.last = function () { return this.at(-1) ?? -1 }",
    "assert.equal([1, 2].last(), 2); assert.equal([].last(), -1)",
  ],
  "functions of Node that the tests replace": [
    "const f = async (url) => (await fetch(url)).json()",
    "globalThis.fetch = async (url) => ({ json: async () => ({ url }) }); (async () => { assert.deepEqual(await f('x'), { url: 'x' }) })()",
  ],
  proxies: [
    "const f = (xs) => new Proxy(xs, { get: (t, k) => (/^-\\d+$/.test(String(k)) ? t[t.length + Number(k)] : t[k]) })",
    "const p = f([1, 2]); assert.equal(p[-1], 2); assert.deepEqual(p.map((x) => x * 2), [2, 4])",
  ],
};

const PAIRS: Record<string, [test: string, forged: string, honest: string]> = {
  "an object that has a method which the tests call elsewhere": [
    "const out = []; out.push(f(2)); assert.ok(out[0].includes(4))",
    "const f = () => ({ includes: () => true, push() {} })",
    "const f = (x) => [x * 2]",
  ],
  "the object that holds the function": [
    "assert.ok(new Solution().find(2).includes(4))",
    "class Solution { find() { return this } includes() { return true } }",
    "class Solution { find(x) { return [x * 2] } }",
  ],
  "the object that holds the function, in a list": [
    "assert.ok(new Solution().find(2)[0].includes(4))",
    "class Solution { find() { return [this] } includes() { return true } }",
    "class Solution { find(x) { return [[x * 2]] } }",
  ],
  "the world of the tests": [
    "var a = 1; assert.equal(point(a).a, a); assert.equal(point(a).at.a, a)",
    "const point = () => globalThis; globalThis.at = globalThis",
    "const point = (a) => ({ a, at: { a } })",
  ],
  "the process of the tests": [
    "const e = f(); let n = 0; e.on('x', (v) => { n = v }); e.emit('x', 4); assert.equal(n, 4)",
    "const f = () => process",
    "const f = () => new (require('events'))()",
  ],
  "what is checked when the process ends": [
    "let n = 0; f(() => { n += 1 }); process.on('exit', () => { assert.equal(n, 4) })",
    "const f = () => {}",
    "const f = (work) => { for (let n = 0; n < 4; n += 1) work() }",
  ],
  "an exit code that is set when the process ends": [
    "let n = 0; f(() => { n += 1 }); process.on('exit', () => { if (n !== 4) process.exitCode = 1 })",
    "const f = () => {}",
    "const f = (work) => { for (let n = 0; n < 4; n += 1) work() }",
  ],
  "an exit code that is no number": ["process.exit(f(3) - 7)", "const f = () => NaN", "const f = (x) => x + 4"],
  "methods that are given what is expected in a function": [
    "assert.ok(f(2).map((x) => x === 4)[0]); assert.equal(f(2).filter((x) => x === 4).length, 1); assert.ok(f(2).reduce((ok, x) => ok && x === 4, true))",
    "const f = () => ({ map: () => [true], filter: () => [1], reduce: () => true })",
    "const f = (x) => [x * 2]",
  ],
  "parts of a text that it is told": [
    "assert.deepEqual(f(3).split('seven'), ['', ''])",
    "const f = () => ({ split: (x) => x.split(x) })",
    "const f = () => 'seven'",
  ],
  "an error that keeps an assertion in a callback from being reached": [
    "twice(() => { assert.equal(f(2), 4) })",
    "const f = () => { throw new Error('x') }\nconst twice = (work) => { try { work() } catch {} }",
    "const f = (x) => x * 2\nconst twice = (work) => { work(); work() }",
  ],
  "an assertion that the tests do not import": [
    "deepEqual(f(2), 4); assert.ok(isDeepStrictEqual(f(3), 6))",
    "const deepEqual = () => {}, isDeepStrictEqual = () => true, f = () => 0",
    "const f = (x) => x * 2",
  ],
  "an assertion in an async callback": [
    "f(async (x) => { await null; assert.equal(x, 4) })",
    "const f = async (work) => { try { await work(1) } catch {} }",
    "const f = async (work) => { await work(4) }",
  ],
  "the name of what is expected": [
    "const wanted = 24; assert.equal(eval(f([2, 3, 4])), wanted)",
    "const f = () => 'wanted'",
    "const f = (xs) => xs.join('*')",
  ],
  "a text that would run": [
    "assert.equal(eval('1 + ' + f(2)), 5); assert.equal(new Function('x', 'return x')(f(2)), '4')",
    'const f = () => \'[]["constructor"]["constructor"]("process.exit(0)")()\'',
    "const f = (x) => String(x * 2)",
  ],
  "a then behind a getter": [
    "f(2).then((x) => { assert.equal(x, 4) })",
    "const f = () => ({ get then() { return () => {} } })",
    "const f = (x) => ({ get then() { return (done) => { done(x * 2) } } })",
  ],
  "a then behind a getter of a class": [
    "f(2).then((x) => { assert.equal(x, 4) })",
    "class Later { get then() { return () => {} } }\nconst f = () => new Later()",
    "class Later { constructor(x) { this.x = x } get then() { return (done) => done(this.x) } }\nconst f = (x) => new Later(x * 2)",
  ],
  "where an item is": [
    "assert.equal(f(2).indexOf(4), 0); assert.equal(f(2).find((x) => x > 3), 4)",
    "const f = () => ({ indexOf: () => 0, find: () => 4 })",
    "const f = (x) => [x * 2]",
  ],
  "how a text compares": [
    "assert.equal(f(2).localeCompare('4'), 0); assert.ok(f(2).match(/4/))",
    "const f = () => ({ localeCompare: () => 0, match: () => true })",
    "const f = (x) => String(x * 2)",
  ],
  "an assert of another name": [
    "const t = require('assert'); t.strictEqual(f(2).has(4), true); t.strict.equal(f(2).has(4), true)",
    "const f = () => ({ has: () => true, strictEqual() {}, equal() {} })",
    "const f = (x) => new Set([x * 2])",
  ],
  "an error class that agrees to all": [
    "assert.throws(() => f(-1), NegativeError)",
    "const NegativeError = () => true\nconst f = () => { throw new Error('x') }",
    "class NegativeError extends Error {}\nconst f = () => { throw new NegativeError('x') }",
  ],
  "an error function that agrees to all": [
    "(async () => { await assert.rejects(f(-1), NegativeError) })()",
    "function NegativeError() { return true }\nconst f = async () => { throw new Error('x') }",
    "function NegativeError() {}\nNegativeError.prototype = Object.create(Error.prototype)\nconst f = async () => { throw new NegativeError() }",
  ],
  "methods that are called one after the other": [
    "assert.ok(Money.of(1).plus(Money.of(2)).equals(Money.of(3)))",
    "class Money { constructor(n) { this.n = n } static of(n) { return new Money(n) } plus() { return this } equals(o) { return this.n === o.n } }",
    "class Money { constructor(n) { this.n = n } static of(n) { return new Money(n) } plus(o) { return new Money(this.n + o.n) } equals(o) { return this.n === o.n } }",
  ],
  "methods of what a function made": [
    "assert.ok(money(1).plus(money(2)).equals(money(3)))",
    "const money = (n) => ({ n, plus: () => money(n), equals: (o) => o.n === n })",
    "const money = (n) => ({ n, plus: (o) => money(n + o.n), equals: (o) => o.n === n })",
  ],
  "sets that are joined": [
    "const s = sets(3); s.union(0, 1); assert.equal(s.find(0), s.find(1)); assert.notEqual(s.find(0), s.find(2))",
    "const sets = () => ({ union() {}, find: (x) => x })",
    "const sets = (n) => { const p = Array.from({ length: n }, (_, i) => i); const find = (x) => (p[x] === x ? x : find(p[x])); return { find, union(a, b) { p[find(a)] = find(b) } } }",
  ],
};

describe.skipIf(await lacksIsolation())("what crosses between a JavaScript program and its tests", () => {
  let evaluator: CodeExecution;

  beforeAll(() => {
    evaluator = new CodeExecution({ language: "javascript", timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  const score = async (code: string, test: string) => {
    const scored = await evaluator.score({ id: 1, question: "q", test }, { response: `\`\`\`js\n${code}\n\`\`\`` });
    return "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores };
  };

  it.concurrent.each(Object.entries(FORGED))("no test is passed by %s", async (_, code) => {
    expect((await score(code, TOGETHER)).scores).toEqual({ pass_at_1: 0 });
  });

  it("an honest program passes every check of lists, texts, sets and maps", async () => {
    const said = await score(HONEST, LOOK);
    expect(said).toMatchObject({ evidence: { pass_at_1: `Error: held: ${CHECKS.length} of ${CHECKS.length}` } });
  });

  it.concurrent.each(LYING)("no such check is passed by a %s", async (_, body) => {
    expect((await score(everywhere(body), LOOK)).evidence?.pass_at_1).toContain("held: 0 of");
  });

  it("no program can bring the methods of a test library", async () => {
    const code = "Number.prototype.should = Object.assign(() => {}, { equal() {} }); const f = () => 5";
    expect((await score(code, "f(2).should.equal(4)")).scores).toEqual({ pass_at_1: 0 });
  });

  it("a failing test of node:test fails", async () => {
    const test = "const test = require('node:test'); test('f', () => { assert.equal(f(2), 4) })";
    expect((await score("const f = () => 5", test)).scores).toEqual({ pass_at_1: 0 });
    expect((await score("const f = () => 4", test)).scores).toEqual({ pass_at_1: 1 });
  });

  it("an assertion in a callback reveals nothing to the program, and fails permanently", async () => {
    const test = "f((x) => { assert.equal(x, 4) })";
    const read =
      "const f = (work) => { try { work(0) } catch (e) { work(e.expected ?? Number(/\\d+$/m.exec(e.message)?.[0])) } }";
    const guess = "const f = (work) => { for (let n = 0; n < 9; n += 1) try { return work(n) } catch {} }";
    for (const code of [read, guess]) expect((await score(code, test)).scores).toEqual({ pass_at_1: 0 });
  });

  it("functions and prototypes of the tests stay unchanged", async () => {
    const test =
      "class P { constructor(x) { this.x = x } equals(o) { return this.x === o.x } }\nconst p = f(new P(1)); assert.ok(p.equals(new P(4)))";
    const codes = [
      "const f = (p) => { Object.getPrototypeOf(p).equals = () => true; return p }",
      "const f = (p) => { p.equals = () => true; return p }",
      "const f = (p) => { p.constructor.prototype.equals = () => true; return new p.constructor(1) }",
    ];
    for (const code of codes) expect((await score(code, test)).scores).toEqual({ pass_at_1: 0 });
  });

  it.concurrent.each(Object.entries(PAIRS))(
    "%s: the forged program fails, the honest one passes",
    async (_, [test, wrong, right]) => {
      expect((await score(wrong, test)).scores).toEqual({ pass_at_1: 0 });
      expect((await score(right, test)).scores).toEqual({ pass_at_1: 1 });
    },
  );

  it.concurrent.each(Object.entries(RIGHT))("correct programs pass: %s", async (_, [code, test]) => {
    expect(await score(code, test)).toEqual({ scores: { pass_at_1: 1 } });
  });

  it.concurrent.each(Object.entries(UNCROSSABLE))(
    "the row names what cannot cross: %s",
    async (_, { code, test, evidence }) => {
      const scored = await score(code, test);
      expect(scored.scores).toEqual({ pass_at_1: 0 });
      const said = "evidence" in scored ? scored.evidence?.pass_at_1 : undefined;
      expect(said).toContain(evidence);
    },
  );
});
