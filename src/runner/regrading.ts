import type { Output, TrialStats } from "../core/index.js";
import { type EvalRow, hasOutput, type TrialKey } from "../core/index.js";
import { findTrial, type Trial } from "./admit.js";
import { BudgetGate } from "./budget-gate.js";
import type { Plan } from "./plan.js";
import { getRowGroup } from "./plan.js";
import type { RunBudgetPort } from "./ports.js";
import { toRegradedRow } from "./record.js";
import type { RowCollector } from "./row-collector.js";

import { type Graded, SCORING_COST_NOTE, scoreOutput, UNDECIDED_NOTE_PREFIX } from "./score.js";

/** What a system returned in a trial of an earlier run. */
export interface RecordedOutput extends TrialKey {
  output: Output;
}

/** The index of a trial in the plan; undefined if the plan does not contain it. */
type TrialIndexLookup = (trial: TrialKey) => number | undefined;

/** How long evaluators may continue after grading was stopped. */
const GRACE_MS = 2000;

const GIVEN_UP_GRADE: Graded = {
  scores: {},
  measures: {},
  primaryField: null,
  evidence: null,
  grades: null,
  notes: ["an evaluator failed: its promise never settled"],
  spent: null,
  complete: false,
};

export interface RegradingOptions {
  plan: Plan;
  collector: RowCollector;
  indexOf: TrialIndexLookup;
  /** The evaluators that scored the rows before. */
  formerEvaluators: readonly string[];
  rows: readonly EvalRow[];
  signal: AbortSignal;
  /** The budget for grading; null if unlimited. */
  budget: RunBudgetPort | null;
}

interface GradingTask {
  trial: Trial;
  row: EvalRow;
}

/** Scores the outputs of stored rows with the evaluators of a plan. */
export class Regrading {
  graded = 0;
  readonly #parts: RegradingOptions;
  readonly #indexOf: TrialIndexLookup;
  /** Rows whose output has not been read yet, by their index in the plan. */
  readonly #waiting = new Map<number, EvalRow>();
  /** How evaluator notes begin. */
  readonly #graderNotes: readonly string[];
  readonly #unsettled = new Set<() => void>();
  readonly #budgetGate: BudgetGate;
  #strangers = 0;
  #isSpent = false;

  constructor(parts: RegradingOptions) {
    this.#parts = parts;
    this.#indexOf = parts.indexOf;
    this.#graderNotes = [
      ...parts.formerEvaluators.map((name) => `${name} `),
      "no evaluators",
      SCORING_COST_NOTE,
      // As earlier versions wrote it.
      "what scoring has cost",
      UNDECIDED_NOTE_PREFIX,
    ];
    const { collector, budget, signal } = parts;
    this.#budgetGate = new BudgetGate(budget, signal, {
      tokens: collector.tokens,
      isStored: () => true,
      reserve: (trial, reservation) => collector.reserve(trial, reservation),
      settle: (trial, usd, why) => collector.settle(trial, usd, why),
    });
    for (const row of parts.rows) this.#sort(row);
  }

  /** Rows without an output are kept unchanged; their own run paid for them. */
  #sort(row: EvalRow): void {
    const index = this.#indexOf(row);
    if (index === undefined) this.#strangers += 1;
    else if (this.#parts.collector.has(index)) return;
    else if (hasOutput(row)) this.#waiting.set(index, row);
    else if (row.outcome === "error")
      this.#parts.collector.record(
        { index },
        { row: { ...row, cached: true, judgeCostUsd: null }, output: null, evidence: null, grades: null },
      );
  }

  async run(outputs: Iterator<RecordedOutput> & Iterable<RecordedOutput>, maxWorkers: number): Promise<void> {
    const { collector, signal } = this.#parts;
    const worker = async () => {
      for (const stored of { [Symbol.iterator]: () => ({ next: () => outputs.next() }) }) {
        if (signal.aborted || this.#isSpent) return;
        const found = this.#find(stored);
        if (found === null) continue;
        if (!(await this.#budgetGate.admit(found.trial, found.trial.system.limits ?? null))) {
          this.#isSpent ||= !signal.aborted;
          return;
        }
        await this.#grade(found, stored.output);
        await collector.waitForWrite();
      }
    };
    process.on("beforeExit", this.#giveUp);
    const giveUpSoon = () => void setTimeout(this.#giveUp, GRACE_MS).unref();
    signal.addEventListener("abort", giveUpSoon, { once: true });
    try {
      await Promise.all(Array.from({ length: maxWorkers }, worker));
    } finally {
      this.#budgetGate.release();
      process.off("beforeExit", this.#giveUp);
      signal.removeEventListener("abort", giveUpSoon);
    }
  }

  /** Gives up when nothing else can settle the promise: the process is idle, or was stopped a while ago. */
  async #score(trial: Parameters<typeof scoreOutput>[0], output: Output, figures: TrialStats): Promise<Graded> {
    let settle = () => {};
    const givenUp = new Promise<Graded>((resolve) => {
      settle = () => resolve(GIVEN_UP_GRADE);
    });
    this.#unsettled.add(settle);
    try {
      return await Promise.race([scoreOutput(trial, output, { signal: this.#parts.signal, figures }), givenUp]);
    } finally {
      this.#unsettled.delete(settle);
    }
  }

  readonly #giveUp = () => {
    for (const settle of this.#unsettled) settle();
  };

  /** The trial and row of an output to grade; null if it is not to be graded. */
  #find(stored: RecordedOutput): GradingTask | null {
    const index = this.#indexOf(stored);
    const row = index === undefined ? undefined : this.#waiting.get(index);
    if (index === undefined || row === undefined || "notRecorded" in stored.output) return null;
    const trial = findTrial(this.#parts.plan, index);
    return trial === null ? null : { trial, row };
  }

  async #grade({ trial, row }: GradingTask, output: Output): Promise<void> {
    const { plan, collector, signal } = this.#parts;
    const { datasetPlan, example, index } = trial;
    const graded = await this.#score(trial, output, row);
    // An evaluator that was stopped has not failed.
    const wasCut = signal.aborted && !graded.complete;
    const isLost = wasCut && !collector.keepsCall(trial, "judge");
    this.#budgetGate.settleGrading(trial, isLost ? null : (graded.spent?.costUsd ?? 0));
    if (wasCut) return;
    const { threshold } = plan;
    const notes = row.notes.filter((note) => !this.#graderNotes.some((start) => note.startsWith(start)));
    const facets = datasetPlan.facets?.read(example) ?? null;
    const group = getRowGroup(datasetPlan, example);
    const isEvaluated = datasetPlan.evaluators.length > 0;
    const regraded = toRegradedRow(row, { graded, threshold, isEvaluated, notes, facets, group });
    collector.record({ index }, { row: regraded, output, evidence: graded.evidence, grades: graded.grades });
    this.#waiting.delete(index);
    this.graded += 1;
  }

  listNotes(): string[] {
    const notes: string[] = [];
    if (this.#isSpent && this.#waiting.size > 0)
      return [`budget stopped: ${this.#waiting.size} outputs were not judged`];
    if (this.#strangers > 0) notes.push(`rows whose examples are no longer in the dataset: ${this.#strangers}`);
    const lost = this.#parts.signal.aborted ? 0 : this.#waiting.size;
    if (lost > 0) notes.push(`outputs that could not be graded because the run did not record them: ${lost}`);
    return notes;
  }
}
