import { JAVASCRIPT_CHOICE } from "./javascript-choice.js";
import { JAVASCRIPT_LINES } from "./javascript-lines.js";
import { JAVASCRIPT_PEER_MAKER } from "./javascript-peer.js";
import { JAVASCRIPT_TURNS } from "./javascript-turns.js";

/**
 * What is run in the box of a JavaScript program. It answers what the tests ask, turn by turn: between two questions
 * its timers run. Whatever it does to itself, it can only answer.
 */
export const JAVASCRIPT_PROGRAM = `(() => {${JAVASCRIPT_LINES}
send("ready");
Object.assign(globalThis, { require });
${JAVASCRIPT_PEER_MAKER}
const peer = createPeer({
  send, receive, holdsTests: false,
  // Between two questions nobody listens: it waits for the next one, and asks before it answers that.
  beforeAsk: () => { if (!isAsked && held === null) held = peer.read(); },
});
const job = JSON.parse(receive());
// Its output goes nowhere; making the streams for it would take a tenth of the start.
const silent = () => {};
for (const name of Object.keys(console)) console[name] = silent;
const module = { exports: {} };

${JAVASCRIPT_CHOICE}
// What it exports by name comes first: the name may also be one of Node's own.
function valueOf(name) {
  const { exports } = module;
  if (Object.hasOwn(Object(exports), name)) return [exports[name]];
  if (name === job.entry && (!isDefined(name) || theirs.has(name))) return unnamed(exports);
  try {
    return [vm.runInThisContext(name)];
  } catch {
    return [];
  }
}

function isDefined(name) {
  try {
    return vm.runInThisContext("typeof " + name) !== "undefined";
  } catch {
    return false;
  }
}

// The one thing that a module exports without a name is what was asked for.
function unnamed(exports) {
  const found = [exports, Object(exports).default].find((value) => typeof value === "function");
  return found === undefined ? [] : [found];
}

// Names of Node's that the program has not taken for itself.
const globals = new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)?.value]));
const theirs = { has: (name) => globals.has(name) && globals.get(name) !== undefined && vm.runInThisContext(name) === globals.get(name) };

const extra = {
  load: () => {
    Object.assign(globalThis, { require, module, exports: module.exports });
    choose().script.runInThisContext();
  },
  names: (names) => JSON.parse(names).map((name) => [name, ...valueOf(name)]).filter((pair) => pair.length === 2),
  name: (name) => valueOf(name)[0],
  additions: () => peer.additions(),
  exports: () => [module.exports, Object(module.exports).default].find((value) => typeof value === "function"),
};

${JAVASCRIPT_TURNS}
process.on("beforeExit", idle);
turn();
})();`;
