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
