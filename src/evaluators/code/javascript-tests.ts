import { JAVASCRIPT_PEER_FACTORY } from "./javascript-peer.js";
import {
  JAVASCRIPT_LINE_IO,
  JAVASCRIPT_PENDING_PROMISES,
  JAVASCRIPT_PROMPT,
  JAVASCRIPT_UNCALLED_TESTS,
} from "./javascript-runtime.js";

/**
 * Keeps the program's text from running in the process of the tests: of such text, `eval` accepts only literals and
 * calculations, and `Function` accepts none. Expects `job`, and `refuseText`, which creates the error.
 */
const JAVASCRIPT_EVAL_GUARD = String.raw`
const RUNNING = /\b(?:eval|Function)\s*\(/;
const told = RUNNING.test(job.tests) ? new Set() : null;

function noteTexts(line) {
  if (told === null || line === null) return;
  JSON.parse(line, (key, value) => {
    for (const text of [key, value]) if (typeof text === "string") told.add(text);
    return value;
  });
}

function guardTexts() {
  if (told === null) return job.tests;
  globalThis.Function = new Proxy(Function, {
    apply: (make, self, texts) => (texts.forEach(refuseTold), Reflect.apply(make, self, texts)),
    construct: (make, texts, target) => (texts.forEach(refuseTold), Reflect.construct(make, texts, target)),
  });
  Object.defineProperty(globalThis, "__text", { set(text) { if (!isPlain(text)) refuseTold(text); } });
  // An assignment gives what it assigns, so that eval stays the one that sees the variables around it.
  return job.tests.replace(/(?<![\w$.])eval\s*\((?!\s*\))/g, "eval(globalThis.__text = ");
}

function refuseTold(text) {
  const isWithin = (each) => each.length > 1 && text.includes(each) && !job.tests.includes(each) && !/^[\w$]+$/.test(each);
  const isWhole = told.has(text) && !["'", '"', "${"`"}"].some((quote) => job.tests.includes(quote + text + quote));
  if (typeof text === "string" && (isWhole || Array.from(told).some(isWithin))) throw refuseText();
}

