import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { LANGUAGES, type Language, openSandbox, type Sandbox } from "../exec/index.js";
import { JavaScriptJudge } from "./code/javascript-judge.js";
import type { CodeJudge, TestVerdict } from "./code/judge.js";
import { PythonJudge } from "./code/python-judge.js";
import { readCodeTask } from "./code/task.js";
import { listVariants } from "./code/variants.js";
import { getResponseText, markUnscored } from "./gold.js";

const FIELDS = ["pass_at_1"] as const;
const VERSION = 4;
const DEFAULT_TIMEOUT_SECS = 10;

/** Options of `CodeExecution`. */
export interface CodeExecutionOptions {
  /** Runs programs without isolation if none is available. They can then do anything that you can do. */
  unsafeLocalExec?: boolean;
  /** Time limit for a program and its tests, in seconds. Default: 10. HumanEval's own harness allows 3. */
  timeoutSecs?: number;
  /** The language of every example. Default: the example's own, else Python. */
  language?: Language;
  /** A shared sandbox. The evaluator does not close it. */
  sandbox?: Sandbox;
}

/**
 * Runs the code of a response against the tests of its example, in a sandbox. It passes only if all tests ran to their
 * end, in a process that the code cannot reach; what comes from the code is plain data there. All of the
 * code runs, as in the published graders: a correct function fails if what follows it at the top level raises.
 * @example
 * const evaluator = new CodeExecution();
 * const example = { id: 1, question: "Write add(a, b).", test: "assert add(1, 2) == 3" };
 * await evaluator.score(example, { response: "def add(a, b):\n    return a + b" }); // { pass_at_1: 1 }
 * await evaluator.close();
 */
export class CodeExecution implements Evaluator {
  readonly name = "code_execution";
  readonly fields = FIELDS;
  readonly primaryFields = FIELDS;
  readonly #options: CodeExecutionOptions;
  readonly #timeoutSecs: number;
  #opened: Promise<OpenJudges> | null = null;

  constructor(options: CodeExecutionOptions = {}) {
    const { timeoutSecs = DEFAULT_TIMEOUT_SECS, language } = options;
    if (!(Number.isFinite(timeoutSecs) && timeoutSecs > 0)) {
      throw new UsageError(`timeoutSecs of code_execution must be a number of seconds above 0, got ${timeoutSecs}.`);
    }
    if (language !== undefined && !LANGUAGES.includes(language)) {
      throw new UsageError(`code_execution runs ${LANGUAGES.join(" and ")}, not "${String(language)}".`);
    }
    this.#options = options;
    this.#timeoutSecs = timeoutSecs;
  }

  fingerprint(): unknown {
    const timeoutSecs = this.#timeoutSecs;
    const options = this.#options;
    return { evaluator: this.name, version: VERSION, timeoutSecs, language: options.language ?? null };
  }

  /** Opens the sandbox. Throws a `SandboxError` if isolation or the interpreter is missing. */
  async prepare(): Promise<void> {
    const { sandbox } = await this.#open();
    sandbox.interpreter(this.#options.language ?? "python");
  }

  async score(original: Example, processed: Output, context?: ScoreContext): Promise<Scored> {
    const task = readCodeTask(original, this.#options.language);
    if (typeof task === "string") return markUnscored(FIELDS, task);
    const variants = listVariants(getResponseText(processed), task);
    if (variants.length === 0) return toPassScore({ outcome: "failed", detail: "the response contains no code" });
    const judges = await this.#open();
    const timeoutSecs = this.#timeoutSecs;
    return toPassScore(await judges[task.language].judge({ task, variants, timeoutSecs, ...pickSignal(context) }));
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    if (opened === null) return;
    const { python, javascript, sandbox } = await opened;
    await Promise.all([python.close(), javascript.close()]);
    if (this.#options.sandbox === undefined) await sandbox.close();
  }

  /** Opened once. A failure is not cached, since what was missing may have been installed. */
  #open(): Promise<OpenJudges> {
    this.#opened ??= openJudges(this.#options).catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }
}

interface OpenJudges extends Record<Language, CodeJudge> {
  sandbox: Sandbox;
}

async function openJudges({ sandbox, unsafeLocalExec = false }: CodeExecutionOptions): Promise<OpenJudges> {
  const open = sandbox ?? (await openSandbox({ unsafeLocalExec }));
  return { python: new PythonJudge(open), javascript: new JavaScriptJudge(open), sandbox: open };
}

function pickSignal(context: ScoreContext | undefined): { signal?: AbortSignal } {
  return context === undefined ? {} : { signal: context.signal };
}

function toPassScore({ outcome, detail }: TestVerdict): Scored {
  if (outcome === "broken") return markUnscored(FIELDS, `the example's tests are not a valid program: ${detail}`);
  if (outcome === "unused") return markUnscored(FIELDS, "the tests never used the program");
  if (outcome === "passed") return { pass_at_1: 1 };
  return { scores: { pass_at_1: 0 }, evidence: { pass_at_1: detail } };
}
