import { randomUUID } from "node:crypto";
import { builtinModules } from "node:module";
import { runInNewContext } from "node:vm";
import type { BoxedProcess } from "../../sandbox/boxed-process.js";
import { inspected } from "../../sandbox/javascript/harmless.js";
import { GLOBALS, IN_CONTEXT } from "../../sandbox/javascript/names.js";
import { rewritten } from "../../sandbox/javascript/rewritten.js";
import type { Worked } from "../../sandbox/warm-boxes.js";
import { wordsOf } from "./definitions.js";
import { ABANDONED, OVER } from "./javascript-programs.js";
import { namesFor, togetherJob } from "./javascript-together.js";
import { asScript } from "./javascript-variants.js";
import type { Trial } from "./judge.js";
import type { CodeTask } from "./task.js";

/** What takes longer is judged again with a process of the program's own. */
const LONGEST_MS = 1000;

/** What tests find by a name of Node's own, and so do not ask the program for. */
const OF_TESTS = new Set(
  (
    "console require module exports setTimeout setImmediate setInterval clearTimeout clearImmediate clearInterval " +
    "queueMicrotask structuredClone Buffer URL TextEncoder TextDecoder process assert global globalThis"
  ).split(" "),
);

/** Talks to a program on behalf of its tests: each question is answered by one line, null when there is none. */
type Conversation<T> = (ask: (line: string) => Promise<string | null>) => Promise<T>;

/**
 * Lets the tests talk to a harmless program in a warm box. Null when the program is not harmless, or when anything
 * happened that a process of its own might have done in another way: then it has to be judged with one.
 */
export function converseWarmly<T>(
  box: BoxedProcess,
  trial: Trial,
  converse: Conversation<T>,
): Promise<Worked<T | null>> {
  return withProgram(
    box,
    trial,
    (text) => jobFor(text, trial.task),
    (nonce) => untilOver(box, nonce, converse),
  );
}

/**
 * Runs a harmless program in one function with its tests, when these are harmless too. True when they fail by an
 * assertion, or may not be run together at all: then no process has to be started to find that they do not pass.
 */
export function failsTogether(box: BoxedProcess, trial: Trial): Promise<Worked<boolean | null>> {
  return withProgram(
    box,
    trial,
    (text) => bothFor(text, trial.task),
    async (nonce) => {
      const line = await box.lines.next();
      const isOver = (await box.lines.next()) === JSON.stringify([nonce, OVER]);
      return { value: isOver && line === JSON.stringify([nonce, true]), isOrdinary: isOver };
    },
  );
}

/** Has a warm box tell which reading of the response is a program, and run what is made of it. */
async function withProgram<T>(
  box: BoxedProcess,
  { task, variants, timeoutSecs, signal }: Trial,
  jobOf: (text: string) => Record<string, unknown> | T | null,
  work: (nonce: string) => Promise<Worked<T | null>>,
): Promise<Worked<T | null>> {
  const stop = () => box.stop("done");
  const timer = setTimeout(stop, Math.min(LONGEST_MS, timeoutSecs * 1000));
  signal?.addEventListener("abort", stop, { once: true });
  try {
    box.lines.send(JSON.stringify({ variants, entry: task.entryPoint }));
    const text: unknown = JSON.parse((await box.lines.next()) ?? "0");
    const nonce = randomUUID();
    const job = typeof text === "string" ? jobOf(text) : null;
    const isJob = typeof job === "object" && job !== null;
    box.lines.send(JSON.stringify(isJob ? { ...job, nonce } : null));
    return isJob ? await work(nonce) : { value: job, isOrdinary: text === null || typeof text === "string" };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

async function untilOver<T>(box: BoxedProcess, nonce: string, converse: Conversation<T>): Promise<Worked<T | null>> {
  let isAbandoned = false;
  const ask = async (line: string) => {
    if (isAbandoned) return null;
    box.lines.send(line);
    const answer = await box.lines.next();
    isAbandoned = answer === null || answer === ABANDONED;
    return isAbandoned ? null : answer;
  };
  const value = await converse(ask);
  if (isAbandoned) return { value: null, isOrdinary: false };
  box.lines.send(OVER);
  return { value, isOrdinary: (await box.lines.next()) === JSON.stringify([nonce, OVER]) };
}

/** What the box is to run; null when the program is not harmless, or the tests may ask it for something of Node's. */
function jobFor(text: string, { tests, entryPoint }: CodeTask): Record<string, unknown> | null {
  const words = [...wordsOf(tests)];
  if (GLOBALS.has(entryPoint) || words.some(isOnlyNodes)) return null;
  const found = inspected(text, IN_CONTEXT);
  const program = "tokens" in found ? rewritten(found.tokens) : null;
  return "doubt" in found || program === null
    ? null
    : { text: program, names: namesFor(found.tokens, words, entryPoint) };
}

/** Program and tests as one; true when they may not be run together, null when it takes a process to run them. */
function bothFor(text: string, task: CodeTask): Record<string, unknown> | true | null {
  const together = togetherJob(text, task);
  if (typeof together === "string") return true;
  const check = `return typeof check === 'function' ? check(${task.entryPoint}) : undefined;`;
  const [program, tests] = [text, asScript(task.tests)].map(plain);
  if (program === null || tests === null) return null;
  const body = `${tests}\n;${together.isChecked === true ? check : ""}`;
  return { isTogether: true, text: `${program}\n;return (function () {${body}\n})();` };
}

function plain(text: string): string | null {
  const found = inspected(text, IN_CONTEXT);
  return "tokens" in found ? rewritten(found.tokens) : null;
}

let language: ReadonlySet<string> | null = null;

/** True for what a process has by this name, and a context for tests has not. */
function isOnlyNodes(name: string): boolean {
  language ??= new Set(runInNewContext("Object.getOwnPropertyNames(globalThis)") as string[]);
  return (GLOBALS.has(name) || builtinModules.includes(name)) && !OF_TESTS.has(name) && !language.has(name);
}