// No names, and nothing that could be called.
function isPlain(text) {
  const parts = String(text).replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "s").replace(/\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:true|false|null|undefined|NaN|Infinity)\b/gi, "0");
  return !/[A-Za-rt-z_$\\${"`"}]|[\])}s0]\s*(?:\(|\?\.)/.test(parts);
}
`;

/** What tests get when they require or import the program as a file such as `./solution`. Expects `job`, `peer` and `define`. */
const JAVASCRIPT_SOLUTION_MODULE = String.raw`
const nodeRequire = require;
const RELATIVE = /^\.\.?\/(?!.*\.json$)/;
const REQUIRED_AS = /\b(?:const|let|var)\s+([\w$]+)\s*=\s*require\(\s*["']\.\.?\//g;
const requiredAs = new Set(Array.from(job.tests.matchAll(REQUIRED_AS), ([, name]) => name));

function provideSolution(taken) {
  const members = findMembers(taken), whole = findWhole(taken, members);
  define("require", Object.assign((id) => (RELATIVE.test(id) ? whole() : nodeRequire(id)), nodeRequire));
  define("__import", async (id) => (RELATIVE.test(id) ? asModule(members, peer.ask("exports")) : asModule(nodeRequire(id))));
}

function asModule(members, exported = members) {
  return Object.defineProperties({ default: exported }, Object.getOwnPropertyDescriptors(typeof members === "function" ? { ...members } : members));
}

function findMembers(taken) {
  const members = {};
  for (const [name, value] of taken) {
    const trait = typeof value === "function" ? { value, writable: true } : { get: () => peer.ask("name", name) };
    Object.defineProperty(members, name, { ...trait, configurable: true, enumerable: true });
  }
  return members;
}

function findWhole(taken, members) {
  // One function may be the whole module: the one that is exported, that has the name it gets, or that was asked for.
  return () => {
    if (requiredAs.size === 0) return members;
    const exported = peer.ask("exports");
    if (typeof exported === "function") return exported;
    const [name] = requiredAs;
    const isCalled = requiredAs.size === 1 && new RegExp("(?<![\\w$.])" + name.replaceAll("$", "\\$") + "\\s*\\(|\\bnew\\s+" + name.replaceAll("$", "\\$") + "\\b").test(job.tests);
    const own = isCalled ? [taken.get(name), taken.get(job.entry)].find((value) => typeof value === "function") : undefined;
    return own ?? members;
  };
}
`;

/** What tests may use without importing it. Expects `peer`, `builtinModules` and `isDeepStrictEqual`. */
const JAVASCRIPT_LIBRARIES = String.raw`
// A name that only a library for tests has is never taken from the program: it would judge itself.
const LIBRARIES = new Set(["describe", "it", "test", "expect", "jest", "vi", "chai", "should", "sinon", "_", "beforeEach", "afterEach", "beforeAll", "afterAll"]);
function missingLibrary(error) {
  if (typeof error !== "object" || error === null || peer.isForeign(error) || error.name !== "ReferenceError") return null;
  const name = /^(\w+) is not defined$/.exec(error.message)?.[1];
  return LIBRARIES.has(name) ? "they need " + name + ", which is not part of Node" : null;
}

// Nor is a module of Node's that the tests use without asking for it: one of whose members they name.
function usedModules({ names, tests, entry }) {
  const isMember = (name) => Array.from(tests.matchAll(new RegExp("(?<![\\w$.])" + name + "\\.(\\w+)", "g"))).some(([, key]) => key in require(name));
  return names.filter((name) => name !== entry && builtinModules.includes(name) && isMember(name));
}

// Nor is a function by which the tests compare what another function returns: it is Node's own, or it is missing.
function usedComparisons({ names, tests, entry }) {
  const known = { ...require("assert"), isDeepStrictEqual };
  const isComparing = (name) => Array.from(tests.matchAll(new RegExp("(?<![\\w$.])" + name.replaceAll("$", "\\$") + "\\(\\s*(?:await\\s+)?([\\w$]+)\\s*\\(", "g"))).some(([, inner]) => inner !== name && !(inner in globalThis));
  return names.filter((name) => name !== entry && (/^assert[A-Z_]/.test(name) || Object.hasOwn(known, name)) && isComparing(name)).map((name) => [name, known[name]]);
}
`;

/**
 * Runs in the box of the tests, for one trial, until nothing is left to do. Lines that begin with "C" go to the program;
 * a line that begins with "V" holds the verdict.
 *
 * Still possible in principle: a hole in V8 or in the kernel, and a test that asks an object of the program for
 * its own opinion, such as a method of a class that the program was asked to write.
 */
export const JAVASCRIPT_TESTS = String.raw`(() => {${JAVASCRIPT_LINE_IO}
send("ready");
const EXIT = new Error("the tests have ended themselves");
const { promisify, isDeepStrictEqual } = require("util");
const endProcess = process.exit.bind(process), later = setImmediate, soon = setTimeout;
let failure = null, broken = null, uncrossed = null, dropped = null, idleAt = 0, usesBefore = 0;

// The program runs while the tests wait for their timers.
function timer(start) {
  const started = (work, ...args) => start((...given) => {
    peer.ask("tick");
    work(...given);
  }, ...args);
  if (start[promisify.custom] !== undefined) started[promisify.custom] = (...args) => new Promise((resolve) => started(() => resolve(args[1]), args[0]));
  return started;
}
for (const name of ["setTimeout", "setImmediate", "setInterval"]) globalThis[name] = timer(globalThis[name]);

const job = JSON.parse(receive());
let testsText = "";

${JAVASCRIPT_EVAL_GUARD}
const refuseText = () => new TypeError("the tests need something that cannot cross between processes: running a text of the program");
const testsModule = { exports: {} };
Object.assign(globalThis, { require, module: testsModule, exports: testsModule.exports });
${JAVASCRIPT_PEER_FACTORY}
const peer = createPeer({
  send: (text) => send("C" + text),
  receive: () => {
    const line = receive() || null;
    noteTexts(line);
    return line;
  },
  holdsTests: true,
  onAssertion: failing,
  onUncrossable: (what, isNeeded) => {
    if (isNeeded) uncrossed ??= what;
    else dropped = what === null ? null : (dropped ?? what);
  },
});
${JAVASCRIPT_PENDING_PROMISES}
${JAVASCRIPT_LIBRARIES}
${JAVASCRIPT_UNCALLED_TESTS}
${JAVASCRIPT_PROMPT}
${JAVASCRIPT_SOLUTION_MODULE}

function failing(error) {
  if (error === EXIT) return;
  try {
    if (failure === null) broken ??= missingLibrary(error);
    fail(typeof error === "object" && error !== null ? error.name + ": " + error.message : error);
  } catch {
    fail("an error without a text");
  }
}

// What has failed stays failed: there is no need to go on.
function fail(text) {
  if (failure === null) later(() => endProcess(0));
  failure ??= String(text).split("\n")[0].slice(0, 300);
}

// Node only prints a failed console.assert; the graders of HumanEval-X take what is printed for a failure.
for (const name of Object.keys(console)) console[name] = () => {};
console.assert = (fine, text) => fine || fail("console.assert failed" + (text === undefined ? "" : ": " + text));

process.exit = (code = process.exitCode) => {
  if (Number(code ?? 0) !== 0) fail("the tests ended with " + code);
  isEnded = true;
  throw EXIT;
};

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
}

function run() {
  watchCalls();
  const script = compile(guardTexts().replace(/(?<![\w$.])import\s*\(/g, "__import("));
  if (script === null) return;
  const own = new Set(Object.getOwnPropertyNames(globalThis).filter((name) => !builtinModules.includes(name)));
  define("assert", require("assert"));
  for (const name of ["assert", "process", "console", "__proto__"]) own.add(name);
  if (EXPORTING.test(job.tests)) {
    // Node itself puts another module in its place when this text has run.
    Object.defineProperty(globalThis, "module", { get: () => testsModule, set: () => {}, configurable: true });
    own.add("module");
  }
  peer.rememberGlobals(Array.from(job.tests.matchAll(/\b(?:global|globalThis)\.([\w$]+)\s*=(?!=)/g), ([, name]) => name));
  peer.ask("load");
  const prompted = runPrompt();
  for (const [name, { value }] of prompted) if (!isOfProgram(value)) own.add(name);
  for (const name of usedModules(job)) own.add(name);
  for (const [name, value] of usedComparisons(job)) {
    own.add(name);
    if (value !== undefined) define(name, value);
    else LIBRARIES.add(name);
  }
  const varNames = new Set(Array.from(job.tests.matchAll(/\bvar\s+([\w$]+)/g), ([, name]) => name));
  for (const name of requiredAs) varNames.delete(name);
  const names = Array.from(new Set([...job.names, ...prompted.keys()]));
  const wanted = names.filter((name) => name === job.entry || !(own.has(name) || LIBRARIES.has(name) || varNames.has(name)));
  // Classes that the tests name come first: they decide which methods their objects have.
  const classNames = new Set(Array.from(job.tests.matchAll(/\b(?:(?:new|extends|instanceof)\s+([\w$]+)|([A-Z][\w$]*)\s*\.\s*[\w$]+\s*\()/g), ([, first, second]) => first ?? second));
  const taken = new Map([
    ...takeNames(wanted.filter((name) => classNames.has(name)), peer.nameClass),
    ...takeNames(wanted.filter((name) => !classNames.has(name)), () => {}),
  ]);
  settlePrompt(prompted, taken);
  provideSolution(taken);
  guardErrorClasses();
  const members = new Set(job.tests.match(/(?<=\.)[\w$]+/g));
  peer.takeAdditions(peer.ask("additions"), (key) => members.has(key) && !LIBRARIES.has(key));
  isRunning = true;
  usesBefore = peer.uses;
  script.runInThisContext();
}

function takeNames(names, use) {
  const taken = new Map();
  if (names.length === 0) return taken;
  const left = new Set(names);
  for (const pair of peer.ask("names", JSON.stringify(names))) {
    // The program may answer anything: only what was asked for is taken, and only once.
    if (!Array.isArray(pair) || pair.length !== 2 || !left.delete(pair[0])) throw new Error("the program's answer cannot be read");
    const [name, value] = pair;
    peer.nameObject(value);
    use(value, name);
    if (typeof value === "function") defineFunction(name, value);
    else defineVariable(name);
    taken.set(name, value);
  }
  return taken;
}

// An assertion asks a function that is no class for its opinion. One of the program's is a class, or it is nothing.
function guardErrorClasses() {
  const assertions = require("assert");
  for (const owner of new Set([assertions, assertions.strict])) {
    for (const name of ["throws", "rejects"]) {
      const check = owner[name];
      owner[name] = (work, expected, ...rest) => check(work, peer.isForeign(expected) && typeof expected === "function" ? instanceCheck(expected) : expected, ...rest);
    }
  }
}

function instanceCheck(expected) {
  return (error) => {
    if (typeof expected.prototype === "object" && error instanceof expected) return true;
    throw error;
  };
}

// To call a function of the program is to use it. One that is a function of the language, or that has data in properties
// of its own, is used when it is named.
function defineFunction(name, value) {
  const isAsked = peer.isForeign(value) && Reflect.ownKeys(value).every((key) => ["length", "name", "prototype"].includes(key));
  if (isAsked) return define(name, value);
  const get = () => {
    peer.noteUse();
    return value;
  };
  Object.defineProperty(globalThis, name, { get, set: (other) => define(name, other), configurable: true, enumerable: true });
}

// A variable of the program has the value that it has now. What the tests assign stays with them.
function defineVariable(name) {
  Object.defineProperty(globalThis, name, {
    get: () => peer.ask("name", name),
    set(value) {
      uncrossed ??= "a new value for the program's variable " + name;
      define(name, value);
    },
    configurable: true,
    enumerable: true,
  });
}

function compile(text) {
  try {
    testsText = text + END;
    return new vm.Script(testsText, { filename: "tests.js" });
  } catch (error) {
    try {
      // Nothing outside sees the names of a function: it gives its tests when it has run to its end.
      const own = testNames.map((name) => "[" + JSON.stringify(name) + ", typeof " + name + ' === "undefined" ? undefined : ' + name + "]");
      testsText = "(async () => {" + text + "\nreturn [" + own + "]})()";
      const script = new vm.Script(testsText, { filename: "tests.js" });
      return { runInThisContext: () => void script.runInThisContext().then((tests) => { if (tests !== undefined) localTests = () => tests; }, failing) };
    } catch {
      broken = String(error).split("\n")[0];
      return null;
    }
  }
}

// Waits for promises of the program, one after the other; the program runs while this waits.
function pump() {
  tellSettled();
  const next = peer.nextPending();
  if (next === undefined) return;
  let isLater = false;
  try {
    const value = peer.ask("await", next.entry.value);
    isLater = value === peer.LATER;
    if (isLater) peer.putBack(next);
    else next.resolve(value);
  } catch (error) {
    next.reject(error);
  }
  // The program waits for the tests: their timers are to run first.
  if (isLater && !peer.hasSettled) soon(pump, 1);
  else later(pump);
}

function tellSettled() {
  for (let item = peer.nextSettled(); item !== undefined; item = peer.nextSettled()) {
    try {
      peer.ask("settled", ...item);
    } catch (error) {
      failing(error);
    }
  }
}

// What the tests have handed to the program may be called as long as the program has something to do.
function isUnfinished() {
  if (failure !== null || broken !== null || peer.isGone) return false;
  return peer.hasPending || peer.hasSettled || ((peer.hasHanded || isWaiting()) && peer.asked !== idleAt);
}

function goOn() {
  if (peer.hasPending || peer.hasSettled) return pump();
  const { asked } = peer;
  try {
    if (peer.ask("idle") === false) idleAt = asked;
  } catch (error) {
    failing(error);
  }
}

// What the tests check when the process ends comes before the verdict.
function end(code) {
  for (const listener of process.listeners("exit")) {
    try {
      if (listener !== end) listener.call(process, code);
    } catch (error) {
      failing(error);
    }
  }
  if (peer.hasSwallowed) failure ??= "the program has caught an error that kept an assertion from being reached";
  if (isRunning && isWaiting()) failure ??= "the tests wait for something that the program never does";
  if (code || process.exitCode) failure ??= "the tests ended with " + (code || process.exitCode);
  const outcome = broken !== null ? "broken" : failure !== null || peer.isGone ? "failed" : peer.uses === usesBefore ? "unused" : "passed";
  send("V" + JSON.stringify([job.nonce, outcome, broken ?? detailOf(outcome)]));
}

function detailOf(outcome) {
  if (outcome === "passed" || outcome === "unused") return "";
  if (peer.isGone) return "the program ended before its tests did";
  const missing = uncrossed ?? dropped;
  if (missing === null) return failure;
  const text = "the tests need something that cannot cross between processes: " + missing;
  return failure.includes(text.slice(0, 60)) ? text : text + " (" + failure + ")";
}

process.on("uncaughtException", failing);
process.on("unhandledRejection", failing);
process.on("beforeExit", () => {
  if (isUnfinished()) later(goOn);
  else if (failure === null && broken === null && !peer.isGone) callNextTest(testsText);
});
process.on("exit", end);
try {
  run();
} catch (error) {
  failing(error);
}
pump();
})();`;
