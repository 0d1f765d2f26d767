import { WORK_FOLDER } from "./box.js";
import { BOX_LINES } from "./box-lines.js";
import { CLOSED_CONTEXT } from "./closed-context.js";

/** Said of a program that needs a process of its own, in a box that may be used again. */
export const NEEDS_PROCESS = "process";

/**
 * The world of the keeper itself, should a program ever get hold of a piece of it: no text becomes code there, and
 * nothing of it can be changed. With the lines that come to it: after the last one it ends.
 */
export const KEEPER_REALM = `
${BOX_LINES}
const { Console } = require("console");
const nextLine = () => receive() ?? process.exit(0);
// Some of it is put together when it is first used.
new Console({ stdout: { write() {} }, stderr: { write() {} }, ignoreErrors: false }).log("%s %o", "x", [{ a: new Map([[1, new Error("x")]]) }]);
Object.freeze(require("util").inspect);
for (const sample of [function () {}, async function () {}, function* () {}, async function* () {}]) {
  Object.defineProperty(Object.getPrototypeOf(sample), "constructor", { value: undefined, writable: false, configurable: false });
  Object.freeze(Object.getPrototypeOf(sample));
}
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const { value } = Object.getOwnPropertyDescriptor(globalThis, name);
  if (typeof value !== "function" || !/^[A-Z]/.test(name)) continue;
  if (value.prototype !== undefined) Object.freeze(value.prototype);
  Object.freeze(value);
}
for (const item of [JSON, Math, Reflect, Intl, [][Symbol.iterator]().__proto__]) Object.freeze(item);
`;

/**
 * What is run in a warm box: it is given one program after the other, written anew from its tokens, and runs each in a
 * context of its own. A program is over when nothing is left to do, as a process would be. The answer holds the nonce
 * that came with the program, which it cannot see.
 */
export const KEEPER = String.raw`"use strict";
{
${KEEPER_REALM}
${CLOSED_CONTEXT}
const PROCESS = ${JSON.stringify(NEEDS_PROCESS)};
let trial = null, nonce = "";

function serve() {
  const job = JSON.parse(nextLine());
  nonce = job.nonce;
  trial = newTrial(job.outputBytes);
  try {
    const made = closedContext(trial), { module } = made.inside;
    const program = compiled(made, job.text, ["exports", "module"], "${WORK_FOLDER}/" + job.main);
    apply(program, module.exports, [module.exports, module]);
  } catch {
    thrown(trial);
  }
}

// What Node prints about an error, and what is in a stack, is told by a process of its own.
function end() {
  const { why, isThrown, out, err, room } = trial;
  trial = null;
  const isTold = ![out, err].some((text) => /^ +at /m.test(text));
  const isShort = [out, err].every((text) => Buffer.byteLength(text) <= room);
  if (why !== null || !isShort) send(JSON.stringify([nonce, why ?? "output"]));
  else send(JSON.stringify(isThrown || !isTold ? [nonce, PROCESS] : [nonce, 0, out, err]));
}

const failed = () => { if (trial !== null) thrown(trial); };
process.on("uncaughtException", failed);
process.on("unhandledRejection", failed);
process.emitWarning = () => { if (trial !== null) abandon(trial, "a warning"); };
process.on("beforeExit", () => {
  if (trial !== null) end();
  setImmediate(serve);
});
send("ready");
serve();
}`;
