import { IN_CONTEXT, refusedKeys } from "./javascript/names.js";
import { KEY_CHECK } from "./javascript/rewritten.js";

/** Looked up in a context they would go through its global object each time, which is slow. */
const INTRINSICS = [...IN_CONTEXT.intrinsics].filter((name) => !["undefined", "NaN", "Infinity"].includes(name));
const TIMERS = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"];
const GIVEN = [KEY_CHECK, "console", "process", "performance", "queueMicrotask", ...TIMERS];

/** What of `assert` says nothing but yes or no. */
const ASSERTIONS = (
  "ok equal notEqual strictEqual notStrictEqual deepEqual notDeepEqual deepStrictEqual notDeepStrictEqual " +
  "throws doesNotThrow match doesNotMatch fail ifError"
).split(" ");

/**
 * Runs in each context, and is all that a program there finds besides the language. Every function and object of it is
 * the context's own. What it hands out of the context is looked at there, what it gets back are plain values.
 */
const INSIDE = String.raw`(function (outside, names) {
"use strict";
const { abandon, print, write, start, stop, soon, exit, getCode, setCode, assert, now } = outside;
const text = String, number = Number, isFunction = (given) => typeof given === "function";
const refused = new Set(names.refused), isRefused = refused.has.bind(refused);
// An error of the outside never comes in, not even where the stack ends.
function refuse(why) {
  try { abandon(why); } catch {}
  throw new Error("not run here");
}
function ask(work, ...given) {
  try { return work(...given); } catch { return refuse("an error"); }
}
const must = (isFine) => isFine || refuse("use");

// It was written anew: what it says is not what its author wrote.
Function.prototype.toString = function toString() { return refuse("text of a function"); };

function key(given) {
  if (typeof given === "number" && arguments.length === 1) return given;
  const name = typeof given === "symbol" ? given : text(given);
  if (arguments.length !== 1 || isRefused(name)) refuse("key");
  return name;
}

const console = {};
for (const name of names.console) console[name] = (...given) => void must(ask(print, name, given));
const stream = (where) => ({ write: (...given) => must(given.length === 1 && typeof given[0] === "string" && ask(write, where, given[0])) });

class Handle {
  #id;
  constructor(id) { this.#id = id; }
  static stop(given) {
    if (typeof given === "object" && given !== null && #id in given) ask(stop, given.#id);
    else must(given === undefined || given === null);
  }
  ref() { refuse("ref"); }
  unref() { refuse("unref"); }
  hasRef() { refuse("hasRef"); }
  refresh() { refuse("refresh"); }
  close() { refuse("close"); }
  [Symbol.toPrimitive]() { refuse("toPrimitive"); }
}
class Timeout extends Handle {}
class Immediate extends Handle {}
const clearTimeout = (given) => Handle.stop(given), clearInterval = (given) => Handle.stop(given), clearImmediate = (given) => Handle.stop(given);
const setTimeout = (work, delay, ...given) => new Timeout(ask(start, "timeout", must(isFunction(work)) && work, number(delay), given));
const setInterval = (work, delay, ...given) => new Timeout(ask(start, "interval", must(isFunction(work)) && work, number(delay), given));
const setImmediate = (work, ...given) => new Immediate(ask(start, "immediate", must(isFunction(work)) && work, 0, given));
const queueMicrotask = (work) => ask(soon, "microtask", must(isFunction(work)) && work, []);

const process = {
  stdout: stream("out"), stderr: stream("err"), argv: names.argv.split("\n"),
  nextTick: (work, ...given) => ask(soon, "tick", must(isFunction(work)) && work, given),
  exit(code) { must(ask(exit, code)); throw new Error("over"); },
  get exitCode() { return ask(getCode); },
  set exitCode(code) { must(ask(setCode, code)); },
};
const performance = { now: () => ask(now) };

// Node calls what looks at an error on an object of its own.
const isKind = (given) => given === Error || given.prototype instanceof Error;
function assertions(isStrict) {
  const made = (name) => (...given) => {
    must(!(isFunction(given[1]) && (name === "throws" || name === "doesNotThrow") && !isKind(given[1])));
    must(ask(assert, isStrict, name, given));
  };
  const all = made("ok");
  for (const name of names.assertions) all[name] = made(name);
  return all;
}
let loose, strict;
const main = { exports: {} };
function require(id) {
  const name = text(id), strictly = () => (strict ??= assertions(true));
  if (name === "assert/strict" || name === "node:assert/strict") return strictly();
  if (name !== "assert" && name !== "node:assert") return refuse("module");
  if (loose === undefined) (loose = assertions(false)).strict = strictly();
  return loose;
}
// Only the file that a process was started with is its main module.
require.main = names.isMain ? main : undefined;
const given = { ${GIVEN.map((name) => (name === KEY_CHECK ? `${name}: key` : name)).join(", ")} };
return { given: names.given.map((name) => given[name]), require, module: main, intrinsics: names.intrinsics.map((name) => globalThis[name]) };
})`;

/**
 * What a warm box makes for each program: a context that holds nothing of Node's own. Whatever a program does that a
 * process of its own might answer in another way abandons it: `trial.why` says so, and its result does not count.
 * Expects `vm`, `assert` and `Console`.
 */
