import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "../../exec/sandbox/boxed-process.js";
import { textArgs } from "../../exec/sandbox/interpreter-args.js";
import type { Sandbox } from "../../exec/sandbox/sandbox.js";
import { definedNames, wordsOf } from "./definitions.js";
import { JAVASCRIPT_PROGRAM } from "./javascript-program.js";
import { JAVASCRIPT_TESTS } from "./javascript-tests.js";
import { asScript, beforeEntry } from "./javascript-variants.js";
import { cutShort, failedStart, type Judge, type Trial, trialLimits, type Verdict, verdictIn } from "./judge.js";
import type { CodeTask } from "./task.js";

/** Runs a JavaScript program in a fresh box, and its tests in another fresh box: they share nothing but lines of text. */
export class JavaScriptJudge implements Judge {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  judge(trial: Trial): Promise<Verdict> {
    const work = (program: BoxedProcess) => this.#withTests(trial, (tests) => judgeBoxes(program, tests, trial));
    return this.#sandbox.use(launchOf(JAVASCRIPT_PROGRAM, trial), work, trial.signal);
  }

  async close(): Promise<void> {
    // Every box ends with its trial.
  }

  async #withTests<T>({ signal, ...trial }: Trial, work: (tests: BoxedProcess) => Promise<T>): Promise<T> {
    const tests = await this.#sandbox.start(launchOf(JAVASCRIPT_TESTS, trial));
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

function launchOf(text: string, { timeoutSecs }: Trial) {
  const args = textArgs("javascript", text);
  return { language: "javascript" as const, args, isQuiet: true, limits: trialLimits(timeoutSecs) };
}

async function judgeBoxes(program: BoxedProcess, tests: BoxedProcess, trial: Trial): Promise<Verdict> {
  const { task, variants, timeoutSecs } = trial;
  for (const box of [program, tests]) {
    if ((await box.lines.next()) === null) throw await failedStart(box);
  }
  const nonce = randomUUID();
  program.lines.send(JSON.stringify({ variants, entry: task.entryPoint }));
  tests.lines.send(JSON.stringify(testsJob(task, nonce)));
  const timer = setTimeout(() => {
    program.stop("wall_time");
    tests.stop("wall_time");
  }, timeoutSecs * 1000);
  const line = await relayUntilVerdict(program, tests);
  clearTimeout(timer);
  return line === null ? cutShort(await tests.ended, timeoutSecs) : verdictIn(line, nonce);
}

/**
 * Carries lines between the two until there is a verdict; null when there will be none. Each line of the tests is
 * answered by exactly one of the program: what else the program sends is never read.
 */
async function relayUntilVerdict(program: BoxedProcess, tests: BoxedProcess): Promise<string | null> {
  for (;;) {
    const line = await tests.lines.next();
    if (line === null || line.startsWith("V")) return line?.slice(1) ?? null;
    program.lines.send(line.slice(1));
    tests.lines.send((await program.lines.next()) ?? "");
  }
}

function testsJob({ tests, prompt, entryPoint }: CodeTask, nonce: string): Record<string, unknown> {
  const names = [...wordsOf(tests).add(entryPoint)].filter((name) => name !== "");
  const preamble = beforeEntry(prompt, entryPoint);
  const promptNames = [...definedNames(preamble, "javascript")];
  return { nonce, tests: asScript(tests), prompt: asScript(preamble), promptNames, entry: entryPoint, names };
}
