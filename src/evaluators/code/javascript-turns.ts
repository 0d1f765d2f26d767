/**
 * How the side of a program answers, turn by turn. Expects its `peer`, `extra`,
 * what the tests may ask besides, and `unsettled`, which makes an error of the program's world.
 */
export const JAVASCRIPT_TURNS = `
let waiting = null, isAsked = false, held = null;
function answer(mark, form) {
  if (waiting === null) return;
  waiting = null;
  isAsked = false;
  peer.write([mark, form, []]);
  setImmediate(turn);
}

function turn() {
  const message = held ?? peer.read();
  held = null;
  isAsked = true;
  if (message[1] === "await") {
    waiting = message;
    untilAsked(peer.asked);
    peer.object(message[2]).then((value) => answer("=", peer.pack(value)), (error) => answer("!", peer.packThrown(error)));
  } else if (message[1] === "idle") {
    waiting = message;
    untilAsked(peer.asked);
  } else if (message[1] === "tick") {
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
    if (asked[1] === "idle") answer("=", true);
    else if (peer.hasPending) answer("~", null);
  }, 1).unref();
}

// Nothing is left to do, as before the end of a process.
function idle() {
  if (waiting?.[1] === "idle") answer("=", false);
  else if (peer.hasPending) answer("~", null);
  else answer("!", peer.packThrown(unsettled("a promise of the program is never settled")));
}
`;
