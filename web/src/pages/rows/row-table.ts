import type { ErrorCategory, Outcome, TrialKey } from "../../../../src/core/row.js";
import type { RowChunk, RowsHead } from "../../../../src/report/dashboard/contract.js";

/**
 * All rows of a run in columns, so that a hundred thousand fit in a few megabytes and are filtered and sorted without
 * an
 * object for each. Missing values are NaN in the columns and null outside.
 * @example
 * const table = new RowTable(head);
 * table.append(chunk);
 * table.getKey(0); // { system: "echo", dataset: "one", exampleId: 1, trial: 0 }
 */
export class RowTable {
  readonly head: RowsHead;
  /** In the order of arrival. */
  readonly tags: string[] = [];
  #columns: RowColumns;
  #length = 0;
  readonly #ids: (string | number)[] = [];
  readonly #tagPlaces = new Map<string, number>();
  /** Each set once, because rows share few different sets. */
  readonly #tagSets: number[][] = [];
  readonly #tagSetPlaces = new Map<string, number>();

  constructor(head: RowsHead) {
    this.head = head;
    this.#columns = createRowColumns(Math.max(head.total, 16), head.fields.length);
  }

  /** How many rows have arrived. */
  get length(): number {
    return this.#length;
  }

  get columns(): RowColumns {
    return this.#columns;
  }

  get ids(): readonly (string | number)[] {
    return this.#ids;
  }

  append(chunk: RowChunk): void {
    const [from, count] = [this.#length, chunk.id.length];
    this.#columns = growRowColumns(this.#columns, from + count);
    const columns = this.#columns;
    columns.system.set(chunk.system, from);
    columns.dataset.set(chunk.dataset, from);
    columns.outcome.set(chunk.outcome, from);
    columns.category.set(chunk.category, from);
    columns.trial.set(chunk.trial, from);
    columns.attempts.set(chunk.attempts, from);
    columns.inputTokens.set(chunk.inputTokens, from);
    columns.outputTokens.set(chunk.outputTokens, from);
    setMeasured(columns.score, chunk.score, from);
    setMeasured(columns.costUsd, chunk.costUsd, from);
    setMeasured(columns.latency, chunk.latency, from);
    setMeasured(columns.turns, chunk.turns, from);
    for (const [place, column] of columns.scores.entries()) setMeasured(column, chunk.scores[place] ?? [], from, count);
    for (let i = 0; i < count; i++) {
      this.#ids.push(chunk.id[i] ?? "");
      columns.tagSet[from + i] = this.#addTagSet(chunk.tags[i] ?? []);
    }
    this.#length = from + count;
  }

  getKey(place: number): TrialKey {
    const { system, dataset, trial } = this.#columns;
    return {
      system: this.head.systems[system[place] ?? 0] ?? "",
      dataset: this.head.datasets[dataset[place] ?? 0] ?? "",
      exampleId: this.#ids[place] ?? "",
      trial: trial[place] ?? 0,
    };
  }

  getOutcome(place: number): Outcome {
    return this.head.outcomes[this.#columns.outcome[place] ?? 0] ?? "skipped";
  }

  getCategory(place: number): ErrorCategory {
    return this.head.categories[this.#columns.category[place] ?? 0] ?? "none";
  }

  /** The index of a trial; -1 when it is missing. */
  findRow({ system, dataset, exampleId, trial }: TrialKey): number {
    const [s, d] = [this.head.systems.indexOf(system), this.head.datasets.indexOf(dataset)];
    const { columns } = this;
    return this.#ids.findIndex(
      (id, place) =>
        id === exampleId &&
        columns.system[place] === s &&
        columns.dataset[place] === d &&
        columns.trial[place] === trial,
    );
  }

  getTags(place: number): string[] {
    return this.getTagSet(place).map((tag) => this.tags[tag] ?? "");
  }

  /** Indexes in `tags`. */
  getTagSet(place: number): readonly number[] {
    return this.#tagSets[this.#columns.tagSet[place] ?? 0] ?? [];
  }

  /** For each set of tags, by its number in `columns.tagSet`, whether it contains all that are wanted. */
  matchTagSets(wanted: readonly string[]): boolean[] {
    const places = wanted.map((tag) => this.#tagPlaces.get(tag) ?? -1);
    return this.#tagSets.map((set) => places.every((place) => set.includes(place)));
  }

  #addTagSet(tags: readonly string[]): number {
    const name = JSON.stringify(tags);
    const known = this.#tagSetPlaces.get(name);
    if (known !== undefined) return known;
    const place = this.#tagSets.push(tags.map((tag) => this.#addTag(tag))) - 1;
    this.#tagSetPlaces.set(name, place);
    return place;
  }

  #addTag(tag: string): number {
    const known = this.#tagPlaces.get(tag);
    if (known !== undefined) return known;
    const place = this.tags.push(tag) - 1;
    this.#tagPlaces.set(tag, place);
    return place;
  }
}

function setMeasured(
  column: Float64Array,
  values: readonly (number | null)[],
  from: number,
  count = values.length,
): void {
  for (let i = 0; i < count; i++) column[from + i] = values[i] ?? Number.NaN;
}

/** Missing values are NaN. Columns of names hold indexes in the lists of the head. */
interface RowColumns {
  readonly size: number;
  readonly system: Uint16Array;
  readonly dataset: Uint16Array;
  readonly outcome: Uint8Array;
  readonly category: Uint8Array;
  readonly trial: Uint32Array;
  readonly attempts: Uint32Array;
  readonly tagSet: Uint32Array;
  readonly score: Float64Array;
  readonly costUsd: Float64Array;
  readonly latency: Float64Array;
  readonly turns: Float64Array;
  readonly inputTokens: Float64Array;
  readonly outputTokens: Float64Array;
  /** One for each score field. */
  readonly scores: readonly Float64Array[];
}

function createRowColumns(size: number, fields: number): RowColumns {
  return {
    size,
    system: new Uint16Array(size),
    dataset: new Uint16Array(size),
    outcome: new Uint8Array(size),
    category: new Uint8Array(size),
    trial: new Uint32Array(size),
    attempts: new Uint32Array(size),
    tagSet: new Uint32Array(size),
    score: new Float64Array(size),
    costUsd: new Float64Array(size),
    latency: new Float64Array(size),
    turns: new Float64Array(size),
    inputTokens: new Float64Array(size),
    outputTokens: new Float64Array(size),
    scores: Array.from({ length: fields }, () => new Float64Array(size)),
  };
}

/** A running run sends more rows than announced. */
function growRowColumns(columns: RowColumns, size: number): RowColumns {
  if (size <= columns.size) return columns;
  const larger = createRowColumns(Math.max(size, columns.size * 2), columns.scores.length);
  larger.system.set(columns.system);
  larger.dataset.set(columns.dataset);
  larger.outcome.set(columns.outcome);
  larger.category.set(columns.category);
  larger.trial.set(columns.trial);
  larger.attempts.set(columns.attempts);
  larger.tagSet.set(columns.tagSet);
  for (const name of ["score", "costUsd", "latency", "turns", "inputTokens", "outputTokens"] as const)
    larger[name].set(columns[name]);
  for (const [place, column] of larger.scores.entries()) column.set(columns.scores[place] ?? []);
  return larger;
}
