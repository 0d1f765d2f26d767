import type { Effort } from "./effort.js";
import type { WorkspaceState } from "./environment.js";
import type { ScoreMeter } from "./evaluator.js";
import type { Example, Turn } from "./example.js";
import type { FaultSource, InjectedFault, StressArm } from "./faults.js";
import type { Limits } from "./price.js";
import { describeValue } from "./shape.js";
import { findClosestName } from "./suggest.js";
import type { Trajectory } from "./trajectory.js";

/** Billed tokens by class. The classes are disjoint, except that `reasoning` is part of `output` and `cacheWrite1h` of `cacheWrite`. */
export interface Usage {
  /** Excludes cache reads and writes. */
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  reasoning?: number;
}

export const STOP_REASONS = ["cost_killed", "time_killed", "refused", "truncated"] as const;

/** Why an output ended early. These outputs are graded as usual but never cached. */
export type StopReason = (typeof STOP_REASONS)[number];

/** The output of a system. Every string field that differs from the example's counts as produced text. */
export interface Output {
  response?: string;
  context?: string;
  usage?: Usage;
  costUsd?: number;
  trajectory?: Trajectory;
  /** The answers to several messages of the user, in order; the last one is the response. Absent if there was one message. */
  replies?: readonly string[];
  /** The messages that a simulated user wrote, in order; absent if there was none. */
  userMessages?: readonly string[];
  /** The state of the workspace after the work. */
  workspace?: WorkspaceState;
  /** The states of the workspace after earlier turns of the user, by the number of the turn, where a grader looks at them. */
  turnStates?: Readonly<Record<string, WorkspaceState>>;
  stopped?: StopReason;
  /** Seconds of work, from a system that knows better than the caller's clock, such as a recording; null if not measured. */
  latency?: number | null;
  ttftMs?: number;
  firstAttemptMs?: number;
  successAtMs?: number;
  /** Number of turns taken. A list of turns is one copied from the example, not a measurement. */
  turns?: number | Turn[];
  tokensPerSec?: number;
  /** True if usage or cost is known to be incomplete. */
  partial?: boolean;
  /** Faults that were injected into its model calls. */
  faults?: readonly InjectedFault[];
  /** How sure the system says it is that its answer is right, in [0, 1]. */
  confidence?: number;
  /** The order of choices that the system saw, as positions in the dataset file, if it differs from the example's. */
  choice_order?: readonly number[];
  /** Copied to the row unchanged. */
  metadata?: Record<string, unknown>;
  [key: string]: unknown;
}

/** Why changes of a workspace are missing; undefined if all are recorded. */
export function findMissingChanges({ workspace, turnStates = {} }: Output): string | undefined {
  return [workspace, ...Object.values(turnStates)].find((state) => state?.incomplete !== undefined)?.incomplete;
}

/** The cost of a trial so far. Mutable and reused; copy it if you need to keep it. */
export interface Bill {
  readonly costUsd: number;
  /** Never becomes false again. */
  readonly exceeded: boolean;
}

/** What an external meter with its own prices, such as the gateway, has counted for a trial so far. */
export interface MeteredTotal {
  readonly usage: Readonly<Usage>;
  /** Null if a price is unknown. */
  readonly costUsd: number | null;
  /** True while part of it is estimated. */
  readonly isEstimated: boolean;
}

/** The running cost of one trial and its limit. */
export interface TrialBudget {
  /**
   * Adds usage since the last call and discards earlier estimates. `promptTokens` is the length of the whole prompt, for
   * models whose price depends on it; `service` is the service tier that the provider reports, if any.
   */
  add(usage: Usage, promptTokens?: number, service?: string | null): Bill;
  /** Holds a provisional token count of the streamed and sent text until the next `add`. */
  estimate(outputTokens: number, inputTokens?: number): Bill;
  /** Replaces everything added and estimated here with the total of an external meter. */
  report(total: MeteredTotal): Bill;
  readonly bill: Bill;
  /** The sum of all added usage. */
  readonly usage: Readonly<Required<Usage>>;
  /** The first cost that exceeded the limit; 0 if none has. */
  readonly costKilledAt: number;
  /** True while part of the cost is estimated. */
  readonly isEstimated: boolean;
  /** True if there is a price, so that a cost of 0 means free. */
  readonly isPriced: boolean;
  /** Maximum cost of one trial; 0 for no limit. */
  readonly maxCostUsd: number;
}

/** The final cost of a trial. */
export type TrialBill = Pick<
  TrialBudget,
  "bill" | "usage" | "costKilledAt" | "isEstimated" | "isPriced" | "maxCostUsd"
>;

/** What a system knows about the trial it runs. */
export interface TrialContext {
  signal: AbortSignal;
  budget: TrialBudget | null;
  trial: number;
  seed: number;
  log: (message: string) => void;
  /**
   * For systems that work in phases: runs a timed phase; several add up. Setup and cleanup around it count neither toward
   * the trial's duration nor its time limit.
   */
  timed?: <T>(work: () => Promise<T>) => Promise<T>;
  /** For systems that work in phases: runs a task after the trial and its scoring, however it ends. */
  atEnd?: (task: () => void | Promise<void>) => void;
  /** Faults to inject into its model calls, for systems with `takesFaults`; absent for none. */
  faults?: FaultSource;
  /** Takes what a simulated user costs, which is not part of what the system costs. */
  userMeter?: ScoreMeter;
  /** Whether the trial would pass if it ended now; absent if running trials cannot be scored. */
  passes?: (soFar: Output) => Promise<boolean>;
}

