import type { Dataset, DatasetGate, DatasetOrigin, DatasetOverrides } from "../core/dataset.js";
import { DatasetError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import { type Example, type ExampleSource, findExampleProblem, getExampleKey, hasId } from "../core/example.js";
import { hashContent, IdDeduplicator } from "../core/fingerprint.js";
import type { Facets } from "../core/row.js";
import { describeValue } from "../core/shape.js";

/** A dataset as the runner sees it: a source of examples with its settings. */
export interface DatasetSource {
  readonly name: string;
  readonly source: ExampleSource;
  readonly fingerprint?: string;
  readonly evaluators?: readonly Evaluator[];
  readonly primaryField?: string;
  readonly notes?: readonly string[];
  readonly facets?: readonly string[];
  readonly labels?: ReadonlyMap<string | number, Facets>;
  readonly groupBy?: string;
  readonly origin?: DatasetOrigin;
  readonly terms?: DatasetOverrides;
  readonly skill?: string;
  readonly gates?: readonly DatasetGate[];
}

/** Normalizes a dataset: a list, a stream, or either of them with a name, evaluators and other settings. */
export function toDatasetSource(given: ExampleSource | Dataset): DatasetSource {
  const source: unknown = isObjectValue(given) && "examples" in given ? given.examples : given;
  if (!isObjectValue(source) || !(Symbol.iterator in source || Symbol.asyncIterator in source)) {
    throw new UsageError(
      `The dataset must be an array, an iterable or an async iterable of examples, but is ${describeValue(given)}.`,
    );
  }
  const { name, fingerprint, evaluators, primaryField, notes, facets, labels, groupBy, origin, terms, skill, gates } =
    given as Partial<Dataset>;
  checkBreakdownFields(given as Partial<Dataset>);
  return {
    name: typeof name === "string" ? name : "",
    source: source as ExampleSource,
    // A list that was changed afterwards no longer matches the loader's fingerprint.
    ...(fingerprint !== undefined && fingerprint.of === source && { fingerprint: fingerprint.sha256 }),
    ...(evaluators !== undefined && { evaluators }),
    ...(primaryField !== undefined && { primaryField }),
    ...(notes !== undefined && { notes }),
    ...(facets !== undefined && facets.length > 0 && { facets }),
    ...(labels !== undefined && labels.size > 0 && { labels }),
    ...(groupBy !== undefined && { groupBy }),
    ...(origin !== undefined && { origin }),
    ...(terms !== undefined && { terms }),
    ...(skill !== undefined && { skill }),
    ...(gates !== undefined && gates.length > 0 && { gates }),
  };
}

/** A string instead of a list would be read letter by letter. */
function checkBreakdownFields({
  name,
  facets,
  groupBy,
}: {
  name?: unknown;
  facets?: unknown;
  groupBy?: unknown;
}): void {
  const whose = typeof name === "string" && name !== "" ? `the dataset ${name}` : "the dataset";
  const isList = Array.isArray(facets) && facets.every((field) => typeof field === "string" && field !== "");
  if (facets !== undefined && !isList)
    throw new UsageError(`The facets of ${whose} must be a list of field names, but are ${describeValue(facets)}.`);
  if (groupBy !== undefined && (typeof groupBy !== "string" || groupBy === ""))
    throw new UsageError(`groupBy of ${whose} must be the name of a field, but is ${describeValue(groupBy)}.`);
}

function isObjectValue(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

interface ExampleOrigin {
  dataset: string;
  wiringIndex: number;
  /** Ids seen so far. Datasets with the same name share them, because their rows could not be distinguished. */
  seen: Map<string, number>;
  position: number;
  /** True for examples that a loader created for this run only and checked for unique ids. */
  isOwned: boolean;
  /** True if ids are compared here. The loader of a single dataset did that already, and a million ids need not be kept twice. */
  isCompared: boolean;
}

/** Collects examples, gives each an id and a dataset, and rejects invalid ones. */
export class ExampleTable {
  readonly examples: Example[] = [];
  /** By dataset: the dataset tags of its examples, which may carry their own. */
  readonly tags: Set<string>[] = [];
  readonly #skipBad: boolean;
  readonly #isOnly: boolean;
  readonly #notes: string[] = [];
  /** By dataset: the index of its first example. */
  readonly #starts: number[] = [];
  readonly #seen = new Map<string, Map<string, number>>();
  readonly #repeated = new IdDeduplicator();
  #bad = 0;
  #firstBad = "";

  /** `datasets`: how many will be added. */
  constructor({ skipBad, datasets }: { skipBad: boolean; datasets: number }) {
    this.#skipBad = skipBad;
    this.#isOnly = datasets === 1;
  }

  async addAll(dataset: DatasetSource, wiringIndex: number): Promise<void> {
    const { name, fingerprint } = dataset;
    const seen = this.#getSeenIds(name);
    const isOwned = fingerprint !== undefined;
    const isCompared = !(isOwned && this.#isOnly);
    const from: ExampleOrigin = { dataset: name, wiringIndex, seen, position: 0, isOwned, isCompared };
    this.tags[wiringIndex] = new Set();
    this.#starts[wiringIndex] = this.examples.length;
    // Awaiting each example of a plain array would cost more than everything else done with it.
    if (Symbol.iterator in dataset.source) for (const raw of dataset.source) this.#addRaw(raw, from);
    else for await (const raw of dataset.source) this.#addRaw(raw, from);
    this.#notes.push(...(dataset.notes ?? []));
  }

  /** Returns the dataset index of each example. Call after all datasets are added. */
  mapExamplesToDatasets(): Uint32Array {
    const wiringOf = new Uint32Array(this.examples.length);
    for (const [wiring, start] of this.#starts.entries()) wiringOf.fill(wiring, start);
    return wiringOf;
  }

  listNotes(): string[] {
    if (this.#bad === 0) return this.#notes;
    return [...this.#notes, `${this.#bad} bad row${this.#bad === 1 ? "" : "s"} skipped (first: ${this.#firstBad})`];
  }

  #getSeenIds(dataset: string): Map<string, number> {
    const seen = this.#seen.get(dataset) ?? new Map<string, number>();
    this.#seen.set(dataset, seen);
    return seen;
  }

  #addRaw(raw: Example, from: ExampleOrigin): void {
    from.position += 1;
    const problem = findExampleProblem(raw);
    if (problem === null) this.#add(raw, from);
    else this.#reject(`Example ${from.position}${from.dataset === "" ? "" : ` of ${from.dataset}`} ${problem}`);
  }

  #add(raw: Example, from: ExampleOrigin): void {
    // Otherwise a system could change the example for every other system and evaluator.
    const example = Object.freeze(this.#assignId(raw, from));
    if (from.isCompared) requireUniqueId(example, from);
    this.tags[from.wiringIndex]?.add(example.dataset ?? "");
    this.examples.push(example);
  }

  /** The example with an id and a dataset name; a copy, unless the loader created its examples for this run. */
  #assignId(raw: Example, from: ExampleOrigin): Example {
    if (from.isOwned && hasId(raw) && raw.dataset !== undefined) return raw;
    const dataset = raw.dataset ?? from.dataset;
    if (hasId(raw)) return { ...raw, dataset };
    const id = this.#repeated.makeUnique(hashContent(raw), (id) => from.seen.has(buildSeenKey({ id, dataset }, from)));
    return { ...raw, id, dataset };
  }

  #reject(problem: string): void {
    if (!this.#skipBad) {
      throw new DatasetError(`${problem}. Fix the row, or pass --skip-bad-rows (skipBadRows: true) to skip bad rows.`);
    }
    if (this.#bad === 0) this.#firstBad = problem;
    this.#bad += 1;
  }
}

function requireUniqueId(example: Example, from: ExampleOrigin): void {
  const key = buildSeenKey(example, from);
  const other = from.seen.get(key);
  if (other !== undefined) {
    throw new DatasetError(
      `Examples ${other} and ${from.position} have the same id "${example.id}". Rows are identified by id: make ids unique, or omit them to have them generated from the content.`,
    );
  }
  from.seen.set(key, from.position);
}

/** Reusing the id avoids a new string for every example. */
function buildSeenKey(example: Pick<Example, "id" | "dataset">, from: ExampleOrigin): string {
  return example.dataset === from.dataset ? String(example.id) : getExampleKey(example);
}