export const CLOSED_CONTEXT = String.raw`
const INSIDE = new vm.Script(${JSON.stringify(INSIDE)}, { filename: "assay-inside.js" });
const SYMBOLS = new Set(Reflect.ownKeys(Symbol).map((name) => Symbol[name]).filter((item) => typeof item === "symbol"));
for (const name of ["iterator", "asyncIterator", "toStringTag"]) SYMBOLS.delete(Symbol[name]);
const REFUSED = [...${JSON.stringify([...new Set([...IN_CONTEXT.refused, ...refusedKeys()])])}, ...SYMBOLS, Symbol.for("nodejs.util.inspect.custom")];
const INTRINSICS = ${JSON.stringify(INTRINSICS)}, GIVEN = ${JSON.stringify(GIVEN)};
const { toUSVString } = require("util"), { apply } = Reflect;

// Without room for what it prints, nothing of it is kept.
function newTrial(room) {
  return { isSilent: room === null, isJudged: false, why: null, isThrown: false, isOver: false, code: undefined, out: "", err: "", room, timers: new Map(), lastTimer: 0 };
}

// A program may catch what it is stopped by: what it does then is not printed any more, and not taken for its end.
function abandon(trial, why) {
  trial.why ??= why;
  clearTimers(trial);
  return false;
}

function clearTimers({ timers }) {
  for (const stop of timers.values()) stop();
  timers.clear();
}

// A pipe is given each piece as UTF-8 of its own.
function say(trial, where, text) {
  if (trial.isOver) return abandon(trial, "output after its end");
  if (trial.isSilent) return true;
  if (trial.why !== null) return false;
  trial[where] += toUSVString(text);
  return trial[where].length <= trial.room || abandon(trial, "output");
}

function call(trial, work, given) {
  try {
    apply(work, undefined, given);
  } catch {
    thrown(trial);
  }
}

function thrown(trial) {
  if (trial.isOver || trial.why !== null) return;
  trial.isThrown = true;
  clearTimers(trial);
}

function timer(trial, kind, work, delay, given) {
  const id = (trial.lastTimer += 1);
  if (trial.isOver || trial.isThrown || trial.why !== null) return id;
  const run = () => {
    if (kind !== "interval") trial.timers.delete(id);
    call(trial, work, given);
  };
  const handle = kind === "timeout" ? setTimeout(run, delay) : kind === "interval" ? setInterval(run, delay) : setImmediate(run);
  trial.timers.set(id, () => (kind === "immediate" ? clearImmediate(handle) : clearTimeout(handle)));
  return id;
}

function setCode(trial, code) {
  if (code !== undefined && !(Number.isInteger(code) && code >= 0 && code <= 128)) return abandon(trial, "exit code");
  trial.code = code;
  return true;
}

function exit(trial, code) {
  if (trial.isOver) return abandon(trial, "a second end");
  if (code !== undefined && !setCode(trial, code)) return false;
  trial.isOver = true;
  clearTimers(trial);
  return true;
}

function attempt(trial, work) {
  try {
    work();
    return true;
  } catch (error) {
    return abandon(trial, error?.code === "ERR_ASSERTION" ? "assertion" : "an error");
  }
}

// What is printed by nobody is not put into words either.
function print(trial, spoken, name, given) {
  if (trial.isOver) return abandon(trial, "output after its end");
  if (!trial.isSilent) return attempt(trial, () => apply(spoken[name], spoken, given));
  return !(trial.isJudged && name === "assert" && !given[0]) || abandon(trial, "console.assert");
}

function outsideOf(trial) {
  const stream = (where) => ({ write: (text) => say(trial, where, text) });
  const spoken = new Console({ stdout: stream("out"), stderr: stream("err"), ignoreErrors: false, inspectOptions: { customInspect: false, colors: false } });
  return {
    __proto__: null,
    abandon: (why) => void abandon(trial, why),
    print: (name, given) => print(trial, spoken, name, given),
    write: (where, text) => say(trial, where, text),
    start: (kind, work, delay, given) => timer(trial, kind, work, delay, given),
    stop: (id) => { trial.timers.get(id)?.(); trial.timers.delete(id); },
    soon: (kind, work, given) => void (kind === "tick" ? process.nextTick(call, trial, work, given) : queueMicrotask(() => call(trial, work, given))),
    exit: (code) => exit(trial, code),
    getCode: () => trial.code,
    setCode: (code) => setCode(trial, code),
    assert: (isStrict, name, given) => attempt(trial, () => apply((isStrict ? assert.strict : assert)[name], undefined, given)),
    now: () => performance.now(),
  };
}

const CONSOLE = Object.keys(new Console(process.stderr)).filter((name) => !name.startsWith("_") && name !== "Console" && name !== "context");

function closedContext(trial, file) {
  const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  const names = { refused: REFUSED, console: CONSOLE, assertions: ${JSON.stringify(ASSERTIONS)}, given: GIVEN, intrinsics: INTRINSICS, isMain: file !== null, argv: process.execPath + (file === null ? "" : "\n" + file) };
  const inside = INSIDE.runInContext(context)(outsideOf(trial), names);
  return { context, inside };
}

// The text in a function of these names, in one that is given what it finds around it.
function compiled({ context, inside }, text, names, filename, around = {}) {
  const found = [...GIVEN, ...INTRINSICS, ...Object.keys(around)].join(", ");
  const wrapped = "(function (" + found + ") { return function (" + names.join(", ") + ") {" + text + "\n}; })";
  const script = new vm.Script(wrapped, { filename });
  return apply(script.runInContext(context), undefined, [...inside.given, ...inside.intrinsics, ...Object.values(around)]);
}
`;
