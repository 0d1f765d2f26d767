import { DatasetError } from "../core/errors.js";
import { type Replayable, readRecord } from "./replay-record.js";

/** How recorded outputs fit a set of examples. */
export interface ReplayCoverage {
  /** Examples that lack a record for at least one trial. */
  missing: (string | number)[];
  /** Recorded ids that no example has. */
  unknown: string[];
}

/** A recorded output, and the options as it saw them, if the record says. */
export type Recorded = Pick<Replayable, "output" | "choices">;

/** Recorded outputs by id and trial. Ids match by how they print, because files disagree on whether 1 is "1". */
export class Recordings {
  readonly #records = new Map<string, Recorded>();
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
    const key = keyOf(read.id, read.trial);
    const other = this.#places.get(key);
    if (other !== undefined) {
      const which = read.trial === null ? `id "${read.id}"` : `id "${read.id}", trial ${read.trial},`;
      throw this.error(place, `repeats the ${which} of ${this.#at(other)}; give each its own "trial", or remove one`);
    }
    this.#places.set(key, place);
    this.#records.set(key, { output: read.output, choices: read.choices });
    this.#ids.add(read.id);
  }

  /** The record of the trial, else the one that names no trial. */
  find(id: string | number, trial: number): Recorded | undefined {
    return this.#records.get(keyOf(String(id), trial)) ?? this.#records.get(keyOf(String(id), null));
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

  has(id: string | number): boolean {
    return this.#ids.has(String(id));
  }

  /** True when a record of the example says in which order it saw the options. */
  hasChoiceOrder(id: string | number): boolean {
    const { output, choices } = this.find(id, 0) ?? {};
    return output?.choice_order !== undefined || (choices ?? null) !== null;
  }

  entries(): Iterable<[string, Recorded]> {
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

function keyOf(id: string, trial: number | null): string {
  return `${trial ?? ""}:${id}`;
}
