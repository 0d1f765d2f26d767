import { JAVASCRIPT_LINES } from "./javascript-lines.js";
import { JAVASCRIPT_PEER } from "./javascript-peer.js";

/**
 * What is run in the box of a JavaScript program. It answers what the tests ask, turn by turn: between two questions
 * its timers run. Whatever it does to itself, it can only answer.
 */
export const JAVASCRIPT_PROGRAM = String.raw`(() => {${JAVASCRIPT_LINES}
send("ready");
const peer = ${JAVASCRIPT_PEER}(send, receive, false);
const job = JSON.parse(receive());
// Its output goes nowhere; making the streams for it would take a tenth of the start.
const silent = () => {};
for (const name of Object.keys(console)) console[name] = silent;
const module = { exports: {} };
Object.assign(globalThis, { require, module, exports: module.exports });

function choose() {
  let first;
  for (const { text, mayCut } of job.variants) {
    let left = text;
    for (let tries = 0; tries < 4 && left !== null; tries += 1) {
      try {
        return new vm.Script(left, { filename: "program.js" });
      } catch (error) {
        first ??= error;
        left = mayCut ? cut(left, error) : null;
      }
    }
  }
  throw first;
}

// What stands before the line where JavaScript stops understanding, when the function is still in it.
function cut(text, error) {
  const number = Number(/^program\.js:(\d+)/.exec(String(error.stack))?.[1] ?? 0);
  const lines = text.split("\n");
  let at = Math.min(number, lines.length) - 1;
  while (at > 0 && /^\s|^$/.test(lines[at])) at -= 1;
  const kept = lines.slice(0, Math.max(at, 0)).join("\n");
  return kept.trim() !== "" && kept.includes(job.entry) ? kept : null;
}

function valueOf(name) {
  const { exports } = globalThis.module;
  const own = Object.hasOwn(Object(exports), name) ? [exports[name]] : [];
  try {
    return [vm.runInThisContext(name)];
  } catch {
    return own;
  }
}

const extra = {
  load: () => { choose().runInThisContext(); },
  names: (_, names) => names.map((name) => [name, ...valueOf(name)]).filter((pair) => pair.length === 2),
};

let waiting = null;
function answer(mark, form) {
  if (waiting === null) return;
  waiting = null;
  peer.write([mark, form, []]);
  setImmediate(turn);
}

function turn() {
  const message = peer.read();
  if (message[1] === "await") {
    waiting = message;
    peer.object(message[2]).then((value) => answer("=", peer.pack(value)), (error) => answer("!", peer.packThrown(error)));
  } else if (message[1] === "tick") {
    waiting = message;
    setTimeout(() => answer("=", null), 0);
  } else {
    peer.serve(message, extra);
    setImmediate(turn);
  }
}
process.on("beforeExit", () => answer("!", peer.packThrown(new Error("a promise of the program is never settled"))));
turn();
})();`;
