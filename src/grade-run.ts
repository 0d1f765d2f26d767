import type { Dataset } from "./core/dataset.js";
import { RunFolderError } from "./core/errors.js";
import type { Evaluator } from "./core/evaluator.js";
import type { Example, ExampleSource } from "./core/example.js";
import type { Metric } from "./core/metric.js";
import type { EvalResult } from "./core/result.js";
import { type EvalRow, hasOutput } from "./core/row.js";
import type { Output, System } from "./core/system.js";
import {
  checkMetrics,
  configOf,
  DEFAULT_WORKERS,
  prepareEvaluators,
  progressTo,
  storedSummary,
  timingOf,
} from "./evaluate.js";
import { lastOfEach } from "./load-run.js";
import { standardMetrics } from "./metrics/index.js";
import { RunResult } from "./result.js";
import { Ledger } from "./runner/ledger.js";
import { describeDatasets, makePlan, type Plan, requireCount } from "./runner/plan.js";
import type { Progress } from "./runner/ports.js";
import { regradedRow } from "./runner/record.js";
import { type Graded, score } from "./runner/score.js";
import type { Wiring } from "./runner/wiring.js";
import { readManifest, readRows } from "./store/journal.js";
import type { Manifest } from "./store/manifest.js";
import { openRun, type RowFinder, rowFinder } from "./store/open-run.js";
import { readOutputs, type StoredOutput } from "./store/outputs.js";

export interface GradeOptions {
  /** The examples that the run was made with. */
  datasets: readonly (ExampleSource | Dataset)[];
  /** Used for every dataset; left out, each dataset's own are. */
  evaluators?: readonly Evaluator[];
  metrics?: readonly Metric[];
  /** The field that decides pass or fail; left out, each dataset's primary field. */
  scoreField?: string;
  /** Left out: that of the run. */
  threshold?: number;
  /** Take a dataset that is not the one the run was made with, such as one with corrected answers. */
  allowChanged?: boolean;
  /** What judging may cost: no more outputs are scored when it is spent. */
  maxCostUsd?: number;
  /** Outputs at a time; 8 unless given. */
  maxWorkers?: number;
  /** Where the new run goes; left out, it is not kept. */
  runsDir?: string;
  /** A graded run that was stopped: what it has is kept. */
  resume?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onNote?: (note: string) => void;
  /** Kept in the new run's manifest. */
  invocation?: unknown;
}

/**
 * Scores the outputs of a stored run again, calling no system. The result is a new run that names the old one as its
 * parent; everything that was measured is taken over.
 * @example
 * const result = await gradeRun(".assay/runs/20261115-213334-gsm8k", { datasets: [dataset], evaluators: [new MathEquivalence()] });
 */
export async function gradeRun(dir: string, options: GradeOptions): Promise<EvalResult> {
  const parent = readManifest(dir);
  const { config: before } = parent;
  const metrics = checkMetrics(options.metrics ?? standardMetrics(before.systems.length, options.datasets.length));
  const { signal = new AbortController().signal, maxWorkers = DEFAULT_WORKERS } = options;
  requireCount("maxWorkers", maxWorkers);
  const plan = await makePlan({
    systems: before.systems.map((name) => storedSystem(name, parent)),
    datasets: options.datasets,
    metrics,
    trials: before.trials,
    seed: before.seed,
    threshold: options.threshold ?? before.threshold,
    ...(options.evaluators === undefined ? {} : { evaluators: options.evaluators }),
    ...(options.scoreField === undefined ? {} : { scoreField: options.scoreField }),
  });
  const notes = [`graded again from the outputs of ${parent.runId}`, ...plan.notes];
  notes.push(...sameExamples(plan, parent, options.allowChanged === true));
  const title = `${before.title.replace(GRADED, "")}${GRADED_AGAIN}`;
  const config = { ...configOf(plan, { metrics, tokenizer: { count: () => 0 }, title }), tokenizer: before.tokenizer };
  const rows = lastOfEach(readRows(dir));
  // Made while all examples are there: those of rows that a resumed grading has already are let go of at once.
  const indexOf = rowFinder(plan);
  requireKnown(rows, indexOf, parent);
  await prepareEvaluators(plan);
  const store = openRun(plan, config, { ...options, parent: { runId: parent.runId } });
  const startedAt = new Date();
  try {
    for (const note of store.notes) options.onNote?.(note);
    const ports = {
      clock: () => performance.now(),
      tokenizer: { count: () => 0 },
      sink: store.journal,
      onProgress: progressTo(options.onProgress, notes) ?? null,
    };
    const ledger = new Ledger(plan, ports, store.earlier);
    const grading = new Grading({
      plan,
      ledger,
      indexOf,
      parent,
      rows,
      signal,
      maxCostUsd: options.maxCostUsd ?? null,
    });
    await grading.run(readOutputs(dir), maxWorkers);
    const graded = ledger.close();
    notes.push(...grading.notes());
    const timing = timingOf(startedAt, { trials: grading.graded, cachedTrials: 0 });
    const runDir = store.journal?.dir ?? null;
    const result = new RunResult({ rows: graded, metrics, config, timing, runDir, notes });
    store.journal?.writeSummary(storedSummary(result));
    return result;
  } finally {
    store.journal?.close();
  }
}

