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
import { namesFor } from "./javascript-together.js";
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
 * Lets the tests talk to a harmless program in a warm box, which first tells which reading of the response is a program.
 * Null when the program is not harmless, or when anything happened that a process of its own might have done in another
 * way: then it has to be judged with one.
 */
export async function converseWarmly<T>(
  box: BoxedProcess,
  { task, variants, timeoutSecs, signal }: Trial,
  converse: Conversation<T>,
): Promise<Worked<T | null>> {
  const stop = () => box.stop("done");
  const timer = setTimeout(stop, Math.min(LONGEST_MS, timeoutSecs * 1000));
  signal?.addEventListener("abort", stop, { once: true });
  try {
    box.lines.send(JSON.stringify({ variants, entry: task.entryPoint }));
    const text: unknown = JSON.parse((await box.lines.next()) ?? "0");
    const nonce = randomUUID();
    const job = typeof text === "string" ? jobFor(text, task) : null;
    box.lines.send(JSON.stringify(job === null ? null : { ...job, nonce }));
    if (job !== null) return await untilOver(box, nonce, converse);
    return { value: null, isOrdinary: text === null || typeof text === "string" };
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

let language: ReadonlySet<string> | null = null;

/** True for what a process has by this name, and a context for tests has not. */
function isOnlyNodes(name: string): boolean {
  language ??= new Set(runInNewContext("Object.getOwnPropertyNames(globalThis)") as string[]);
  return (GLOBALS.has(name) || builtinModules.includes(name)) && !OF_TESTS.has(name) && !language.has(name);
}
