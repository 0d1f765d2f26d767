import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import { DatasetError, ShapeError, TrialError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { digest } from "../core/fingerprint.js";
import { describe } from "../core/shape.js";
import type { Output, System, TrialContext } from "../core/system.js";
import { isBadRow, readJsonl } from "../datasets/index.js";
import { Recordings, type ReplayCoverage } from "./recordings.js";
import type { ReplayRecord } from "./replay-record.js";

export interface ReplayOptions {
  name: string;
  records: Iterable<ReplayRecord> | Recordings;
  /** What identifies the records in the cache; their content when it is not given. */
  fingerprint?: unknown;
}

/**
 * Answers with outputs that were recorded before, so that they can be scored without calling anything.
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
      throw new ShapeError(`A ReplaySystem needs a non-empty \`name\`, but has ${describe(name)}.`);
    }
    this.name = name;
    this.#recordings = records instanceof Recordings ? records : collect(name, records);
    this.#fingerprint = fingerprint;
  }

  /** Reads one record a line: `id`, `response` and/or `context`, and optionally `trial`, `usage`, `cost_usd`, `latency`. */
  static async fromFile(path: string, options: { name?: string } = {}): Promise<ReplaySystem> {
    const recordings = new Recordings((line) => `${path}:${line}`);
    const content = createHash("sha256");
    for await (const batch of readJsonl(path, { seen: content })) {
      for (const source of batch) {
        if (isBadRow(source)) throw recordings.error(source.line, source.problem);
        recordings.add(source.row, source.line);
      }
    }
    if (recordings.size === 0) throw new DatasetError(`"${path}" is empty: it holds no recorded outputs.`);
    const name = options.name ?? basename(path, extname(path));
    return new ReplaySystem({ name, records: recordings, fingerprint: content.digest("hex") });
  }

  /** Which of the examples cannot be replayed in every trial, and which recorded ids no example has. */
  coverage(exampleIds: Iterable<string | number>, trials = 1): ReplayCoverage {
    return this.#recordings.coverage(exampleIds, trials);
  }

  process(example: Example, trial: TrialContext): Output {
    const output = this.#recordings.find(example.id, trial.trial);
    if (output !== undefined) return output;
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

function collect(name: string, records: Iterable<ReplayRecord>): Recordings {
  const recordings = new Recordings((position) => `Record ${position} of "${name}"`);
  let position = 0;
  for (const record of records) recordings.add(record, ++position);
  return recordings;
}
