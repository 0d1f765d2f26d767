import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "../../sandbox/boxed-process.js";
import { textArgs } from "../../sandbox/interpreter-args.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { wordsOf } from "./definitions.js";
import {
  cutShort,
  failedStart,
  type Judge,
  limitTime,
  type Trial,
  trialLimits,
  type Verdict,
  verdictIn,
} from "./judge.js";
import { PYTHON_ALONE_HARNESS, PYTHON_COMPILER, PYTHON_HARNESS, PYTHON_STARTER } from "./python-harness.js";

/**
 * Runs a Python program and its tests in two processes of one box, where the program cannot cheat. Not all that a
 * correct program does can be told from one process to the other, so that a program which fails there and is harmless
 * to look at is run once more in one process with its tests, as the published graders do; that verdict counts.
 */
export class PythonJudge implements Judge {
  readonly #sandbox: Sandbox;
  readonly #harnesses = new Map<string, Promise<string>>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async judge(trial: Trial): Promise<Verdict> {
    const first = await this.#run(PYTHON_HARNESS, trial);
    if (first.outcome !== "failed" || first.isFinal === true) return first;
    const second = await this.#run(PYTHON_ALONE_HARNESS, trial);
    return second.isFinal === true ? second : first;
  }

  async close(): Promise<void> {
    this.#harnesses.clear();
  }

  async #run(text: string, trial: Trial): Promise<Verdict> {
    const harness = await this.#compiled(text);
    const launch = this.#launch(PYTHON_STARTER, trial.timeoutSecs);
    return this.#sandbox.use(launch, (box) => this.#converse(box, harness, trial), trial.signal);
  }

  #compiled(text: string): Promise<string> {
    const known = this.#harnesses.get(text) ?? this.#compile(text);
    this.#harnesses.set(text, known);
    return known;
  }

  async #converse(box: BoxedProcess, harness: string, { task, variants, timeoutSecs }: Trial): Promise<Verdict> {
    const { entryPoint: entry, prompt, tests, before } = task;
    const { packages } = this.#sandbox.interpreter("python");
    box.lines.send(harness);
    box.lines.send(JSON.stringify({ variants, entry, before, packages }));
    if ((await box.lines.next()) === null) throw await failedStart(box);
    const release = limitTime(box, timeoutSecs);
    const nonce = randomUUID();
    box.lines.send(JSON.stringify({ nonce, tests, prompt, entry, names: [...wordsOf(tests).add(entry)] }));
    const line = await box.lines.next();
    release();
    return line === null ? cutShort(await box.ended, timeoutSecs) : verdictIn(line, nonce);
  }

  #launch(text: string, timeoutSecs: number) {
    const args = textArgs("python", text);
    return { language: "python" as const, args, isQuiet: true, limits: trialLimits(timeoutSecs) };
  }

  #compile(text: string): Promise<string> {
    return this.#sandbox.use(this.#launch(PYTHON_COMPILER, 10), async (box) => {
      box.lines.send(JSON.stringify(text));
      const code = await box.lines.next();
      if (code === null) throw await failedStart(box);
      return code;
    });
  }
}
