/** Runs in a box: reads and writes lines on descriptor 3, synchronously. */
export const JAVASCRIPT_LINE_IO = String.raw`
const fs = require("fs"), vm = require("vm");
const LONGEST = 1 << 24;
let rest = Buffer.alloc(0);
function receive() {
  for (;;) {
    const at = rest.indexOf(10);
    if (at !== -1) {
      const line = rest.toString("utf8", 0, at);
      rest = rest.subarray(at + 1);
      return line;
    }
    const chunk = Buffer.alloc(1 << 16);
    let size = 0;
    try { size = fs.readSync(3, chunk); } catch (error) { if (error.code !== "EAGAIN") return null; }
    if (size === 0 || rest.length > LONGEST) return null;
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
  }
}
function send(line) {
  const bytes = Buffer.from(line + "\n");
  if (bytes.length > LONGEST) throw new TypeError("the tests need something that cannot cross between processes: " + (bytes.length >> 20) + " MB at once");
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(3, bytes, at);
}
`;

/**
 * What the tests take from the prompt. Functions with a body and plain values come from the prompt, since the program may
 * have replaced them. What the prompt only declares, and classes, come from the program: a class that both define would
 * exist twice. Expects `job`, `vm`, `define`, and `takeNames`.
 */
export const JAVASCRIPT_PROMPT = String.raw`
function runPrompt() {
  if (job.prompt === "") return new Map();
  let scope;
  try {
    scope = vm.runInThisContext("(function () {" + job.prompt + "\n;return (text) => eval(text)})()");
  } catch {
    return new Map();
  }
  const values = new Map();
  for (const name of new Set([...job.promptNames, ...job.names])) {
    const value = readName(scope, name);
    if (value !== undefined && !(name in globalThis)) values.set(name, { value, assign: (other) => assignName(scope, name, other) });
  }
  return values;
}

function readName(scope, name) {
  try {
    return scope("typeof " + name) === "undefined" ? undefined : scope(name);
  } catch {
    return undefined;
  }
}

// The helpers of the prompt see what the tests see; a constant stays what it is.
function assignName(scope, name, value) {
  try {
    scope("(value) => { " + name + " = value }")(value);
  } catch {}
}

function isOfProgram(value) {
  if (typeof value === "object") return value !== null;
  return typeof value === "symbol" || (typeof value === "function" && (isClass(value) || isStub(value)));
}

function isClass(work) {
  const text = Function.prototype.toString.call(work);
  return /^class\b/.test(text) || (/^function\b/.test(text) && /\bthis\s*\./.test(text));
}

// Nothing but comments, an error or an empty result.
function isStub(work) {
  const text = Function.prototype.toString.call(work).replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
  return /^[^{]*\{\s*(?:throw\b[^;{}]*;?|return\s*(?:null|undefined)?\s*;?)?\s*\}$/.test(text);
}

// Data of the prompt's counts only where the program has the same.
function settlePrompt(values, taken) {
  for (const [name, { value, assign }] of values) {
    const isTaken = taken.has(name) && (typeof value !== "object" || isDeepStrictEqual(taken.get(name), value));
    if (isTaken) assign(taken.get(name));
    else define(name, value);
  }
}
`;

/**
 * Calls the functions of the tests that look like tests but were never called: `testAdd`, `check`, `runTests`,
 * `main`, at the top level or exported, and the methods of classes such as `TestAdd`. V8's coverage tells which functions
 * have run. Expects `job`, `vm`, `peer`, `testsModule`, `failing`, `fail` and `later`.
 */
