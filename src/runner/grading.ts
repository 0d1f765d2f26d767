import type { TrialFigures } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { type EvalRow, hasOutput, type TrialKey } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { Ledger } from "./ledger.js";
import type { Plan } from "./plan.js";
import { regradedRow } from "./record.js";
import { rowGroup } from "./row-group.js";
import { type Graded, score, UNDECIDED } from "./score.js";
import type { Wiring } from "./wiring.js";

/** What a system returned in a trial of an earlier run. */
export interface RecordedOutput extends TrialKey {
  output: Output;
}

/** Where a trial stands in the plan; undefined when it is none of it. */
type PlaceOf = (trial: TrialKey) => number | undefined;

/** How long evaluators may go on after the grading was told to stop. */
const GRACE_MS = 2000;

const GIVEN_UP: Graded = {
  scores: {},
  measures: {},
  primaryField: null,
  evidence: null,
  grades: null,
  notes: ["an evaluator failed: nothing is left that could settle the promise it waits for"],
  spent: null,
  complete: false,
};

export interface GradingParts {
  plan: Plan;
  ledger: Ledger;
  indexOf: PlaceOf;
  /** The evaluators that have scored the rows before. */
  formerEvaluators: readonly string[];
  rows: readonly EvalRow[];
  signal: AbortSignal;
  maxCostUsd: number | null;
}

/** Takes stored rows, and the outputs they speak of, through the evaluators of a plan. */
export class Grading {
  graded = 0;
  readonly #parts: GradingParts;
  readonly #indexOf: PlaceOf;
  /** Rows whose output is still to come, by their place in the plan. */
  readonly #waiting = new Map<number, EvalRow>();
  /** How the notes of evaluators begin. */
  readonly #graderNotes: readonly string[];
  readonly #unsettled = new Set<() => void>();
  #strangers = 0;
  #spentUsd = 0;

  constructor(parts: GradingParts) {
    this.#parts = parts;
    this.#indexOf = parts.indexOf;
    this.#graderNotes = [
      ...parts.formerEvaluators.map((name) => `${name} `),
      "no evaluators",
      "what scoring has cost",
      UNDECIDED,
    ];
    for (const row of parts.rows) this.#sort(row);
  }

  /** Rows without an output stand as they are. */
  #sort(row: EvalRow): void {
    const index = this.#indexOf(row);
    if (index === undefined) this.#strangers += 1;
    else if (this.#parts.ledger.has(index)) return;
    else if (hasOutput(row)) this.#waiting.set(index, row);
    else if (row.outcome === "error")
      this.#parts.ledger.record({ index }, { row, output: null, evidence: null, grades: null });
  }

  async run(outputs: Iterator<RecordedOutput> & Iterable<RecordedOutput>, maxWorkers: number): Promise<void> {
    const { ledger, signal } = this.#parts;
    const worker = async () => {
      for (const stored of { [Symbol.iterator]: () => ({ next: () => outputs.next() }) }) {
        if (signal.aborted || this.#isSpent) return;
        await this.#grade(stored);
        await ledger.written();
      }
    };
    process.on("beforeExit", this.#giveUp);
    const giveUpSoon = () => void setTimeout(this.#giveUp, GRACE_MS).unref();
    signal.addEventListener("abort", giveUpSoon, { once: true });
    try {
      await Promise.all(Array.from({ length: maxWorkers }, worker));
    } finally {
      process.off("beforeExit", this.#giveUp);
      signal.removeEventListener("abort", giveUpSoon);
    }
  }

  /** Gives up when nothing else will settle it: the process has nothing left to wait for, or was told to stop a while ago. */
  async #score(trial: Parameters<typeof score>[0], output: Output, figures: TrialFigures): Promise<Graded> {
    let settle = () => {};
    const givenUp = new Promise<Graded>((resolve) => {
      settle = () => resolve(GIVEN_UP);
    });
    this.#unsettled.add(settle);
    try {
      return await Promise.race([score(trial, output, { signal: this.#parts.signal, figures }), givenUp]);
    } finally {
      this.#unsettled.delete(settle);
    }
  }

  readonly #giveUp = () => {
    for (const settle of this.#unsettled) settle();
  };

  async #grade(stored: RecordedOutput): Promise<void> {
    const { plan, ledger, signal } = this.#parts;
    const index = this.#indexOf(stored);
    const row = index === undefined ? undefined : this.#waiting.get(index);
    if (index === undefined || row === undefined || "notRecorded" in stored.output) return;
    const { wiring, example } = trialAt(plan, index);
    const graded = await this.#score({ wiring, example }, stored.output, row);
    // An evaluator that was told to stop has not failed.
    if (signal.aborted && !graded.complete) return;
    const { threshold } = plan;
    const notes = row.notes.filter((note) => !this.#graderNotes.some((start) => note.startsWith(start)));
    const facets = wiring.facets?.of(example) ?? null;
    const group = rowGroup(wiring, example);
    const isEvaluated = wiring.evaluators.length > 0;
    const regraded = regradedRow(row, { graded, threshold, isEvaluated, notes, facets, group });
    ledger.record(
      { index },
      { row: regraded, output: stored.output, evidence: graded.evidence, grades: graded.grades },
    );
    this.#waiting.delete(index);
    this.#spentUsd += graded.spent?.costUsd ?? 0;
    this.graded += 1;
  }

  get #isSpent(): boolean {
    const { maxCostUsd } = this.#parts;
    return maxCostUsd !== null && this.#spentUsd >= maxCostUsd;
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.#isSpent && this.#waiting.size > 0)
      return [`budget stopped: ${this.#waiting.size} outputs were not judged`];
    if (this.#strangers > 0) notes.push(`rows of the run whose examples are not there any more: ${this.#strangers}`);
    const lost = this.#parts.signal.aborted ? 0 : this.#waiting.size;
    if (lost > 0) notes.push(`outputs that the run has not recorded, so that they could not be graded: ${lost}`);
    return notes;
  }
}

function trialAt(plan: Plan, index: number): { wiring: Wiring; example: Example } {
  const exampleIndex = Math.floor(index / plan.trials) % plan.examples.length;
  const wiring = plan.wirings[plan.wiringOf[exampleIndex] ?? 0];
  const example = plan.examples[exampleIndex];
  if (wiring === undefined || example === undefined) throw new RangeError("A trial of the plan has lost its example.");
  return { wiring, example };
}
