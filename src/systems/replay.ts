import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import type { Example, Output, System, TrialContext } from "../core/index.js";
import {
  DatasetError,
  describeValue,
  digest,
  isChoiceOrder,
  readChoiceOrder,
  ShapeError,
  TrialError,
} from "../core/index.js";
import { isBadRow, readJsonl } from "../datasets/index.js";
import { type ReplayableRecord, type ReplayRecord, readRecord } from "./output-record.js";

export type { ReplayRecord } from "./output-record.js";

/** Options of `ReplaySystem`. */
export interface ReplayOptions {
  name: string;
  records: Iterable<ReplayRecord> | Recordings;
  /** Identifies the records in the cache. Default: their content. */
  fingerprint?: unknown;
}

/**
 * Answers with recorded outputs, so that they can be scored without calling anything.
 * @example
 * const replay = await ReplaySystem.fromFile("outputs.jsonl"); // {"id": "q1", "response": "Paris"} a line
 */
export class ReplaySystem implements System {
  readonly name: string;
  readonly isRecorded = true;
  readonly #recordings: Recordings;
  #fingerprint: unknown;

  constructor({ name, records, fingerprint }: ReplayOptions) {
    if (typeof name !== "string" || name === "") {
      throw new ShapeError(`A ReplaySystem needs a non-empty \`name\`, but has ${describeValue(name)}.`);
    }
    this.name = name;
    this.#recordings = records instanceof Recordings ? records : collectRecordings(name, records);
    this.#fingerprint = fingerprint;
  }

  /**
   * Reads one record per line: `id`, `response` and/or `context`, and optionally `trial`, `usage`, `cost_usd`, `latency`,
   * and `choices` or `choice_order` for the order of the options it saw.
   */
  static async fromFile(path: string, options: { name?: string } = {}): Promise<ReplaySystem> {
    const recordings = new Recordings((line) => `${path}:${line}`);
    const content = createHash("sha256");
    for await (const batch of readJsonl(path, { seen: content })) {
      for (const source of batch) {
        if (isBadRow(source)) throw recordings.error(source.line, source.problem);
        recordings.add(source.row, source.line);
      }
    }
    if (recordings.size === 0) throw new DatasetError(`"${path}" is empty: it contains no recorded outputs.`);
    const name = options.name ?? basename(path, extname(path));
    return new ReplaySystem({ name, records: recordings, fingerprint: content.digest("hex") });
  }

  /** Which examples lack a record for some trial, and which recorded ids have no example. */
  coverage(exampleIds: Iterable<string | number>, trials = 1): ReplayCoverage {
    return this.#recordings.coverage(exampleIds, trials);
  }

  /** True if at least one trial of the example was recorded. */
  has(exampleId: string | number): boolean {
    return this.#recordings.has(exampleId);
  }

  /** True if some example has a single record for all its trials. */
  get hasSharedRecords(): boolean {
    return this.#recordings.hasShared;
  }

