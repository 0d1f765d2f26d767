import { createHash } from "node:crypto";
import type { Dataset } from "../core/dataset.js";
import { DatasetError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example, ExampleSource } from "../core/example.js";
import { digest, fingerprintOf } from "../core/fingerprint.js";
import type { Metric } from "../core/metric.js";
import type { DatasetConfig } from "../core/result.js";
import { describe, requireShape } from "../core/shape.js";
import type { System } from "../core/system.js";
import { type Wiring, wire } from "./wiring.js";

/** What a run is made of, before anything is spent. */
export interface Plan {
  readonly systems: readonly System[];
  /** Released one by one (set to null) after their last trial, so that a long run's memory does not hold both texts and rows. */
  readonly examples: (Example | null)[];
  /** Which wiring each example belongs to. */
  readonly wiringOf: Uint32Array;
  readonly wirings: readonly Wiring[];
  readonly trials: number;
  readonly seed: number;
  /** "score" means each dataset's own primary field. */
  readonly scoreField: string;
  readonly threshold: number;
  /** Planned trials: systems × examples × trials. */
  readonly total: number;
  readonly notes: readonly string[];
}

export interface PlanOptions {
  systems: readonly System[];
  datasets: readonly (ExampleSource | Dataset)[];
  evaluators?: readonly Evaluator[];
  metrics: readonly Metric[];
  scoreField?: string;
  threshold?: number;
  trials?: number;
  seed?: number;
  skipBadRows?: boolean;
}

export const DEFAULT_THRESHOLD = 0.7;

/** Checks everything that can be checked before a run starts, and lays out its trials. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { trials = 1, seed = 0, threshold = DEFAULT_THRESHOLD, scoreField = "score" } = options;
  requireCount("trials", trials);
  requireThreshold(threshold);
  const systems = checkSystems(options.systems);
  const table = new ExampleTable(options.skipBadRows === true);
  const wirings: Wiring[] = [];
  for (const [index, source] of options.datasets.entries()) {
    const dataset = asDataset(source);
    await table.addAll(dataset, index);
    wirings.push(wire({ dataset, evaluators: options.evaluators, metrics: options.metrics, scoreField }));
  }
  if (table.examples.length === 0) {
    throw new DatasetError("The dataset is empty: there is nothing to run. Check its path, filter and -n.");
  }
  const total = systems.length * table.examples.length * trials;
  return {
    systems,
    examples: table.examples,
    wiringOf: Uint32Array.from(table.wiringOf),
    wirings,
    trials,
    seed,
    scoreField,
    threshold,
    total,
    notes: table.notes(),
  };
}

/** Where a trial's row stands in the result: by system, then example, then trial, whatever order they ran in. */
export function rowIndex(plan: Plan, systemIndex: number, exampleIndex: number, trial: number): number {
  return (systemIndex * plan.examples.length + exampleIndex) * plan.trials + trial;
}

/** What each dataset of a plan holds, identified by content wherever it was read from. */
export function describeDatasets(plan: Plan): DatasetConfig[] {
  const hashes = plan.wirings.map(() => createHash("sha256"));
  const counts = plan.wirings.map(() => 0);
  for (const [index, example] of plan.examples.entries()) {
    const wiring = plan.wiringOf[index] ?? 0;
    hashes[wiring]?.update(`${JSON.stringify(example)}\n`);
    counts[wiring] = (counts[wiring] ?? 0) + 1;
  }
  return plan.wirings.map(({ dataset }, i) => ({
    name: dataset,
    examples: counts[i] ?? 0,
    fingerprint: hashes[i]?.digest("hex") ?? "",
  }));
}

export function requireCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`${name} must be a whole number of at least 1, but is ${describe(value)}.`);
  }
}

function requireThreshold(threshold: number): void {
  if (typeof threshold !== "number" || !(threshold >= 0 && threshold <= 1)) {
    throw new UsageError(
      `The threshold must lie in [0, 1], but is ${describe(threshold)}. Scores are shares, not percentages.`,
    );
  }
}

