import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "../../sandbox/boxed-process.js";
import { textArgs } from "../../sandbox/interpreter-args.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { WarmBoxes, Worked } from "../../sandbox/warm-boxes.js";
import { wordsOf } from "./definitions.js";
import { JAVASCRIPT_PROGRAM } from "./javascript-program.js";
import { JAVASCRIPT_PROGRAMS } from "./javascript-programs.js";
import { JAVASCRIPT_TESTS } from "./javascript-tests.js";
import { judgeTogether } from "./javascript-together.js";
import { asScript, beforeEntry } from "./javascript-variants.js";
import { converseWarmly } from "./javascript-warm.js";
import { cutShort, failedStart, type Judge, type Trial, trialLimits, type Verdict, verdictIn } from "./judge.js";
import type { CodeTask } from "./task.js";

/**
 * Runs a JavaScript program in a box of its own, and its tests in another. Node is slow to start: the box of the tests
 * is kept for the next trial, since no program ever runs in it, and programs that can do nothing but compute are first
 * run in boxes that are kept too. What passes there passes; everything else is run in a box of its own. A program that
 * fails in that, though it might not in one process with its tests, is run once more in that way when it is harmless to
 * look at; what passes there passes.
 */
export class JavaScriptJudge implements Judge {
  readonly #sandbox: Sandbox;
  readonly #idle: BoxedProcess[] = [];
  readonly #isWarm: boolean;
  readonly #warm: WarmBoxes;
  #warmTrials = 0;

  /** With `isWarm: false` every program gets a box of its own. */
  constructor(sandbox: Sandbox, { isWarm = !sandbox.isUnsafe }: { isWarm?: boolean } = {}) {
    this.#sandbox = sandbox;
    this.#isWarm = isWarm;
    this.#warm = sandbox.warmBoxes(JAVASCRIPT_PROGRAMS);
  }

  /** How many programs were judged in a box that others were run in before or after. */
  get warmTrials(): number {
    return this.#warmTrials;
  }

  async judge(trial: Trial): Promise<Verdict> {
    const warm = await this.#judgeWarm(trial);
    if (warm !== null) return warm;
    const first = await this.#judgeCold(trial);
    if (first.outcome !== "failed" || first.isFinal !== false) return first;
    const second = await judgeTogether(this.#sandbox, trial);
    return second.outcome === "passed" ? second : first;
  }

  /** Null unless it passes: that a program fails is told by a box of its own. */
  async #judgeWarm(trial: Trial): Promise<Verdict | null> {
    if (!this.#isWarm) return null;
    const converse = (box: BoxedProcess) => converseWarmly(box, trial, (ask) => this.#withTests(trial, ask));
    const verdict = await this.#useWarm(trial, converse);
    if (verdict?.outcome !== "passed") return null;
    this.#warmTrials += 1;
    return verdict;
  }

  async #useWarm<T>({ signal }: Trial, work: (box: BoxedProcess) => Promise<Worked<T | null>>): Promise<T | null> {
    const value = await this.#sandbox.inTurn(() => this.#warm.use(work), signal);
    signal?.throwIfAborted();
    return value;
  }

  #judgeCold(trial: Trial): Promise<Verdict> {
    const args = textArgs("javascript", JAVASCRIPT_PROGRAM);
    const launch = { language: "javascript" as const, args, isQuiet: true, limits: trialLimits(trial.timeoutSecs) };
    const converse = async (program: BoxedProcess) => {
      if ((await program.lines.next()) === null) throw await failedStart(program);
      program.lines.send(JSON.stringify({ variants: trial.variants, entry: trial.task.entryPoint }));
      const ask = (line: string) => {
        program.lines.send(line);
        return program.lines.next();
      };
      return this.#withTests(trial, ask, () => program.stop("wall_time"));
    };
    return this.#sandbox.use(launch, converse, trial.signal);
  }

  async close(): Promise<void> {
    await this.#warm.close();
    const boxes = this.#idle.splice(0);
    for (const box of boxes) {
      box.ref();
      box.stop("done");
    }
    await Promise.allSettled(boxes.map((box) => box.ended));
  }

  /** Runs the tests, which ask the program. `timedOut` is called when they take too long. */
  async #withTests(trial: Trial, ask: Ask, timedOut: () => void = () => undefined): Promise<Verdict> {
    const tests = this.#takeIdle() ?? (await this.#startTests());
    const abort = () => tests.stop("aborted");
    trial.signal?.addEventListener("abort", abort, { once: true });
    try {
      const { verdict, isHealthy } = await play(tests, trial, ask, timedOut);
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

/** A question of the tests to the program, and its answer; null when there will be none. */
type Ask = (line: string) => Promise<string | null>;

async function play(tests: BoxedProcess, trial: Trial, ask: Ask, timedOut: () => void): Promise<Played> {
  const { task, timeoutSecs } = trial;
  const nonce = randomUUID();
  tests.lines.send(JSON.stringify(testsJob(task, nonce)));
  const timer = setTimeout(() => {
    timedOut();
    tests.stop("wall_time");
  }, timeoutSecs * 1000);
  const line = await relay(tests, ask);
  clearTimeout(timer);
  if (line === null) return { verdict: cutShort(await tests.ended, timeoutSecs), isHealthy: false };
  return { verdict: verdictIn(line, nonce), isHealthy: true };
}

/**
 * Carries lines between the two until there is a verdict; null when there will be none. Each line of the tests is
 * answered by exactly one of the program: what else it sends is never read, so that none of it reaches the next trial.
 */
async function relay(tests: BoxedProcess, ask: Ask): Promise<string | null> {
  for (;;) {
    const line = await tests.lines.next();
    if (line === null || line.startsWith("V")) return line?.slice(1) ?? null;
    tests.lines.send((await ask(line.slice(1))) ?? "");
  }
}

function testsJob({ tests, prompt, entryPoint }: CodeTask, nonce: string): Record<string, unknown> {
  const names = [...wordsOf(tests).add(entryPoint)].filter((name) => name !== "");
  return { nonce, tests: asScript(tests), prompt: beforeEntry(prompt, entryPoint), entry: entryPoint, names };
}