/**
 * A system under test.
 * @example
 * const shout: System = { name: "shout", process: (example) => ({ response: example.question?.toUpperCase() ?? "" }) };
 */
export interface System<Name extends string = string> {
  readonly name: Name;
  process(example: Example, trial: TrialContext): Output | Promise<Output>;
  /** Identifies the system's work in the cache; see `computeFingerprint` for the default. */
  fingerprint?(): unknown;
  /** The model it calls, by the provider's name. */
  readonly model?: string;
  /** What runs the model: the name of an agent, or `api` for direct calls. Results are never pooled across harnesses. */
  readonly harness?: string;
  /** How much its model thinks, where it was set. */
  readonly effort?: Effort;
  /** True if it replays recorded outputs that were paid for earlier. */
  readonly isRecorded?: boolean;
  /** Its price and limits, if known; enforced for every trial. */
  readonly limits?: Limits;
  /**
   * Host and account it calls. Systems with the same endpoint share a concurrency limit that adapts to rate limits. Without
   * one, only the number of workers limits its calls.
   */
  readonly endpoint?: string;
  /** The endpoint as shown to users. Default: the part of `endpoint` before the first space. */
  readonly endpointName?: string;
  /** The name of the prompt it was made with, where several are compared. */
  readonly prompt?: string;
  /**
   * The texts that it sends for an example, if they are not its context, question and turns: for estimates of tokens and
   * cost. Such a system also takes examples that have neither context nor question.
   */
  listInputTexts?(example: Example): readonly string[];
  /**
   * The most tokens that it sends for the images and files of an example; null if that cannot be known. Absent if it sends
   * none.
   */
  countFileTokens?(example: Example): number | null;
  /** True for examples that it is not run on. Default: none. */
  skips?(example: Example): boolean;
  /** Called for each example before the run. Throw to end the run, for example if the system cannot offer a skill. */
  checkExample?(example: Example): void;
  /** True if its model calls pass through a gateway that injects the `faults` of a trial. */
  readonly takesFaults?: boolean;
  /** The arm of a stress test that it is; absent for all other systems. */
  readonly arm?: StressArm;
  /** True if it does setup and cleanup around its work: its trials get `timed` and `atEnd`. */
  readonly worksInPhases?: boolean;
  /** Maximum number of its trials at a time; systems of one endpoint share the smallest value. */
  readonly maxParallel?: number;
  /** How long a trial may take to end after it is told to stop. Default: 2 s. */
  readonly graceMs?: number;
  /** A trivial task that shows whether it can work at all. If it fails, its trials are not run. */
  readonly canary?: Canary;
  /** Releases resources. The creator of a system closes it; `evaluate()` does not. */
  close?(): Promise<void>;
}

/** A trivial task, run before the trials of a system. */
export interface Canary {
  readonly example: Example;
  /** Its example for a run whose first example is this one. Default: the same for all. */
  adapt?(first: Example): Example;
  /** Why an output shows that the system cannot work, as the end of a sentence; null if it can. */
  findProblem(output: Output): string | null;
  /** True to run it before any number of trials. Default: before ten or more. */
  readonly isAlways?: boolean;
}

/** What an output may have instead of text: the work of an agent, or a stop before any text. */
const NON_TEXT_FIELDS = ["trajectory", "workspace", "tool_calls", "stopped"];

/** Names that other tools use for `response`. */
const RESPONSE_SYNONYMS = new Set(
  "output text answer content completion result message reply generation prediction final_answer finaloutput".split(
    " ",
  ),
);

/**
 * Describes a problem with an output or a recorded one, as the end of a sentence; null if there is none.
 * A null response counts as empty.
 */
export function findOutputProblem(fields: Readonly<Record<string, unknown>>): string | null {
  const { response, context } = fields;
  const isThere = response !== undefined || context != null || NON_TEXT_FIELDS.some((field) => fields[field] != null);
  if (!isThere) return `has neither a "response" nor a "context"${describeOutputFields(fields)}`;
  if (response != null && typeof response !== "string") return `has ${describeValue(response)} as its "response"`;
  if (context != null && typeof context !== "string") return `has ${describeValue(context)} as its "context"`;
  return null;
}

function describeOutputFields(fields: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(fields);
  if (names.length === 0) return " and no other field";
  const shown = names.map((name) => (fields[name] === undefined ? `"${name}" (undefined)` : `"${name}"`));
  return `, only ${shown.join(", ")}${suggestOutputField(names)}`;
}

function suggestOutputField(names: readonly string[]): string {
  // Searches from the end: fields copied from the example come first, and its own `answer` is not meant.
  const synonym = names.findLast((name) => RESPONSE_SYNONYMS.has(name.toLowerCase()));
  if (synonym !== undefined) return ` (did you mean "response" instead of "${synonym}"?)`;
  for (const name of names) {
    const meant = findClosestName(name, ["response", "context"]);
    if (meant !== undefined && meant !== name) return ` (did you mean "${meant}" instead of "${name}"?)`;
  }
  return "";
}

/**
 * Counts the tokens of a text.
 * @example
 * const words: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
 */
export interface Tokenizer {
  readonly name?: string;
  count(text: string): number;
  /**
   * Counts a long text in pieces that add up to its count, so that other work can run in between. Without it, every text
   * is counted at once.
   */
  countPieces?(text: string): Iterable<number>;
}
