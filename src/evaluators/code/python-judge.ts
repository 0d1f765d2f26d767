import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "../../exec/sandbox/boxed-process.js";
import { textArgs } from "../../exec/sandbox/interpreter-args.js";
import type { BoxOptions, Sandbox } from "../../exec/sandbox/sandbox.js";
import { cutShort, failedStart, type Judge, type Trial, trialLimits, type Verdict, verdictIn } from "./judge.js";
import { PYTHON_COMPILER, PYTHON_PROGRAM_HARNESS, PYTHON_STARTER, PYTHON_TESTS_HARNESS } from "./python-harness.js";

/** What a line of the tests begins with: a question to the program, or the verdict. */
const VERDICT_MARK = "V";

/**
 * Runs a Python program in one box and its tests in another, both fresh. They share nothing: lines of text go to and
 * fro, and what the program sends is data for the tests, which alone decide.
 */
export class PythonJudge implements Judge {
  readonly #sandbox: Sandbox;
  readonly #harnesses = new Map<string, Promise<string>>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async judge(trial: Trial): Promise<Verdict> {
    const [programHarness, testsHarness] = await Promise.all([
      this.#getCompiled(PYTHON_PROGRAM_HARNESS),
      this.#getCompiled(PYTHON_TESTS_HARNESS),
    ]);
    const launch = makeLaunch(PYTHON_STARTER, trial.timeoutSecs);
    const work = async (program: BoxedProcess): Promise<Verdict> => {
      const tests = await this.#sandbox.start(launch);
      const abort = () => tests.stop("aborted");
      trial.signal?.addEventListener("abort", abort, { once: true });
      try {
        program.lines.send(programHarness);
        program.lines.send(JSON.stringify(this.#describeProgram(trial)));
        tests.lines.send(testsHarness);
        return await this.#converse(program, tests, trial);
      } finally {
        trial.signal?.removeEventListener("abort", abort);
        tests.stop("done");
        await tests.ended.catch(() => undefined);
      }
    };
    return this.#sandbox.use(launch, work, trial.signal);
  }

  async close(): Promise<void> {
    this.#harnesses.clear();
  }

  async #converse(program: BoxedProcess, tests: BoxedProcess, trial: Trial): Promise<Verdict> {
    const { task, timeoutSecs } = trial;
    for (const box of [program, tests]) if ((await box.lines.next()) === null) throw await failedStart(box);
    const timer = setTimeout(() => {
      program.stop("wall_time");
      tests.stop("wall_time");
    }, timeoutSecs * 1000);
    const nonce = randomUUID();
    const { entryPoint: entry, prompt, tests: text } = task;
    const { packages } = this.#sandbox.interpreter("python");
    tests.lines.send(JSON.stringify({ nonce, tests: text, prompt, entry, packages }));
    const { line, isProgramGone } = await relay(program, tests);
    clearTimeout(timer);
    if (isProgramGone) {
      const { stopped, signal } = await program.ended;
      if (stopped !== null || signal === "SIGXCPU") return cutShort(await program.ended, timeoutSecs);
    }
    return line === null ? cutShort(await tests.ended, timeoutSecs) : verdictIn(line, nonce);
  }

  #describeProgram({ task, variants }: Trial): Record<string, unknown> {
    const { packages } = this.#sandbox.interpreter("python");
    return { variants, entry: task.entryPoint, before: task.before, packages };
  }

  #getCompiled(text: string): Promise<string> {
    const known = this.#harnesses.get(text) ?? this.#compile(text);
    this.#harnesses.set(text, known);
    return known;
  }

  #compile(text: string): Promise<string> {
    return this.#sandbox.use(makeLaunch(PYTHON_COMPILER, 10), async (box) => {
      box.lines.send(JSON.stringify(text));
      const code = await box.lines.next();
      if (code === null) throw await failedStart(box);
      return code;
    });
  }
}

function makeLaunch(text: string, timeoutSecs: number): BoxOptions {
  return { language: "python", args: textArgs("python", text), isQuiet: true, limits: trialLimits(timeoutSecs) };
}

/**
 * Carries lines between the two until there is a verdict. Each line of the tests is answered by exactly one of the
 * program: what else it sends is read as an answer to what it is asked next, and is data in any case.
 */
async function relay(
  program: BoxedProcess,
  tests: BoxedProcess,
): Promise<{ line: string | null; isProgramGone: boolean }> {
  let isProgramGone = false;
  for (;;) {
    const line = await tests.lines.next();
    if (line === null) return { line, isProgramGone };
    if (line.startsWith(VERDICT_MARK)) return { line: line.slice(1), isProgramGone };
    program.lines.send(line.slice(1));
    const answer = await program.lines.next();
    isProgramGone ||= answer === null;
    // An empty line is no message: the tests learn that nobody is there.
    tests.lines.send(answer ?? "");
  }
}
