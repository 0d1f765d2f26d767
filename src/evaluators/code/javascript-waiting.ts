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
