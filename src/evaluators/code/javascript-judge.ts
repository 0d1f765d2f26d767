import { randomUUID } from "node:crypto";
import type { Sandbox, SandboxedProcess } from "../../exec/index.js";
import { buildTextArgs } from "../../exec/index.js";
import { JAVASCRIPT_PEER_FACTORY } from "./javascript-peer.js";
import { JAVASCRIPT_LINE_IO } from "./javascript-runtime.js";
import { JAVASCRIPT_TESTS } from "./javascript-tests.js";
import {
  type CodeJudge,
  type CodeTrial,
  createStartError,
  createTrialLimits,
  explainEarlyEnd,
  parseTestVerdict,
  type TestVerdict,
} from "./judge.js";
import { findIdentifiers, listDefinedNames } from "./source-text.js";
import type { CodeTask } from "./task.js";
import { convertToScript, getPromptBeforeEntry } from "./variants.js";

/** Runs a JavaScript program in one fresh box and its tests in another. They exchange only lines of text. */
export class JavaScriptJudge implements CodeJudge {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  judge(trial: CodeTrial): Promise<TestVerdict> {
    const work = (program: SandboxedProcess) => this.#runWithTests(trial, (tests) => judgeBoxes(program, tests, trial));
    return this.#sandbox.use(createJavaScriptLaunch(JAVASCRIPT_PROGRAM, trial), work, trial.signal);
  }

  async close(): Promise<void> {
    // Each trial gets its own box.
  }

  async #runWithTests<T>({ signal, ...trial }: CodeTrial, work: (tests: SandboxedProcess) => Promise<T>): Promise<T> {
    const tests = await this.#sandbox.start(createJavaScriptLaunch(JAVASCRIPT_TESTS, trial));
    const abort = () => tests.stop("aborted");
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await work(tests);
    } finally {
      signal?.removeEventListener("abort", abort);
      tests.stop("done");
      await tests.ended.catch(() => undefined);
    }
  }
}

function createJavaScriptLaunch(text: string, { timeoutSecs }: CodeTrial) {
  const args = buildTextArgs("javascript", text);
  return { language: "javascript" as const, args, isQuiet: true, limits: createTrialLimits(timeoutSecs) };
}

async function judgeBoxes(program: SandboxedProcess, tests: SandboxedProcess, trial: CodeTrial): Promise<TestVerdict> {
  const { task, variants, timeoutSecs } = trial;
  for (const box of [program, tests]) {
    if ((await box.lines.next()) === null) throw await createStartError(box);
  }
  const nonce = randomUUID();
  program.lines.send(JSON.stringify({ variants, entry: task.entryPoint }));
  tests.lines.send(JSON.stringify(createTestsJob(task, nonce)));
  const timer = setTimeout(() => {
    program.stop("wall_time");
    tests.stop("wall_time");
  }, timeoutSecs * 1000);
  const line = await relayUntilVerdict(program, tests);
  clearTimeout(timer);
  return line === null ? explainEarlyEnd(await tests.ended, timeoutSecs) : parseTestVerdict(line, nonce);
}

/**
 * Relays lines between the two boxes until there is a verdict; null if there will be none. Each line from the tests gets
 * exactly one answer; anything else the program sends is never read.
 */
async function relayUntilVerdict(program: SandboxedProcess, tests: SandboxedProcess): Promise<string | null> {
  for (;;) {
    const line = await tests.lines.next();
    if (line === null || line.startsWith("V")) return line?.slice(1) ?? null;
    program.lines.send(line.slice(1));
    tests.lines.send((await program.lines.next()) ?? "");
  }
}

function createTestsJob({ tests, prompt, entryPoint }: CodeTask, nonce: string): Record<string, unknown> {
  const names = [...findIdentifiers(tests).add(entryPoint)].filter((name) => name !== "");
  const preamble = getPromptBeforeEntry(prompt, entryPoint);
  const promptNames = [...listDefinedNames(preamble, "javascript")];
  return {
    nonce,
    tests: convertToScript(tests),
    prompt: convertToScript(preamble),
    promptNames,
    entry: entryPoint,
    names,
  };
}

/** The program's side: answers one question at a time. Expects `peer`, and `extra` for other requests of the tests. */
const JAVASCRIPT_ANSWER_LOOP = `
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

/** Finds the first variant of the response that parses. Expects `job` and `vm`. */
const JAVASCRIPT_VARIANT_CHOICE = String.raw`
function choose() {
  let first;
  for (const { text, mayCut } of job.variants) {
    let left = text;
    for (let tries = 0; tries < 4 && left !== null; tries += 1) {
      try {
        return { text: left, script: new vm.Script(left, { filename: "program.js" }) };
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
`;

/**
 * Runs in the program's box and answers what the tests ask, one question at a time; timers run between questions.
 * Whatever the program does to its own process, it can only answer.
 */
const JAVASCRIPT_PROGRAM = `(() => {${JAVASCRIPT_LINE_IO}
send("ready");
Object.assign(globalThis, { require });
${JAVASCRIPT_PEER_FACTORY}
const peer = createPeer({
  send, receive, holdsTests: false,
  // Nothing is read between two questions: wait for the next one, and ask before answering it.
  beforeAsk: () => { if (!isAsked && held === null) held = peer.read(); },
});
const job = JSON.parse(receive());
// Its output goes nowhere; making the streams for it would take a tenth of the start.
const silent = () => {};
for (const name of Object.keys(console)) console[name] = silent;
const module = { exports: {} };

${JAVASCRIPT_VARIANT_CHOICE}
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

${JAVASCRIPT_ANSWER_LOOP}
process.on("beforeExit", idle);
turn();
})();`;