  /** Counts the examples with shuffled options whose record does not say in which order it saw them. */
  countUnknownOrders(examples: Iterable<Example>): number {
    let count = 0;
    for (const { id, choice_order } of examples)
      if (choice_order !== undefined && this.#recordings.has(id) && !this.#recordings.hasChoiceOrder(id)) count += 1;
    return count;
  }

  process(example: Example, trial: TrialContext): Output {
    const recorded = this.#recordings.find(example.id, trial.trial);
    if (recorded !== undefined) return addChoiceOrder(example, recorded);
    throw new TrialError(
      "system_error",
      `"${this.name}" has no recorded output for example "${example.id}", trial ${trial.trial}. Record it, or leave the example out.`,
    );
  }

  fingerprint(): unknown {
    this.#fingerprint ??= digest([...this.#recordings.entries()]);
    return this.#fingerprint;
  }
}

/**
 * Adds the order in which the recorded output saw the options: the record's, otherwise the file's. The system never saw
 * the order in which Assay would ask now.
 */
function addChoiceOrder(example: Example, { output, choices }: RecordedAnswer): Output {
  const shown = readChoiceOrder(example);
  if (shown === null) return output;
  const told = output.choice_order ?? (choices === null ? undefined : findPositions(example, choices));
  if (told !== undefined && !isChoiceOrder(told, shown.length)) {
    const field = choices === null ? "choice_order" : "choices";
    throw new TrialError(
      "system_error",
      `The recorded "${field}" of example "${example.id}" are not the ${shown.length} options of the example. Fix the record, or leave out "${field}" to use the order of the file.`,
    );
  }
  if (told === undefined && example.choice_order === undefined) return output;
  return { ...output, choice_order: told ?? [...shown.keys()] };
}

/** The position of each option in the file; -1 if the example does not have it. */
function findPositions(example: Example, choices: readonly string[]): number[] {
  const shown = readChoiceOrder(example) ?? [];
  const open = (example.choices ?? []).map((choice) => choice.trim());
  return choices.map((choice) => {
    const index = open.indexOf(choice.trim());
    if (index === -1) return -1;
    open[index] = "\0";
    return shown[index] ?? -1;
  });
}

function collectRecordings(name: string, records: Iterable<ReplayRecord>): Recordings {
  const recordings = new Recordings((position) => `Record ${position} of "${name}"`);
  let position = 0;
  for (const record of records) recordings.add(record, ++position);
  return recordings;
}

/** How recorded outputs match a set of examples. */
export interface ReplayCoverage {
  /** Examples that lack a record for at least one trial. */
  missing: (string | number)[];
  /** Recorded ids without an example. */
  unknown: string[];
}

/** A recorded output, and the options in the order it saw them, if recorded. */
export type RecordedAnswer = Pick<ReplayableRecord, "output" | "choices">;

/** Recorded outputs by id and trial. Ids are compared as strings, because files disagree on whether 1 is "1". */
export class Recordings {
  readonly #records = new Map<string, RecordedAnswer>();
  readonly #places = new Map<string, number>();
  readonly #ids = new Set<string>();
  readonly #at: (place: number) => string;

  constructor(at: (place: number) => string) {
    this.#at = at;
  }

  get size(): number {
    return this.#records.size;
  }

  add(record: Readonly<Record<string, unknown>>, place: number): void {
    const read = readRecord(record);
    if ("problem" in read) throw this.error(place, read.problem);
    const key = formatRecordKey(read.id, read.trial);
    const other = this.#places.get(key);
    if (other !== undefined) {
      const which = read.trial === null ? `id "${read.id}"` : `id "${read.id}", trial ${read.trial},`;
      throw this.error(place, `repeats the ${which} of ${this.#at(other)}; give each its own "trial", or remove one`);
    }
    this.#places.set(key, place);
    this.#records.set(key, { output: read.output, choices: read.choices });
    this.#ids.add(read.id);
  }

  /** The record of the trial, otherwise the one without a trial. */
  find(id: string | number, trial: number): RecordedAnswer | undefined {
    return (
      this.#records.get(formatRecordKey(String(id), trial)) ?? this.#records.get(formatRecordKey(String(id), null))
    );
  }

  coverage(exampleIds: Iterable<string | number>, trials: number): ReplayCoverage {
    const unknown = new Set(this.#ids);
    const missing: (string | number)[] = [];
    for (const id of exampleIds) {
      unknown.delete(String(id));
      if (!this.#hasAll(id, trials)) missing.push(id);
    }
    return { missing, unknown: [...unknown] };
  }

  /** True if a record does not say which trial it is from: it stands for all of them. */
  get hasShared(): boolean {
    return [...this.#ids].some((id) => this.#records.has(formatRecordKey(id, null)));
  }

  has(id: string | number): boolean {
    return this.#ids.has(String(id));
  }

  /** True if a record of the example says in which order it saw the options. */
  hasChoiceOrder(id: string | number): boolean {
    const { output, choices } = this.find(id, 0) ?? {};
    return output?.choice_order !== undefined || (choices ?? null) !== null;
  }

  entries(): Iterable<[string, RecordedAnswer]> {
    return this.#records.entries();
  }

  error(place: number, problem: string): DatasetError {
    return new DatasetError(`${this.#at(place)}: the record ${problem}.`);
  }

  #hasAll(id: string | number, trials: number): boolean {
    for (let trial = 0; trial < trials; trial++) if (this.find(id, trial) === undefined) return false;
    return true;
  }
}

function formatRecordKey(id: string, trial: number | null): string {
  return `${trial ?? ""}:${id}`;
}
