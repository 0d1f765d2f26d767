import {
  asksForReaching,
  type EvalResult,
  EXIT,
  type GateVerdict,
  getErrorMessage,
  type RunVerdict,
  type SequentialAnswer,
  type SequentialReport,
} from "../core/index.js";
import { formatPlural, summarizeSequential } from "../report/index.js";
import { applyGates, type GateJudgment, type Gates } from "./gates.js";

export interface JudgeOptions {
  gates: Gates;
  /** Exit code after an interrupt; null if there was none. */
  stopCode: number | null;
  /** Applies gates that do not come from flags. */
  judge?: ((result: EvalResult) => GateJudgment) | undefined;
}

/** How a run ends: what all reports of it say, and its exit code. */
export interface RunJudgment {
  verdict: RunVerdict;
  /** The gates from flags. */
  gates: readonly GateVerdict[];
  /** What failed, one gate each. */
  messages: readonly string[];
  /** A gate that cannot be checked; thrown after the reports are written. */
  problem?: Error;
}

/** A run that may stop early has answered its question, or not. A failed gate or too few scored trials decide first. */
export function judgeRun(result: EvalResult, options: JudgeOptions): RunJudgment {
  const judged = judgeGates(result, options);
  const isEnded = options.stopCode !== null || judged.problem !== undefined;
  return isEnded ? judged : { ...judged, verdict: addSequentialVerdict(judged.verdict, result) };
}

/** Without the answer to the question of the run, for reports that give it themselves. */
export function judgeGates(result: EvalResult, { gates, stopCode, judge }: JudgeOptions): RunJudgment {
  if (stopCode !== null) {
    const done = result.rows.filter(({ outcome }) => outcome !== "skipped").length;
    const words = `interrupted after ${done} of ${formatPlural(result.rows.length, "trial")}`;
    return { verdict: { exitCode: stopCode, words }, gates: [], messages: [] };
  }
  try {
    return combineJudgments(result, applyGates(result, gates), judge?.(result) ?? NO_GATES);
  } catch (problem) {
    const { exitCode = EXIT.infrastructure } = problem as { exitCode?: number };
    const words = `a gate could not be checked: ${getErrorMessage(problem)}`;
    return { verdict: { exitCode, words }, gates: [], messages: [], problem: problem as Error };
  }
}

function addSequentialVerdict(verdict: RunVerdict, { sequential }: EvalResult): RunVerdict {
  if (sequential === null) return verdict;
  const words = summarizeSequential(sequential);
  const isFirst = verdict.exitCode !== EXIT.fine;
  const gates = verdict.words === NO_GATES_WORDS ? "" : `${verdict.words}; `;
  return { exitCode: isFirst ? verdict.exitCode : chooseSequentialExit(sequential), words: `${gates}${words}` };
}

/** As for `assay migrate`: 1 if the answer is no, 3 if there is none. */
export function chooseSequentialExit({ findings, isDecided, ...asked }: SequentialReport): number {
  const has = (answer: SequentialAnswer) => findings.some((finding) => finding.answer === answer);
  if (asked.margin !== undefined) {
    if (has("non-inferior")) return EXIT.fine;
    return isDecided ? EXIT.gateFailed : EXIT.infrastructure;
  }
  if (has(asksForReaching(asked) ? "missed" : "reached")) return EXIT.gateFailed;
  return isDecided ? EXIT.fine : EXIT.infrastructure;
}

const NO_GATES_WORDS = "no gates";

const NO_GATES: GateJudgment = { exitCode: EXIT.fine, messages: [] };

/** Gates from flags decide first. */
function combineJudgments({ rows }: EvalResult, ofFlags: GateJudgment, ofFiles: GateJudgment): RunJudgment {
  const exitCode = ofFlags.exitCode === EXIT.fine ? ofFiles.exitCode : ofFlags.exitCode;
  const messages = [...ofFlags.messages, ...ofFiles.messages];
  const gates = ofFlags.verdicts ?? [];
  const checked = gates.length + (ofFiles.checked ?? 0);
  const words = describeVerdict({ exitCode, messages, checked, hasRun: rows.some(({ passed }) => passed !== null) });
  return { verdict: { exitCode, words }, gates, messages };
}

interface JudgedRun {
  exitCode: number;
  messages: readonly string[];
  /** Number of gates. */
  checked: number;
  /** False if no trial has a verdict. */
  hasRun: boolean;
}

function describeVerdict({ exitCode, messages, checked, hasRun }: JudgedRun): string {
  if (exitCode === EXIT.gateFailed) return `${messages.length} of ${formatPlural(checked, "gate")} failed`;
  if (!hasRun) return "no trial has a verdict";
  if (exitCode !== EXIT.fine) return "too few trials were scored";
  return checked === 0 ? NO_GATES_WORDS : "all gates passed";
}
