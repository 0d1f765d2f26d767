import { createHash } from "node:crypto";
import type { Dataset } from "../core/dataset.js";
import { DatasetError, messageOf, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example, ExampleSource } from "../core/example.js";
import { canonicalJson, digest, fingerprintOf } from "../core/fingerprint.js";
import type { Metric } from "../core/metric.js";
import type { DatasetConfig } from "../core/result.js";
import { describe, requireShape } from "../core/shape.js";
import type { System } from "../core/system.js";
import { requireThreshold } from "../core/threshold.js";
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

const DEFAULT_THRESHOLD = 0.7;

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
    notes: [...table.notes(), ...unscoredNotes(wirings)],
  };
}

/** Where a trial's row stands in the result: by system, then example, then trial, whatever order they ran in. */
export function rowIndex(plan: Plan, systemIndex: number, exampleIndex: number, trial: number): number {
  return (systemIndex * plan.examples.length + exampleIndex) * plan.trials + trial;
}

/** What each dataset of a plan holds, identified by content wherever it was read from. */
export function describeDatasets(plan: Plan): DatasetConfig[] {
  const counts = plan.wirings.map(() => 0);
  const digests = plan.wirings.map(({ fingerprint }) => (fingerprint === null ? new ContentDigest() : null));
  for (let index = 0; index < plan.examples.length; index++) {
    const wiring = plan.wiringOf[index] ?? 0;
    counts[wiring] = (counts[wiring] ?? 0) + 1;
    digests[wiring]?.add(plan.examples[index] ?? null);
  }
  return plan.wirings.map(({ dataset, fingerprint }, i) => ({
    name: dataset,
    examples: counts[i] ?? 0,
    fingerprint: fingerprint ?? digests[i]?.finish() ?? "",
  }));
}

/** SHA-256 over examples, fed in large pieces: a call for each example would cost more than the hashing. */
class ContentDigest {
  readonly #hash = createHash("sha256");
  #pending = "";

  add(example: Example | null): void {
    this.#pending += `${contentOf(example)}\n`;
    if (this.#pending.length > 1 << 16) this.#feed();
  }

  finish(): string {
    this.#feed();
    return this.#hash.digest("hex");
  }

  #feed(): void {
    this.#hash.update(this.#pending);
    this.#pending = "";
  }
}

function contentOf(example: Example | null): string {
  try {
    return JSON.stringify(example);
  } catch {
    return unusualContentOf(example);
  }
}

/** Whole numbers beyond JSON's are put in words; what cannot be written at all cannot be told from other content. */
function unusualContentOf(example: Example | null): string {
  try {
    return canonicalJson(example);
  } catch (cause) {
    throw new DatasetError(`Example "${example?.id}" cannot be written as JSON: ${messageOf(cause)}.`, { cause });
  }
}

/** A run without evaluators is legal, and most often an oversight. */
function unscoredNotes(wirings: readonly Wiring[]): string[] {
  const bare = wirings.filter(({ evaluators }) => evaluators.length === 0);
  return bare.map(({ dataset }) => `${dataset || "the dataset"} has no evaluators: nothing of it is scored`);
}

export function requireCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`${name} must be a whole number of at least 1, but is ${describe(value)}.`);
  }
}

