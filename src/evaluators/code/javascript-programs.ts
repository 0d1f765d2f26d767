import { CLOSED_CONTEXT } from "../../sandbox/closed-context.js";
import { KEEPER_REALM } from "../../sandbox/keeper.js";
import { JAVASCRIPT_CHOICE } from "./javascript-choice.js";
import { JAVASCRIPT_PEER } from "./javascript-peer.js";
import { JAVASCRIPT_TURNS } from "./javascript-turns.js";

/** Said instead of an answer: the program needs a process of its own. */
export const ABANDONED = "abandoned";

/** Said to a program when its tests are over. */
export const OVER = "over";

/**
 * What is run in a warm box of the evaluator: the side of one program after the other, each in a context of its own. It
 * tells which reading of a response is a program; what it is then given to run was looked at and written anew outside.
 * It answers as a process of the program's own would, or not at all. When the tests are over and nothing is left of the
 * program, it says so, with the nonce that no program is told.
 */
export const JAVASCRIPT_PROGRAMS = String.raw`"use strict";
{
${KEEPER_REALM}
${CLOSED_CONTEXT}
const PEER = new vm.Script(${JSON.stringify(JAVASCRIPT_PEER)}, { filename: "assay-peer.js" });
let job = null, trial = null, peer = null, extra = null, unsettled = null, isEnded = true;
${JAVASCRIPT_CHOICE}
${JAVASCRIPT_TURNS}

function chosenText() {
  try {
    return choose().text;
  } catch {
    return null;
  }
}

function listen() {
  const line = isEnded ? null : nextLine();
  if (line === "${OVER}") isEnded = true;
  return isEnded ? null : line;
}

function tell(line) {
  if (isEnded) return;
  const isOrdinary = trial.why === null && !trial.isThrown;
  isEnded = !isOrdinary;
  send(isOrdinary ? line : "${ABANDONED}");
}

function serve() {
  job = JSON.parse(nextLine());
  send(JSON.stringify(chosenText()));
  const asked = JSON.parse(nextLine());
  if (asked === null) return setImmediate(serve);
  Object.assign(job, asked);
  trial = newTrial(null);
  waiting = held = null;
  isAsked = isEnded = false;
  const made = contextOf();
  peer = PEER.runInContext(made.context)(tell, listen, false, () => {
    if (!isAsked && held === null) held = peer.read();
  });
  extra = answers(made);
  unsettled = vm.runInContext("(text) => new Error(text)", made.context);
  turn();
}

// A text that Node was given to run finds the modules of Node by their names.
const MODULES = require("module").builtinModules.filter((name) => /^[a-z]\w*$/.test(name));
function contextOf() {
  const made = closedContext(trial), asked = trial;
  const refuse = () => void abandon(asked, "a module");
  for (const name of MODULES) Object.defineProperty(made.context, name, { get: refuse, set: refuse, configurable: true });
  return made;
}

// What else it finds.
const around = ({ module }) => ({ module, exports: module.exports });

function answers(made) {
  const { module } = made.inside;
  const found = new Map();
  return {
    __proto__: null,
    load: () => {
      const traits = job.names.map((name) => "[" + JSON.stringify(name) + ", () => " + name + "]");
      const text = job.text + "\n;return [" + traits.join(", ") + "];";
      const program = compiled(made, text, [], "program.js", around(made.inside));
      const own = apply(program, vm.runInContext("this", made.context), []);
      for (let at = 0; at < own.length; at += 1) found.set(own[at][0], own[at][1]);
    },
    names: (_, names) => Array.from(names, (name) => [name, ...valueOf(name, module, found)]).filter((pair) => pair.length === 2),
  };
}

function valueOf(name, { exports }, found) {
  if (Object.hasOwn(Object(exports), name)) return [exports[name]];
  const value = valueIn(found.get(name));
  if (name !== job.entry || (value.length === 1 && value[0] !== undefined)) return value;
  const unnamed = [exports, Object(exports).default].find((item) => typeof item === "function");
  return unnamed === undefined ? [] : [unnamed];
}

function valueIn(get) {
  try {
    return get === undefined ? [] : [get()];
  } catch {
    return [];
  }
}

function failed() {
  if (isEnded) return;
  thrown(trial);
  tell("");
}

process.on("uncaughtException", failed);
process.on("unhandledRejection", failed);
process.emitWarning = failed;
process.on("beforeExit", () => {
  if (!isEnded) return idle();
  if (trial !== null) send(JSON.stringify([job.nonce, "${OVER}"]));
  trial = null;
  setImmediate(serve);
});
send("ready");
serve();
}`;
