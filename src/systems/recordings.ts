import { DatasetError } from "../core/errors.js";
import type { Output } from "../core/system.js";
import { readRecord } from "./replay-record.js";

/** How recorded outputs fit a set of examples. */
export interface ReplayCoverage {
  /** Examples that lack a record for at least one trial. */
  missing: (string | number)[];
  /** Recorded ids that no example has. */
  unknown: string[];
}

/** Recorded outputs by id and trial. Ids match by how they print, because files disagree on whether 1 is "1". */
export class Recordings {
  readonly #outputs = new Map<string, Output>();
  readonly #places = new Map<string, number>();
  readonly #ids = new Set<string>();
  readonly #at: (place: number) => string;

  constructor(at: (place: number) => string) {
    this.#at = at;
  }

  get size(): number {
    return this.#outputs.size;
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
    this.#outputs.set(key, read.output);
    this.#ids.add(read.id);
  }

  /** The record of the trial, else the one that names no trial. */
  find(id: string | number, trial: number): Output | undefined {
    return this.#outputs.get(keyOf(String(id), trial)) ?? this.#outputs.get(keyOf(String(id), null));
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

  entries(): Iterable<[string, Output]> {
    return this.#outputs.entries();
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