/** A run that would grade nothing is a mistake in what was named. */
function requireKnown(rows: readonly EvalRow[], indexOf: RowFinder, { runId, config }: Manifest): void {
  if (rows.some((row) => indexOf(row) !== undefined)) return;
  const names = config.datasets.map(({ name }) => name || "examples").join(", ");
  throw new RunFolderError(
    `None of the examples is one that ${runId} was made with (${names}). They are told apart by their dataset's name and their id.`,
  );
}

const GRADED_AGAIN = ", graded again";
const GRADED = new RegExp(`${GRADED_AGAIN}$`);

/** A system that is known by what it did. */
function storedSystem(name: string, { systems }: Manifest): System {
  const record = systems[name];
  return {
    name,
    isRecorded: true,
    process: () => ({}),
    fingerprint: () => record?.fingerprint ?? name,
    ...(record?.model === undefined ? {} : { model: record.model }),
    ...(record?.limits === undefined ? {} : { limits: record.limits }),
  };
}

/** Outputs answer the examples they were made for: others are taken only when they are asked for. */
function sameExamples(plan: Plan, { config, runId }: Manifest, allowChanged: boolean): string[] {
  return describeDatasets(plan).flatMap(({ name, fingerprint }) => {
    const before = config.datasets.find((dataset) => dataset.name === name);
    if (before?.fingerprint === fingerprint) return [];
    const shown = name || "the dataset";
    if (before === undefined && config.datasets.length > 0 && !allowChanged)
      throw new RunFolderError(
        `${runId} was not run on ${shown}, but on ${config.datasets.map((dataset) => dataset.name).join(", ")}.`,
      );
    if (!allowChanged)
      throw new RunFolderError(
        `${shown} is not what it was when ${runId} was made. To grade its outputs by the examples of now, name them: --dataset FILE (allowChanged: true).`,
      );
    return [`${shown} is not what it was when ${runId} was made: its outputs are graded by the examples of now`];
  });
}

/** How long evaluators may go on after the grading was told to stop. */
const GRACE_MS = 2000;

const GIVEN_UP: Graded = {
  scores: {},
  primaryField: null,
  evidence: null,
  notes: ["an evaluator failed: nothing is left that could settle the promise it waits for"],
  spent: null,
  complete: false,
};

interface GradingParts {
  plan: Plan;
  ledger: Ledger;
  indexOf: RowFinder;
  parent: Manifest;
  rows: readonly EvalRow[];
  signal: AbortSignal;
  maxCostUsd: number | null;
}

/** Takes stored rows, and the outputs they speak of, through the evaluators of a plan. */
class Grading {
  graded = 0;
  readonly #parts: GradingParts;
  readonly #indexOf: RowFinder;
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
    const names = new Set(parts.parent.config.datasets.flatMap(({ evaluators }) => Object.keys(evaluators)));
    this.#graderNotes = [...Array.from(names, (name) => `${name} `), "no evaluators", "what scoring has cost"];
    for (const row of parts.rows) this.#sort(row);
  }

  /** Rows without an output stand as they are. */
  #sort(row: EvalRow): void {
    const index = this.#indexOf(row);
    if (index === undefined) this.#strangers += 1;
    else if (this.#parts.ledger.has(index)) return;
    else if (hasOutput(row)) this.#waiting.set(index, row);
    else if (row.outcome === "error") this.#parts.ledger.record({ index }, { row, output: null, evidence: null });
  }

  async run(outputs: Iterator<StoredOutput> & Iterable<StoredOutput>, maxWorkers: number): Promise<void> {
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
  async #score(trial: Parameters<typeof score>[0], output: Output): Promise<Graded> {
    let settle = () => {};
    const givenUp = new Promise<Graded>((resolve) => {
      settle = () => resolve(GIVEN_UP);
    });
    this.#unsettled.add(settle);
    try {
      return await Promise.race([score(trial, output, this.#parts.signal), givenUp]);
    } finally {
      this.#unsettled.delete(settle);
    }
  }

  readonly #giveUp = () => {
    for (const settle of this.#unsettled) settle();
  };

  async #grade(stored: StoredOutput): Promise<void> {
    const { plan, ledger, signal } = this.#parts;
    const index = this.#indexOf(stored);
    const row = index === undefined ? undefined : this.#waiting.get(index);
    if (index === undefined || row === undefined || "notRecorded" in stored.output) return;
    const { wiring, example } = trialAt(plan, index);
    const graded = await this.#score({ wiring, example }, stored.output);
    // An evaluator that was told to stop has not failed.
    if (signal.aborted && !graded.complete) return;
    const { threshold } = plan;
    const notes = row.notes.filter((note) => !this.#graderNotes.some((start) => note.startsWith(start)));
    const regraded = regradedRow(row, { graded, threshold, isEvaluated: wiring.evaluators.length > 0, notes });
    ledger.record({ index }, { row: regraded, output: stored.output, evidence: graded.evidence });
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
  if (wiring === undefined || example == null) throw new RunFolderError("A trial of the plan has lost its example.");
  return { wiring, example };
}