function checkSystems(systems: readonly System[]): readonly System[] {
  const count = Array.isArray(systems) ? systems.length : 0;
  if (count === 0) {
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
  fingerprint?: string;
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
  const { name, fingerprint, evaluators, primaryField, notes } = source;
  return {
    name,
    source,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(primaryField === undefined ? {} : { primaryField }),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** Where examples come from, and what was seen of it so far. */
interface Origin {
  dataset: string;
  wiringIndex: number;
  seen: Set<string>;
  position: number;
}

/** Collects examples, giving each an id and a dataset, and refusing what cannot be run. */
class ExampleTable {
  readonly examples: Example[] = [];
  readonly wiringOf: number[] = [];
  readonly #skipBad: boolean;
  readonly #notes: string[] = [];
  readonly #seen = new Map<string, Set<string>>();
  #bad = 0;
  #firstBad = "";

  constructor(skipBad: boolean) {
    this.#skipBad = skipBad;
  }

  async addAll(dataset: SourceDataset, wiringIndex: number): Promise<void> {
    const from: Origin = { dataset: dataset.name, wiringIndex, seen: this.#seenIn(dataset.name), position: 0 };
    // Waiting for each example of a plain array would cost more than everything else done with it.
    if (Symbol.iterator in dataset.source) for (const raw of dataset.source) this.#addRaw(raw, from);
    else for await (const raw of dataset.source) this.#addRaw(raw, from);
    this.#notes.push(...(dataset.notes ?? []));
  }

  notes(): string[] {
    if (this.#bad === 0) return this.#notes;
    return [...this.#notes, `${this.#bad} bad rows skipped (first: ${this.#firstBad})`];
  }

  /** Datasets of one name share what was seen: their rows could not be told apart. */
  #seenIn(dataset: string): Set<string> {
    const seen = this.#seen.get(dataset) ?? new Set();
    this.#seen.set(dataset, seen);
    return seen;
  }

  #addRaw(raw: Example, from: Origin): void {
    from.position += 1;
    const problem = problemWith(raw);
    if (problem === null) this.#add(raw, from);
    else this.#reject(`Example ${from.position}${from.dataset === "" ? "" : ` of ${from.dataset}`} ${problem}`);
  }

  #add(raw: Example, from: Origin): void {
    const example = identified(raw, from);
    const key = seenKey(example, from);
    if (from.seen.has(key)) {
      const other = this.examples.findIndex((earlier) => exampleKey(earlier) === exampleKey(example));
      throw new DatasetError(
        `Examples ${other + 1} and ${from.position} have the same id "${example.id}". Ids tell rows apart: make them unique, or leave them out to have them made from the content.`,
      );
    }
    from.seen.add(key);
    this.examples.push(example);
    this.wiringOf.push(from.wiringIndex);
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
  const { id, context, question, turns } = raw as Partial<Example>;
  if (id !== undefined && id !== null && typeof id !== "string" && !(typeof id === "number" && Number.isFinite(id)))
    return `has an id that is ${describe(id)}, neither text nor a number`;
  if (context !== undefined && typeof context !== "string")
    return `has a context that is ${describe(context)}, not text`;
  if (question !== undefined && typeof question !== "string")
    return `has a question that is ${describe(question)}, not text`;
  if (turns !== undefined && !isConversation(turns)) return "has turns that are not a list of messages";
  const asksNothing = context === undefined && question === undefined && (turns === undefined || turns.length === 0);
  if (asksNothing) return "has neither context nor question";
  return null;
}

function isConversation(turns: unknown): boolean {
  return Array.isArray(turns) && turns.every((turn) => typeof turn === "object" && turn !== null);
}

/** What tells an example from all others of a plan. */
export function exampleKey({ dataset, id }: { dataset?: string; id: string | number }): string {
  return `${dataset ?? ""}\u0000${id}`;
}

/** An id that is there already is cheaper to remember than a new text for every example. */
function seenKey(example: Example, from: Origin): string {
  return example.dataset === from.dataset ? String(example.id) : exampleKey(example);
}

/** The example with an id (its content's hash, numbered when the content repeats) and the name of its dataset. */
function identified(raw: Example, from: Origin): Example {
  const hasId = raw.id !== undefined && raw.id !== null && raw.id !== "";
  if (hasId && raw.dataset !== undefined) return raw;
  const example = { ...raw, id: hasId ? raw.id : digest(raw).slice(0, 16), dataset: raw.dataset ?? from.dataset };
  if (hasId) return example;
  const { id } = example;
  for (let copy = 2; from.seen.has(seenKey(example, from)); copy++) example.id = `${id}-${copy}`;
  return example;
}
