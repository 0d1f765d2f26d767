import { JAVASCRIPT_LIBRARIES } from "./javascript-libraries.js";
import { JAVASCRIPT_LINES } from "./javascript-lines.js";
import { JAVASCRIPT_PEER } from "./javascript-peer.js";
import { JAVASCRIPT_WAITING } from "./javascript-waiting.js";

/**
 * What is run in the box of the tests. It serves many trials, one after the other, each in a context of its own. A
 * trial is over when nothing is left to do, as a process of its own would be. Its lines go to the program when they
 * begin with a "C", and hold the verdict when they begin with a "V".
 *
 * Possible in principle all the same: a hole in V8 or in the kernel, and a test that asks an object of the program for
 * its own opinion, such as a method of a class that the program was asked to write.
 */
export const JAVASCRIPT_TESTS = String.raw`(() => {${JAVASCRIPT_LINES}
const PEER = new vm.Script(${JSON.stringify(JAVASCRIPT_PEER)}, { filename: "assay-peer.js" });
const EXIT = new Error("the tests have ended themselves");
const timers = new Set();
let trial = null;
${JAVASCRIPT_WAITING}
${JAVASCRIPT_LIBRARIES}
send("ready");

function timer(start, stop, isOnce) {
  return (work, ...args) => {
    const handle = start((...given) => {
      if (isOnce) timers.delete(stopIt);
      trial.peer.ask("tick", null);
      work(...given);
    }, ...args);
    const stopIt = () => stop(handle);
    stopIt.handle = handle;
    timers.add(stopIt);
    return handle;
  };
}

function failing(error) {
  if (error === EXIT) return;
  try {
    if (trial !== null && trial.failure === null) {
      trial.broken ??= missingLibrary(error);
      trial.isPlain = error?.code === "ERR_ASSERTION" && !trial.peer.isForeign(error);
    }
    fail(typeof error === "object" && error !== null ? error.name + ": " + error.message : error);
  } catch {
    fail("an error without a text");
  }
}

function fail(text) {
  if (trial !== null) trial.failure ??= String(text).split("\n")[0].slice(0, 300);
}

// Tests that change what a program in their own process would see changed.
const SHARED_CHANGE = /\b(?:console|global|globalThis)\.\w+\s*=(?!=)/;

function failPlainly(text) {
  if (trial !== null && trial.failure === null) trial.isPlain = true;
  fail(text);
}

function consoleOf() {
  const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]));
  // Node only prints a failed console.assert; the graders of HumanEval-X take what is printed for a failure.
  return { ...silent, assert: (fine, text) => fine || failPlainly("console.assert failed" + (text === undefined ? "" : ": " + text)) };
}

function exit(code) {
  if (code) fail("the tests ended with " + code);
  throw EXIT;
}

function contextOf() {
  const scope = {
    console: consoleOf(),
    require,
    module: { exports: {} },
    exports: {},
    setTimeout: timer(setTimeout, clearTimeout, true),
    setImmediate: timer(setImmediate, clearImmediate, true),
    setInterval: timer(setInterval, clearInterval, false),
    clearTimeout, clearImmediate, clearInterval, queueMicrotask, structuredClone, Buffer, URL, TextEncoder, TextDecoder,
    process: { env: {}, argv: [], exit, nextTick: process.nextTick.bind(process) },
    assert: require("assert"),
  };
  const context = vm.createContext(scope);
  vm.runInContext("globalThis.global = globalThis", context);
  return context;
}

function start() {
  const line = receive();
  if (line === null) process.exit(0);
  const job = JSON.parse(line);
  const context = contextOf();
  const peer = PEER.runInContext(context)((text) => send("C" + text), () => receive() || null, true);
  trial = { nonce: job.nonce, peer, failure: null, broken: null, promises: [], idleAt: 0, isLoaded: false, isPlain: false, talkedBefore: 0 };
  try {
    run(job, context, peer);
  } catch (error) {
    failing(error);
  }
  pump();
}

function run(job, context, peer) {
  const script = compile(job.tests);
  if (script === null) return;
  peer.ask("load", null);
  trial.isLoaded = true;
  const own = new Set(["__proto__", ...vm.runInContext("Object.getOwnPropertyNames(globalThis)", context)]);
  if (job.prompt !== "") runPrompt(job, context, own);
  for (const name of modulesOf({ ...job, words: job.names }).filter((name) => !own.has(name))) {
    define(context, name, require(name));
    own.add(name);
  }
  const wanted = new Set(job.names.filter((name) => name === job.entry || !(own.has(name) || LIBRARIES.has(name))));
  let isOnlyFunctions = true;
  for (const pair of peer.ask("names", null, vm.runInContext(JSON.stringify([...wanted]), context))) {
    // The program may answer anything: only what was asked for is taken, and only once.
    if (!Array.isArray(pair) || pair.length !== 2 || !wanted.delete(pair[0])) throw new Error("the program's answer cannot be read");
    define(context, pair[0], pair[1]);
    isOnlyFunctions &&= typeof pair[1] === "function";
  }
  trial.talkedBefore = isOnlyFunctions && !SHARED_CHANGE.test(job.tests) ? peer.unusual : -1;
  script.runInContext(context);
  callCheck(job, context);
}

function define(context, name, value) {
  Object.defineProperty(context, name, { value, writable: true, configurable: true, enumerable: true });
}

// Helpers of the prompt as the prompt has them: the program may have put others in their place.
function runPrompt(job, context, own) {
  try {
    vm.runInContext(job.prompt, context);
  } catch {
    return;
  }
  for (const name of job.names) {
    if (isDefined(name, context)) own.add(name);
  }
}

function isDefined(name, context) {
  try {
    return vm.runInContext("typeof " + name, context) !== "undefined";
  } catch {
    return false;
  }
}

function callCheck(job, context) {
  if (!/\bcheck\b/.test(job.tests) || /^check\s*\(/m.test(job.tests) || job.entry === "") return;
  if (vm.runInContext("typeof check", context) !== "function") return;
  const result = vm.runInContext("check(" + job.entry + ")", context);
  if (typeof result === "object" && result !== null && typeof result.then === "function") result.then(() => {}, failing);
}

function compile(text) {
  try {
    return new vm.Script(text, { filename: "tests.js" });
  } catch (error) {
    try {
      return new vm.Script("(async () => {" + text + "\n})()", { filename: "tests.js" });
    } catch {
      trial.broken = String(error).split("\n")[0];
      return null;
    }
  }
}

// Waits for promises of the program, one after the other; the program runs while this waits.
function pump() {
  if (trial === null) return;
  const { peer } = trial;
  tellSettled(peer);
  const next = peer.nextPending();
  if (next === undefined) return;
  let isLater = false;
  try {
    const value = peer.ask("await", next.number);
    isLater = value === peer.LATER;
    if (isLater) peer.putBack(next);
    else next.resolve(value);
  } catch (error) {
    next.reject(error);
  }
  // The program waits for the tests: their timers are to run first.
  if (isLater && !peer.hasSettled) setTimeout(pump, 1);
  else setImmediate(pump);
}

function tellSettled(peer) {
  for (let item = peer.nextSettled(); item !== undefined; item = peer.nextSettled()) {
    try {
      peer.ask("settled", null, ...item);
    } catch (error) {
      failing(error);
    }
  }
}

// What the tests have handed to the program may be called as long as the program has something to do.
function isUnfinished() {
  const { peer, failure, broken, idleAt } = trial;
  if (failure !== null || broken !== null || peer.isGone) return false;
  return peer.hasPending || peer.hasSettled || ((peer.hasHanded || isWaiting()) && peer.asked !== idleAt);
}

function goOn() {
  const { peer } = trial;
  if (peer.hasPending || peer.hasSettled) return pump();
  const { asked } = peer;
  try {
    if (peer.ask("idle", null) === false) trial.idleAt = asked;
  } catch (error) {
    failing(error);
  }
}

// Nothing but plain data has gone to and fro: in one process it would have failed the same.
function end() {
  for (const stop of timers) stop();
  timers.clear();
  const isLeftWaiting = isWaiting();
  if (isLeftWaiting) fail("the tests wait for something that the program never does");
  const { nonce, peer, failure, broken } = trial;
  const isFinal = (isLeftWaiting && !peer.isGone) || !trial.isLoaded || (trial.isPlain && peer.unusual === trial.talkedBefore);
  trial = null;
  const outcome = broken !== null ? "broken" : failure !== null || peer.isGone ? "failed" : "passed";
  const detail = broken ?? (peer.isGone ? "the program ended before its tests did" : failure) ?? "";
  send("V" + JSON.stringify([nonce, outcome, detail, isFinal]));
}

process.on("uncaughtException", failing);
process.on("unhandledRejection", failing);
process.on("beforeExit", () => {
  if (trial !== null && isUnfinished()) return setImmediate(goOn);
  if (trial !== null) end();
  setImmediate(start);
});
start();
})();`;
