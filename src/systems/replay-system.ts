import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import { isChoiceOrder, readChoiceOrder } from "../core/choice-order.js";
import { DatasetError, ShapeError, TrialError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { digest } from "../core/fingerprint.js";
import { describe } from "../core/shape.js";
import type { Output, System, TrialContext } from "../core/system.js";
import { isBadRow, readJsonl } from "../datasets/index.js";
import { type Recorded, Recordings, type ReplayCoverage } from "./recordings.js";
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

  /**
   * Reads one record a line: `id`, `response` and/or `context`, and optionally `trial`, `usage`, `cost_usd`, `latency`,
   * and `choices` or `choice_order` for the order of options that it saw.
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
    if (recordings.size === 0) throw new DatasetError(`"${path}" is empty: it holds no recorded outputs.`);
    const name = options.name ?? basename(path, extname(path));
    return new ReplaySystem({ name, records: recordings, fingerprint: content.digest("hex") });
  }

  /** Which of the examples cannot be replayed in every trial, and which recorded ids no example has. */
  coverage(exampleIds: Iterable<string | number>, trials = 1): ReplayCoverage {
    return this.#recordings.coverage(exampleIds, trials);
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
 * Says in which order the recorded output saw the options: as the record tells, else as the file has them. The order in
 * which Assay would ask now is none that the system ever saw.
 */
function addChoiceOrder(example: Example, { output, choices }: Recorded): Output {
  const shown = readChoiceOrder(example);
  if (shown === null) return output;
  const told = output.choice_order ?? (choices === null ? undefined : findPositions(example, choices));
  if (told !== undefined && !isChoiceOrder(told, shown.length)) {
    const field = choices === null ? "choice_order" : "choices";
    throw new TrialError(
      "system_error",
      `The recorded "${field}" of example "${example.id}" are not the ${shown.length} options of the example. Fix the record, or leave "${field}" out for the order of the file.`,
    );
  }
  if (told === undefined && example.choice_order === undefined) return output;
  return { ...output, choice_order: told ?? [...shown.keys()] };
}

/** Where the file has each of the options; -1 for one that the example does not have. */
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

function collect(name: string, records: Iterable<ReplayRecord>): Recordings {
  const recordings = new Recordings((position) => `Record ${position} of "${name}"`);
  let position = 0;
  for (const record of records) recordings.add(record, ++position);
  return recordings;
}
