import { BOX_LINES } from "../../sandbox/box-lines.js";
import { HARMLESS_MODULES, INTRINSICS, refusedKeys } from "../../sandbox/javascript/names.js";
import { KEY_CHECK } from "../../sandbox/javascript/rewritten.js";
import { JAVASCRIPT_CHOICE } from "./javascript-choice.js";
import { JAVASCRIPT_HARDENED } from "./javascript-hardened.js";
import { JAVASCRIPT_LIBRARIES } from "./javascript-libraries.js";
import { JAVASCRIPT_WAITING } from "./javascript-waiting.js";

const NAMES = [...INTRINSICS].filter((name) => !["undefined", "NaN", "Infinity"].includes(name));

/**
 * The second opinion: program and tests in one process, in the order of the published graders. It first tells which
 * reading of the response is a program; what it is then given to run was looked at and rewritten outside. The program
 * is strict and finds nothing of Node's but what it is handed, and the tests are a function whose names it cannot see.
 */
export const JAVASCRIPT_ALONE = String.raw`(() => {${BOX_LINES}
const trial = { failure: null, broken: null, promises: [], peer: { hasPromised: false, isForeign: () => false } };
const EXIT = new Error("the tests have ended themselves");
${JAVASCRIPT_WAITING}
${JAVASCRIPT_LIBRARIES}
${JAVASCRIPT_CHOICE}
${JAVASCRIPT_HARDENED}
send("ready");
const job = JSON.parse(receive());
send(JSON.stringify(chosenText()));
const asked = receive();
if (asked === null) process.exit(0);
Object.assign(job, JSON.parse(asked));

function chosenText() {
  try {
    return choose().text;
  } catch {
    return null;
  }
}

const MEMBERS = ${JSON.stringify(HARMLESS_MODULES)};
const handed = new Map();
// A copy that cannot be changed: the tests have the module itself.
function harmlessModule(id) {
  const name = id.replace(/^node:/, "");
  if (!handed.has(name)) handed.set(name, copyOf(name, require(name)));
  return handed.get(name);
}

function copyOf(name, given) {
  if (name === "events") return Object.freeze(given);
  const members = MEMBERS[name];
  return Object.freeze(Object.fromEntries(members.map((member) => [member, given[member]])));
}

const REFUSED = new Set(${JSON.stringify(refusedKeys())});
const SYMBOLS = new Set(Reflect.ownKeys(Symbol).map((name) => Symbol[name]).filter((item) => typeof item === "symbol"));
for (const name of ["iterator", "asyncIterator", "toStringTag"]) SYMBOLS.delete(Symbol[name]);
const isRefused = (name) => (typeof name === "symbol" ? SYMBOLS.has(name) : REFUSED.has(name));
function key(given) {
  if (typeof given === "number" && arguments.length === 1) return given;
  const name = typeof given === "symbol" ? given : String(given);
  if (arguments.length !== 1 || isRefused(name)) throw new TypeError("a key that is not allowed");
  return name;
}

// Node's own timers are objects that lead to all others.
const timers = new Map();
let lastTimer = 0;
function numbered(start, isOnce) {
  return (work, ...rest) => {
    const number = (lastTimer += 1);
    const run = (...given) => {
      if (isOnce) timers.delete(number);
      return Reflect.apply(work, undefined, given);
    };
    timers.set(number, start(run, ...rest));
    return number;
  };
}
function stopping(stop) {
  return (number) => {
    stop(timers.get(number));
    timers.delete(number);
  };
}
const TIMERS = {
  setTimeout: numbered(setTimeout, true), setInterval: numbered(setInterval, false), setImmediate: numbered(setImmediate, true),
  clearTimeout: stopping(clearTimeout), clearInterval: stopping(clearInterval), clearImmediate: stopping(clearImmediate),
};

function fail(text) {
  trial.failure ??= String(text).split("\n")[0].slice(0, 300);
}

function failing(error) {
  if (error === EXIT) return;
  try {
    if (trial.failure === null) trial.broken ??= missingLibrary(error);
    fail(typeof error === "object" && error !== null ? error.name + ": " + error.message : error);
  } catch {
    fail("an error without a text");
  }
}

const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]));
const spoken = Object.defineProperty(silent, "assert", {
  value: (fine, text) => void (fine || fail("console.assert failed" + (text === undefined ? "" : ": " + text))),
});
const module = { exports: {} };

// What the program calls its own, for the tests to read and to set.
function load() {
  const shadowed = job.shadowed.filter((name) => name !== "eval");
  const given = { ${KEY_CHECK}: key, require: harmlessModule, module, exports: module.exports, console: spoken };
  const names = job.names.filter((name) => !(name in given || LIBRARIES.has(name)));
  const traits = names.map((name) => "[" + JSON.stringify(name) + ", () => " + name + ", (given) => { " + name + " = given; }]");
  const text = "(function (" + [...Object.keys(given), ...shadowed].join(", ") + ') { "use strict"; return (function () {' + job.text + "\n;return [" + traits.join(", ") + "] })(); })";
  return new vm.Script(text, { filename: "program.js" }).runInThisContext()(...Object.values(given));
}

function isReadable(get) {
  try {
    return get() !== undefined;
  } catch {
    return false;
  }
}

function offer(name, get, set) {
  if (Object.hasOwn(Object(module.exports), name)) {
    Object.defineProperty(globalThis, name, { value: module.exports[name], writable: true, configurable: true });
  } else if (isReadable(get)) {
    Object.defineProperty(globalThis, name, { get, set, configurable: true });
  } else if (name === job.entry) {
    const found = [module.exports, Object(module.exports).default].find((value) => typeof value === "function");
    if (found !== undefined) Object.defineProperty(globalThis, name, { value: found, writable: true, configurable: true });
  }
}

function exit(code) {
  if (code) fail("the tests ended with " + code);
  throw EXIT;
}

function runTests() {
  const given = {
    require, module: { exports: {} }, exports: {}, console: spoken, assert: require("assert"), __filename: "tests.js", __dirname: "/",
    process: { env: {}, argv: [], exit, nextTick: process.nextTick.bind(process) },
  };
  for (const name of modulesOf(job)) given[name] ??= require(name);
  const check = job.isChecked ? "\n;return typeof check === 'function' ? check(" + job.entry + ") : undefined;" : "";
  const result = compiled(Object.keys(given), job.tests + check)(...Object.values(given));
  if (typeof result?.then === "function") result.then(() => {}, failing);
}

function compiled(names, text) {
  const wrapped = (kind) => "(" + kind + " (" + names.join(", ") + ") {" + text + "\n})";
  try {
    return new vm.Script(wrapped("function"), { filename: "tests.js" }).runInThisContext();
  } catch {
    return new vm.Script(wrapped("async function"), { filename: "tests.js" }).runInThisContext();
  }
}

function end() {
  for (const stop of timers.values()) clearTimeout(stop);
  if (isWaiting()) fail("the tests wait for something that the program never does");
  const isFine = trial.failure === null && trial.broken === null;
  send(JSON.stringify([job.nonce, isFine ? "passed" : "failed", trial.failure ?? "", trial.broken === null]));
  process.exit(0);
}

process.on("uncaughtException", failing);
process.on("unhandledRejection", failing);
process.on("beforeExit", end);
for (const name of Object.keys(TIMERS)) Object.defineProperty(globalThis, name, { value: TIMERS[name], writable: true, configurable: true });
// Made before anything is frozen: some of it is put together when it is first used.
require("assert").throws(() => require("assert").deepStrictEqual({ a: [1] }, { a: [2] }));
try {
  harden(${JSON.stringify(NAMES)}, /\bprototype\b/.test(job.tests));
  for (const [name, get, set] of load()) offer(name, get, set);
  Object.preventExtensions(globalThis);
  runTests();
} catch (error) {
  failing(error);
}
})();`;
