import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { getResponseText, markUnscored } from "./gold.js";
import { LANGUAGE_IDS } from "./ifeval/case-rules.js";
import {
  checkInstructions,
  findInstructionProblem,
  type IFEvalInstruction,
  type InstructionVerdicts,
  readInstructions,
} from "./ifeval/instructions.js";
import type { InstructionTaskInput } from "./ifeval/task.js";
import { requireTimeLimit, scoreInThread } from "./thread-scoring.js";

const FIELDS = ["ifeval_strict", "ifeval_loose", "ifeval_instruction_strict", "ifeval_instruction_loose"] as const;
const DEFAULT_LIMIT_MS = 10_000;
/** Longer responses are checked in a worker thread. */
const MIN_THREAD_CHARS = 50_000;

/** Options of `IFEvalChecker`. */
export interface IFEvalCheckerOptions {
  /** Time limit for one response in a worker thread, in milliseconds. Default: 10000. */
  limitMs?: number;
}

/**
 * Checks verifiable instructions as the official IFEval grader does, all 25 of them: `ifeval_strict` and `ifeval_loose`
 * are 1 if every instruction is followed, the other two are the share of instructions that are. The example lists them
 * in `instruction_id_list` (or `instruction_ids`) with their arguments in `kwargs`.
 * @example
 * const example = { id: 1, question: "…", instruction_id_list: ["punctuation:no_comma"], kwargs: [{}] };
 * new IFEvalChecker().score(example, { response: "No commas here." }); // all four are 1
 */
export class IFEvalChecker implements Evaluator {
  readonly name = "ifeval_checker";
  readonly fields: readonly string[] = FIELDS;
  readonly primaryFields: readonly string[] = ["ifeval_strict"];
  readonly #limitMs: number;

  constructor({ limitMs = DEFAULT_LIMIT_MS }: IFEvalCheckerOptions = {}) {
    this.#limitMs = requireTimeLimit(this.name, limitMs);
  }

  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored> {
    const instructions = readInstructions(original);
    if (typeof instructions === "string") return markUnscored(FIELDS, instructions);
    const problems = instructions.map(findInstructionProblem).filter((problem) => problem !== null);
    if (problems.length > 0) return markUnscored(FIELDS, formatProblems(problems));
    const response = getResponseText(processed);
    if (!needsThread(instructions, response))
      return scoreVerdicts(instructions, checkInstructions(instructions, response, throwNoDetector));
    const input: InstructionTaskInput = { instructions, response };
    const work = { fields: FIELDS, task: "language" as const, input, limitMs: this.#limitMs, context };
    return scoreInThread<InstructionVerdicts>(work, (verdicts) => scoreVerdicts(instructions, verdicts));
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1 };
  }
}

const MAX_PROBLEMS = 5;

function formatProblems(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS;
  return `${problems.slice(0, MAX_PROBLEMS).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** Loading the detector's profiles and checking long texts would block the run. */
function needsThread(instructions: readonly IFEvalInstruction[], response: string): boolean {
  return response.length >= MIN_THREAD_CHARS || instructions.some(({ id }) => LANGUAGE_IDS.has(id));
}

function throwNoDetector(): never {
  throw new Error("Internal error: language detection was requested outside a worker thread. Please report this bug.");
}

function scoreVerdicts(instructions: readonly IFEvalInstruction[], { strict, loose }: InstructionVerdicts): Scored {
  const [strictly, loosely] = [computeFollowedShare(strict), computeFollowedShare(loose)];
  return {
    scores: {
      ifeval_strict: strictly === 1 ? 1 : 0,
      ifeval_loose: loosely === 1 ? 1 : 0,
      ifeval_instruction_strict: strictly,
      ifeval_instruction_loose: loosely,
    },
    evidence: {
      ifeval_strict: describeFollowed(instructions, strict),
      ifeval_loose: describeFollowed(instructions, loose),
    },
  };
}

function computeFollowedShare(followed: readonly boolean[]): number {
  return followed.filter(Boolean).length / followed.length;
}

function describeFollowed(instructions: readonly IFEvalInstruction[], followed: readonly boolean[]): string {
  const broken = instructions.filter((_, place) => followed[place] !== true).map(({ id }) => id);
  return broken.length === 0 ? "all followed" : `not followed: ${broken.join(", ")}`;
}
