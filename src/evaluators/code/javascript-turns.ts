/** How the side of a program answers, turn by turn. Expects its `peer`, and `extra`, what the tests may ask besides. */
export const JAVASCRIPT_TURNS = `
let waiting = null, isAsked = false, held = null;
function answer(mark, value) {
  if (waiting === null) return;
  waiting = null;
  isAsked = false;
  peer.reply(mark, value);
  setImmediate(turn);
}

function turn() {
  const message = held ?? peer.read();
  held = null;
  isAsked = true;
  const { kind, values } = message;
  if (kind === "await") {
    waiting = message;
    untilAsked(peer.asked);
    Promise.resolve(values[0]).then((value) => { if (waiting === message) answer("=", value); }, (error) => { if (waiting === message) answer("!", error); });
  } else if (kind === "idle") {
    waiting = message;
    untilAsked(peer.asked);
  } else if (kind === "tick") {
    waiting = message;
    setTimeout(() => answer("=", null), 0);
  } else {
    peer.serve(message, extra);
    isAsked = false;
    setImmediate(turn);
  }
}

// Lets its timers run until it has called the tests, which may have something to do then, or has nothing left to do.
function untilAsked(before) {
  const asked = waiting;
  const timer = setInterval(() => {
    if (waiting === asked && peer.asked === before) return;
    clearInterval(timer);
    if (waiting !== asked) return;
    if (asked.kind === "idle") answer("=", true);
    else if (peer.hasPending) answer("~", null);
  }, 1).unref();
}

// Nothing is left to do, as before the end of a process.
function idle() {
  if (waiting?.kind === "idle") answer("=", false);
  else if (peer.hasPending) answer("~", null);
  else answer("!", new Error("a promise of the program is never settled"));
}
`;
