import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "../../sandbox/boxed-process.js";
import { textArgs } from "../../sandbox/interpreter-args.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { wordsOf } from "./definitions.js";
import { JAVASCRIPT_PROGRAM } from "./javascript-program.js";
import { JAVASCRIPT_TESTS } from "./javascript-tests.js";
import { judgeTogether } from "./javascript-together.js";
import { asScript, beforeEntry } from "./javascript-variants.js";
import { cutShort, failedStart, type Judge, type Trial, trialLimits, type Verdict, verdictIn } from "./judge.js";
import type { CodeTask } from "./task.js";

/**
 * Runs a JavaScript program in a box of its own, and its tests in another. Node is slow to start: the box of the tests
 * is kept for the next trial, since no program ever runs in it. A program that fails so, though it might not in one
 * process with its tests, is run once more in that way when it is harmless to look at; what passes there passes.
 */
export class JavaScriptJudge implements Judge {
  readonly #sandbox: Sandbox;
  readonly #idle: BoxedProcess[] = [];

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async judge(trial: Trial): Promise<Verdict> {
    const args = textArgs("javascript", JAVASCRIPT_PROGRAM);
    const launch = { language: "javascript" as const, args, isQuiet: true, limits: trialLimits(trial.timeoutSecs) };
    const first = await this.#sandbox.use(launch, (program) => this.#converse(program, trial), trial.signal);
    if (first.outcome !== "failed" || first.isFinal !== false) return first;
    const second = await judgeTogether(this.#sandbox, trial);
    return second.outcome === "passed" ? second : first;
  }

  async close(): Promise<void> {
    const boxes = this.#idle.splice(0);
    for (const box of boxes) {
      box.ref();
      box.stop("done");
    }
    await Promise.allSettled(boxes.map((box) => box.ended));
  }

  async #converse(program: BoxedProcess, trial: Trial): Promise<Verdict> {
    const tests = this.#takeIdle() ?? (await this.#startTests());
    const abort = () => tests.stop("aborted");
    trial.signal?.addEventListener("abort", abort, { once: true });
    try {
      const { verdict, isHealthy } = await play(program, tests, trial);
      if (isHealthy) this.#keep(tests);
      else tests.stop("done");
      return verdict;
    } catch (error) {
      tests.stop("done");
      throw error;
    } finally {
      trial.signal?.removeEventListener("abort", abort);
    }
  }

  async #startTests(): Promise<BoxedProcess> {
    const args = textArgs("javascript", JAVASCRIPT_TESTS);
    const box = await this.#sandbox.start({ language: "javascript", args, isQuiet: true, isLasting: true });
    if ((await box.lines.next()) === null) throw await failedStart(box);
    return box;
  }

  #takeIdle(): BoxedProcess | undefined {
    const box = this.#idle.pop();
    box?.ref();
    return box;
  }

  /** An evaluator that nobody closes must not keep the process from ending. */
  #keep(box: BoxedProcess): void {
    box.unref();
    this.#idle.push(box);
  }
}

interface Played {
  verdict: Verdict;
  /** False when the box of the tests cannot be used again. */
  isHealthy: boolean;
}

async function play(
  program: BoxedProcess,
  tests: BoxedProcess,
  { task, variants, timeoutSecs }: Trial,
): Promise<Played> {
  if ((await program.lines.next()) === null) throw await failedStart(program);
  program.lines.send(JSON.stringify({ variants, entry: task.entryPoint }));
  const nonce = randomUUID();
  tests.lines.send(JSON.stringify(testsJob(task, nonce)));
  const timer = setTimeout(() => {
    program.stop("wall_time");
    tests.stop("wall_time");
  }, timeoutSecs * 1000);
  const line = await relay(program, tests);
  clearTimeout(timer);
  if (line === null) return { verdict: cutShort(await tests.ended, timeoutSecs), isHealthy: false };
  return { verdict: verdictIn(line, nonce), isHealthy: true };
}

/**
 * Carries lines between the two until there is a verdict; null when there will be none. Each line of the tests is
 * answered by exactly one of the program: what else it sends is never read, so that none of it reaches the next trial.
 */
async function relay(program: BoxedProcess, tests: BoxedProcess): Promise<string | null> {
  for (;;) {
    const line = await tests.lines.next();
    if (line === null || line.startsWith("V")) return line?.slice(1) ?? null;
    program.lines.send(line.slice(1));
    tests.lines.send((await program.lines.next()) ?? "");
  }
}

function testsJob({ tests, prompt, entryPoint }: CodeTask, nonce: string): Record<string, unknown> {
  const names = [...wordsOf(tests).add(entryPoint)].filter((name) => name !== "");
  return { nonce, tests: asScript(tests), prompt: beforeEntry(prompt, entryPoint), entry: entryPoint, names };
}
