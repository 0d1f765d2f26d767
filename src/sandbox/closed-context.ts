import { IN_CONTEXT, PRINTS, refusedKeys } from "./javascript/names.js";
import { KEY_CHECK } from "./javascript/rewritten.js";

/** Looked up in a context they would go through its global object each time, which is slow. */
const INTRINSICS = [...IN_CONTEXT.intrinsics].filter((name) => !["undefined", "NaN", "Infinity"].includes(name));
const GIVEN = [KEY_CHECK, "console"];

/**
 * Runs in each context, and is all that a program there finds besides the language. Every function and object of it is
 * the context's own. What it hands out of the context is printed there, what it gets back is yes or no.
 */
const INSIDE = String.raw`(function (outside, names) {
"use strict";
const { abandon, print } = outside;
const text = String;
const refused = new Set(names.refused), isRefused = refused.has.bind(refused);
// An error of the outside never comes in, not even where the stack ends.
function refuse(why) {
  try { abandon(why); } catch {}
  throw new Error("not run here");
}
function ask(name, given) {
  try { return print(name, given); } catch { return refuse("an error"); }
}

// It was written anew: what it says is not what its author wrote.
Function.prototype.toString = function toString() { return refuse("text of a function"); };

function key(given) {
  if (typeof given === "number" && arguments.length === 1) return given;
  const name = typeof given === "symbol" ? given : text(given);
  if (arguments.length !== 1 || isRefused(name)) refuse("key");
  return name;
}

const console = {};
for (const name of names.prints) console[name] = (...given) => void (ask(name, given) || refuse("print"));
const module = { exports: {} };
return { given: [key, console], module, intrinsics: names.intrinsics.map((name) => globalThis[name]) };
})`;

/**
 * What a warm box makes for each program: a context that holds nothing of Node's own. Whatever a program does that a
 * process of its own might answer in another way abandons it: `trial.why` says so, and its result does not count.
 * Expects `vm` and `Console`.
 */
export const CLOSED_CONTEXT = String.raw`
const INSIDE = new vm.Script(${JSON.stringify(INSIDE)}, { filename: "assay-inside.js" });
const SYMBOLS = new Set(Reflect.ownKeys(Symbol).map((name) => Symbol[name]).filter((item) => typeof item === "symbol"));
for (const name of ["iterator", "asyncIterator"]) SYMBOLS.delete(Symbol[name]);
const REFUSED = [...${JSON.stringify([...new Set([...IN_CONTEXT.refused, ...refusedKeys()])])}, ...SYMBOLS, Symbol.for("nodejs.util.inspect.custom")];
const INTRINSICS = ${JSON.stringify(INTRINSICS)}, GIVEN = ${JSON.stringify(GIVEN)}, PRINTS = ${JSON.stringify([...PRINTS])};
const { toUSVString } = require("util"), { apply } = Reflect;

// Without room for what it prints, nothing of it is kept.
function newTrial(room) {
  return { isSilent: room === null, why: null, isThrown: false, out: "", err: "", room };
}

// A program is stopped by what it cannot catch; what it does then all the same is not printed.
function abandon(trial, why) {
  trial.why ??= why;
  return false;
}

function thrown(trial) {
  if (trial.why === null) trial.isThrown = true;
}

// A pipe is given each piece as UTF-8 of its own.
function say(trial, where, text) {
  if (trial.why !== null) return false;
  trial[where] += toUSVString(text);
  return trial[where].length <= trial.room || abandon(trial, "output");
}

// What is printed by nobody is not put into words either.
function print(trial, spoken, name, given) {
  if (trial.why !== null) return false;
  if (trial.isSilent) return true;
  try {
    apply(spoken[name], spoken, given);
    return trial.why === null;
  } catch {
    return abandon(trial, "an error");
  }
}

function outsideOf(trial) {
  const stream = (where) => ({ write: (text) => say(trial, where, text) });
  const spoken = new Console({ stdout: stream("out"), stderr: stream("err"), ignoreErrors: false, inspectOptions: { customInspect: false, colors: false } });
  return {
    __proto__: null,
    abandon: (why) => void abandon(trial, why),
    print: (name, given) => print(trial, spoken, name, given),
  };
}

function closedContext(trial) {
  const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  const inside = INSIDE.runInContext(context)(outsideOf(trial), { refused: REFUSED, prints: PRINTS, intrinsics: INTRINSICS });
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
