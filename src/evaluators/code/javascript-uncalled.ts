/**
 * Calls the functions of the tests that look like tests and that nothing has called: `testAdd`, `check`, `runTests`,
 * `main`, at their top level or exported. V8's coverage tells which functions have run, whoever called them. Expects
 * `job`, `vm`, `peer`, `testsModule`, `failing`, `fail` and `later`.
 */
export const JAVASCRIPT_UNCALLED = String.raw`
const TEST_NAME = /^(?:_*(?:tests?|spec|check)(?:[A-Z_$\d][\w$]*)?|main|suite|(?:run|all)(?:_?(?:all|tests?|checks?|suite|specs?|main))*)$/i;
const RUNNER_NAME = /^(?:main|suite|run|all|tests$|test_?all)/i;
const testNames = Array.from(new Set(job.names.filter((name) => TEST_NAME.test(name))));
const EXPORTING = /\bexports(?:\.[\w$]+)?\s*=(?!=)/;
const called = new Set();
// With it no function is as long as the whole text, which has always run.
const END = "\n;";
let coverage = null, localTests = () => [], isEnded = false;

function watchCalls() {
  const isDefining = testNames.some((name) => new RegExp("(?:\\bfunction\\b\\s*\\*?|\\b(?:const|let|var)|\\.|[{,]\\s*(?:async\\b)?)\\s*" + name.replaceAll("$", "\\$") + "(?![\\w$])").test(job.tests));
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
  const found = [...own, ...localTests(), ...exported].filter(([name, value]) => TEST_NAME.test(name) && typeof value === "function" && !peer.isForeign(value));
  return [...found.filter(([name]) => RUNNER_NAME.test(name)), ...found.filter(([name]) => !RUNNER_NAME.test(name))].map(([, value]) => value);
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
  const sourceOf = (work) => Function.prototype.toString.call(work);
  const work = definedTests().find((item) => text.includes(sourceOf(item)) && !called.has(sourceOf(item)) && (item.length === 0 || (item.length === 1 && job.entry !== "")));
  if (work === undefined) return false;
  called.add(sourceOf(work));
  later(() => callTest(work));
  return true;
}

async function callTest(work) {
  try {
    if ((await work(...(work.length === 0 ? [] : [vm.runInThisContext(job.entry)]))) === false) fail("a test returned false");
  } catch (error) {
    failing(error);
  }
}
`;