export const JAVASCRIPT_UNCALLED_TESTS = String.raw`
const TEST_NAME = /^(?:_*(?:tests?|spec|check)(?:[A-Z_$\d][\w$]*)?|main|suite|(?:run|all)(?:_?(?:all|tests?|checks?|suite|specs?|main))*)$/i;
const RUNNER_NAME = /^(?:main|suite|run|all|tests$|test_?all)/i;
const CLASS_NAME = /^Tests?(?![a-z])|Tests?$/;
const testNames = Array.from(new Set(job.names.filter((name) => TEST_NAME.test(name) || CLASS_NAME.test(name))));
const EXPORTING = /\bexports(?:\.[\w$]+)?\s*=(?!=)/;
const called = new Set();
// With it no function is as long as the whole text, which has always run.
const END = "\n;";
let coverage = null, localTests = () => [], isEnded = false;

function watchCalls() {
  const isDefining = testNames.some((name) => new RegExp("(?:\\bfunction\\b\\s*\\*?|\\b(?:const|let|var|class)|\\.|[{,]\\s*(?:async\\b)?)\\s*" + name.replaceAll("$", "\\$") + "(?![\\w$])").test(job.tests));
  if (!isDefining && !EXPORTING.test(job.tests)) return;
  const { Session } = require("inspector");
  coverage = new Session();
  coverage.connect();
  coverage.post("Profiler.enable");
  coverage.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
}

// Each answer has the calls since the one before.
function noteCalls(text) {
  coverage.post("Profiler.takePreciseCoverage", (_, answer) => {
    for (const { ranges: [{ startOffset, endOffset, count }] } of answer?.result.find(({ url }) => url === "tests.js")?.functions ?? []) {
      if (count > 0) called.add(text.slice(startOffset, endOffset));
    }
  });
}

function definedTests() {
  const own = testNames.map((name) => [name, Object.hasOwn(globalThis, name) ? Object.getOwnPropertyDescriptor(globalThis, name).value : lexicalValue(name)]);
  const { exports } = testsModule;
  const exported = typeof exports === "function" ? [["test", exports]] : Object.entries(Object(exports));
  const found = [...own, ...localTests(), ...exported].filter(([, value]) => typeof value === "function" && !peer.isForeign(value));
  const functions = found.filter(([name, value]) => TEST_NAME.test(name) && !isClassOfTests(value));
  const runners = functions.filter(([name]) => RUNNER_NAME.test(name)), others = functions.filter(([name]) => !RUNNER_NAME.test(name));
  const works = [...runners, ...others].map(([, value]) => ({ source: sourceOf(value), length: value.length, run: value }));
  return [...works, ...found.filter(([name, value]) => CLASS_NAME.test(name) && isClassOfTests(value)).flatMap(([, value]) => methodTests(value))];
}

const sourceOf = (work) => Function.prototype.toString.call(work);
function isClassOfTests(value) {
  return /^class\b/.test(sourceOf(value)) && value.length === 0;
}

// Each test method with an object of its own, as in other languages.
function methodTests(cls) {
  const isTest = (owner) => (key) => /^test/i.test(key) && typeof Object.getOwnPropertyDescriptor(owner, key).value === "function";
  const keysOf = (owner) => Object.getOwnPropertyNames(owner).filter(isTest(owner));
  const kept = keysOf(cls).map((key) => ({ source: sourceOf(cls[key]), length: 0, run: () => cls[key]() }));
  const owners = [];
  for (let owner = cls.prototype; owner !== Object.prototype && owner !== null && !peer.isForeign(owner); owner = Object.getPrototypeOf(owner)) owners.push(owner);
  const keys = new Set(owners.flatMap(keysOf));
  return [...kept, ...Array.from(keys, (key) => ({ source: sourceOf(cls.prototype[key]), length: 0, run: () => runMethod(new cls(), key) }))];
}
async function runMethod(instance, key) {
  for (const name of ["setUp", "setup", "beforeEach"]) await instance[name]?.();
  const result = await instance[key]();
  for (const name of ["tearDown", "teardown", "afterEach"]) await instance[name]?.();
  return result;
}

function lexicalValue(name) {
  try {
    return vm.runInThisContext(name);
  } catch {
    return undefined;
  }
}

// One that takes an argument is given the function that was asked for; one that takes more is a helper.
function callNextTest(text) {
  if (coverage === null || isEnded) return false;
  noteCalls(text);
  const test = definedTests().find(({ source, length }) => text.includes(source) && !called.has(source) && (length === 0 || (length === 1 && job.entry !== "")));
  if (test === undefined) return false;
  called.add(test.source);
  later(() => callTest(test));
  return true;
}

async function callTest({ run, length }) {
  try {
    if ((await run(...(length === 0 ? [] : [vm.runInThisContext(job.entry)]))) === false) fail("a test returned false");
  } catch (error) {
    failing(error);
  }
}
`;

/**
 * Detects whether the tests still wait for something when nothing is left to do: then they did not run to their end. A
 * promise counts if something awaits it: an async function, a `then`, `Promise.all`. One that is only created, or
 * that lost a race, may stay pending. Expects `peer`.
 */
export const JAVASCRIPT_PENDING_PROMISES = String.raw`
const { builtinModules } = require("module"), { inspect } = require("util");
const BUILT_IN = /^ *at (?:new )?[\w.]+ \(<anonymous>\)$/;
const FRAMES = 5;
let sweepAt = 10000, promises = [], isRunning = false;

require("v8").promiseHooks.onInit((promise) => {
  if (!isRunning || !isAwaited()) return;
  promises.push(promise);
  if (promises.length < sweepAt) return;
  promises = promises.filter(isOpen);
  sweepAt = 10000 + 2 * promises.length;
});

// Who makes a promise is told by the frames of the stack above this one's two.
function isAwaited() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const frames = new Error().stack.split("\n").slice(3);
  Error.stackTraceLimit = limit;
  if (/^ *at new Promise \(/.test(frames[0])) return false;
  if (/^ *at Promise\./.test(frames[0]) && /^ *at \w+\.(?:race|any) \(/.test(frames[1])) return false;
  // Neither the peer's own, nor the program's, nor those of Node, whose test runner keeps some open for itself.
  return !/assay-peer\.js|program\.js|\bnode:/.test(frames.find((frame) => !BUILT_IN.test(frame)) ?? "");
}

function isOpen(promise) {
  return /^[^{]*\{\s*<pending>/.test(inspect(promise, { depth: 0, customInspect: false }));
}

function isWaiting() {
  return peer.hasPromised || promises.some(isOpen);
}
`;