function checkSystems(systems: readonly System[]): readonly System[] {
  if (!Array.isArray(systems) || systems.length === 0) {
    throw new UsageError("There is no system to measure. Give at least one.");
  }
  const fingerprints = new Map<string, string>();
  for (const system of systems) {
    requireShape<System>("A system", system, ["process"]);
    const fingerprint = fingerprintOf(system, "process");
    const other = fingerprints.get(system.name);
    if (other !== undefined) {
      const same = other === fingerprint ? "the same system given twice" : "two different systems";
      throw new UsageError(
        `Two systems have the name "${system.name}" (${same}). Rows are told apart by name: rename one.`,
      );
    }
    fingerprints.set(system.name, fingerprint);
  }
  return systems;
}

interface SourceDataset {
  name: string;
  source: ExampleSource;
  evaluators?: readonly Evaluator[];
  primaryField?: string;
  notes?: readonly string[];
}

function asDataset(source: ExampleSource | Dataset): SourceDataset {
  if (typeof source !== "object" || source === null || !(Symbol.iterator in source || Symbol.asyncIterator in source)) {
    throw new UsageError(
      `The dataset must be an array, an iterable or an async iterable of examples, but is ${describe(source)}.`,
    );
  }
  if (!("examples" in source)) return { name: "", source };
  const { name, evaluators, primaryField, notes } = source;
  return {
    name,
    source,
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(primaryField === undefined ? {} : { primaryField }),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** Collects examples, giving each an id and a dataset, and refusing what cannot be run. */
class ExampleTable {
  readonly examples: Example[] = [];
  readonly wiringOf: number[] = [];
  readonly #skipBad: boolean;
  readonly #notes: string[] = [];
  #bad = 0;
  #firstBad = "";

  constructor(skipBad: boolean) {
    this.#skipBad = skipBad;
  }

  async addAll(dataset: SourceDataset, wiringIndex: number): Promise<void> {
    const seen = new Map<string, number>();
    let position = 0;
    for await (const raw of dataset.source) {
      const problem = problemWith(raw);
      if (problem === null) this.#add(identified(raw, dataset.name), { seen, position, wiringIndex });
      else this.#reject(`Example ${position + 1}${dataset.name === "" ? "" : ` of ${dataset.name}`} ${problem}`);
      position += 1;
    }
    this.#notes.push(...(dataset.notes ?? []));
  }

  notes(): string[] {
    if (this.#bad === 0) return this.#notes;
    return [...this.#notes, `${this.#bad} bad rows skipped (first: ${this.#firstBad})`];
  }

  #add(example: Example, at: { seen: Map<string, number>; position: number; wiringIndex: number }): void {
    const key = `${example.dataset}\u0000${example.id}`;
    const other = at.seen.get(key);
    if (other !== undefined) {
      throw new DatasetError(
        `Examples ${other + 1} and ${at.position + 1} have the same id "${example.id}". Ids tell rows apart: make them unique, or leave them out to have them made from the content.`,
      );
    }
    at.seen.set(key, at.position);
    this.examples.push(example);
    this.wiringOf.push(at.wiringIndex);
  }

  #reject(problem: string): void {
    if (!this.#skipBad)
      throw new DatasetError(
        `${problem}. Mend it, or pass --skip-bad-rows (skipBadRows: true) to leave such rows out.`,
      );
    if (this.#bad === 0) this.#firstBad = problem;
    this.#bad += 1;
  }
}

function problemWith(raw: unknown): string | null {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return `is ${describe(raw)}, not an object`;
  const { context, question, turns } = raw as Partial<Example>;
  if (context !== undefined && typeof context !== "string")
    return `has a context that is ${describe(context)}, not text`;
  if (question !== undefined && typeof question !== "string")
    return `has a question that is ${describe(question)}, not text`;
  if (context === undefined && question === undefined && turns === undefined) return "has neither context nor question";
  return null;
}

/** The example with an id (its content's hash when it has none) and the name of its dataset. */
function identified(raw: Example, dataset: string): Example {
  const hasId = raw.id !== undefined && raw.id !== null && raw.id !== "";
  if (hasId && raw.dataset !== undefined) return raw;
  const id = hasId ? raw.id : digest(raw).slice(0, 16);
  return { ...raw, id, dataset: raw.dataset ?? dataset };
}
