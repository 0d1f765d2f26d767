import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import type { Example, Output, System, Trajectory, TrialContext, Usage } from "../core/index.js";
import {
  DatasetError,
  describeValue,
  digest,
  findOutputProblem,
  isChoiceOrder,
  readChoiceOrder,
  ShapeError,
  TrialError,
} from "../core/index.js";
import { isBadRow, readJsonl } from "../datasets/index.js";

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

/** A recorded output. Other fields become metadata of the output. */
export interface ReplayRecord {
  id: string | number;
  response?: string | null;
  context?: string | null;
  /** The trial it belongs to, from 0; without it the record answers every trial. */
  trial?: number | null;
  usage?: Usage | null;
  cost_usd?: number | null;
  /** Seconds. */
  latency?: number | null;
  /** The texts of the options in the order shown. Default: `choice_order`, otherwise the file's order. */
  choices?: readonly string[] | null;
  /** The order of the options as positions in the dataset's file, from 0. */
  choice_order?: readonly number[] | null;
  [key: string]: unknown;
}

interface ReplayableRecord {
  id: string;
  trial: number | null;
  output: Output;
  /** The options in the order shown; null if not recorded. */
  choices: readonly string[] | null;
}

/** Parses a record, or returns what is wrong with it. */
function readRecord(record: Readonly<Record<string, unknown>>): ReplayableRecord | { problem: string } {
  const problem = findRecordProblem(record);
  if (problem !== null) return { problem };
  const {
    id,
    trial,
    response,
    context,
    usage,
    cost_usd,
    costUsd = cost_usd,
    latency,
    choices,
    choice_order,
    ...others
  } = record;
  const output: Output = toRecordedOutput(others);
  // A recorded null is an empty response, which is a result; a missing one is a compressor's output.
  if (response !== undefined) output.response = (response ?? "") as string;
  if (isPresent(context)) output.context = context as string;
  if (isPresent(usage)) output.usage = readRecordedUsage(usage as Record<string, number>);
  if (isPresent(costUsd)) output.costUsd = costUsd as number;
  if (isPresent(latency)) output.latency = latency as number;
  if (isPresent(choice_order)) output.choice_order = choice_order as number[];
  return {
    id: String(id),
    trial: isPresent(trial) ? (trial as number) : null,
    output,
    choices: isPresent(choices) ? (choices as string[]) : null,
  };
}

const OUTPUT_FIELDS = new Set(
  "stopped ttftMs firstAttemptMs successAtMs turns tokensPerSec partial tool_calls".split(" "),
);

/** Measurements and tool calls stay on the output; other fields become metadata, so that for example a recorded model name is not counted as text. */
function toRecordedOutput({ metadata, trajectory, ...others }: Readonly<Record<string, unknown>>): Output {
  const entries = Object.entries(others);
  const output: Output = Object.fromEntries(entries.filter(([field]) => OUTPUT_FIELDS.has(field)));
  const rest = entries.filter(([field]) => !OUTPUT_FIELDS.has(field));
  if (isPresent(trajectory)) output.trajectory = trajectory as Trajectory;
  if (rest.length > 0 || isPresent(metadata))
    output.metadata = { ...(metadata as object), ...Object.fromEntries(rest) };
  return output;
}

function findRecordProblem(record: Readonly<Record<string, unknown>>): string | null {
  const { id, trial, usage } = record;
  if ((typeof id !== "string" && typeof id !== "number") || id === "") return 'has no "id" (a string or a number)';
  const outputProblem = findOutputProblem(record);
  if (outputProblem !== null) return outputProblem;
  if (isPresent(trial) && !(Number.isInteger(trial) && (trial as number) >= 0)) {
    return `has ${describeValue(trial)} as its "trial"; trials are whole numbers from 0`;
  }
  const { choices, choice_order } = record;
  if (isPresent(choices) && !isListWhere(choices, (item) => typeof item === "string"))
    return `has ${describeValue(choices)} as its "choices"; they must be the texts of the options as shown`;
  if (isPresent(choice_order) && !isListWhere(choice_order, Number.isInteger))
    return `has ${describeValue(choice_order)} as its "choice_order"; it must be a list of positions from 0`;
  for (const field of ["cost_usd", "costUsd", "latency"]) {
    if (isPresent(record[field]) && !isAmount(record[field]))
      return `has ${describeValue(record[field])} as its "${field}"`;
  }
  return isPresent(usage) && !isRecordedUsage(usage)
    ? 'has a "usage" that is not { "input": n, "output": n } with optional cacheRead, cacheWrite and reasoning'
    : null;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isListWhere(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** The usage fields and their spelling in files, where both occur. */
const USAGE_FIELDS = { cacheRead: "cache_read", cacheWrite: "cache_write", reasoning: "reasoning" } as const;

function isRecordedUsage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  const optional = Object.entries(USAGE_FIELDS).flat();
  return (
    isAmount(fields.input) &&
    isAmount(fields.output) &&
    optional.every((field) => !isPresent(fields[field]) || isAmount(fields[field]))
  );
}

function readRecordedUsage(fields: Readonly<Record<string, number>>): Usage {
  const usage: Usage = { input: fields.input ?? 0, output: fields.output ?? 0 };
  for (const name of ["cacheRead", "cacheWrite", "reasoning"] as const) {
    const value = fields[name] ?? fields[USAGE_FIELDS[name]];
    if (isPresent(value) && value !== undefined) usage[name] = value;
  }
  return usage;
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
