import { DatasetError, digest, type EvalRow, makeRow, type TrialKey } from "../../core/index.js";
import { groupByKey } from "./fields.js";
import { FORMAT_TITLES, type ImportedSystem, type ImportedTrial } from "./format.js";
import type { ImportProblem, OpenedResults, ReadTrial } from "./open-results.js";

/** What the trials tell about a dataset. */
export interface CollectedDataset {
  readonly name: string;
  readonly examples: number;
  readonly fingerprint: string;
  /** The systems that have trials on it. */
  readonly systems: readonly string[];
  /** The most common number of trials per system and example. */
  readonly trials: number;
  readonly primaryField: string | null;
}

interface CollectedExample {
  readonly dataset: string;
  /** SHA-256 of the whole example. */
  readonly content: string;
}

/** More missing trials than this are not gaps, but a sign that ids or systems were misread. */
const MAX_MISSING = 1_000_000;

/** Describes the datasets of imported rows, in the order they were found. */
function describeImportedDatasets(rows: readonly EvalRow[], examples: Iterable<CollectedExample>): CollectedDataset[] {
  const known = groupByKey(examples, ({ dataset }) => dataset);
  const byDataset = groupByKey(rows, ({ dataset }) => dataset);
  return Array.from(byDataset, ([name, own]) => describeImportedDataset(name, own, known.get(name) ?? []));
}

function describeImportedDataset(
  name: string,
  rows: readonly EvalRow[],
  examples: readonly CollectedExample[],
): CollectedDataset {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const trials = findTypicalTrialCount(rows);
  const missing = systems.length * examples.length * trials - rows.length;
  if (missing > MAX_MISSING)
    throw new DatasetError(
      `${name || "The dataset"} has ${examples.length} examples and ${systems.length} systems, but only ${rows.length} trials: most systems have different examples. Import the files one by one.`,
    );
  return {
    name,
    examples: examples.length,
    fingerprint: digest(examples.map(({ content }) => content).sort()),
    systems,
    trials,
    primaryField: rows.find(({ primaryField }) => primaryField !== null)?.primaryField ?? null,
  };
}

/** The most common number of trials; if tied, the larger. */
function findTypicalTrialCount(rows: readonly EvalRow[]): number {
  const slots = groupByKey(rows, ({ system, exampleId }) => JSON.stringify([system, exampleId]));
  const counts = groupByKey(slots.values(), (own) => own.length);
  const common = Array.from(counts, ([trials, slotsWith]) => ({ trials, times: slotsWith.length }));
  return common.toSorted((a, b) => b.times - a.times || b.trials - a.trials)[0]?.trials ?? 1;
}

/** Everything that was read, without the texts. */
export interface CollectedTrials {
  readonly systems: readonly ImportedSystem[];
  readonly datasets: readonly CollectedDataset[];
  /** By the index of the trial among all records; trials that do not count are omitted. */
  readonly rows: ReadonlyMap<number, EvalRow>;
  readonly bad: readonly ImportProblem[];
  /** Places of duplicate trials. */
  readonly twice: readonly string[];
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** Counts the tokens of a text. */
type TokenCount = (text: string) => number;

/** A trial without its texts. */
interface CollectedTrial {
  readonly index: number;
  readonly place: string;
  readonly wanted: number | null;
  readonly madeAt: number | null;
  readonly row: EvalRow;
}

const MAX_SYSTEMS = 500;

/** Collects all trials, and decides which count and under which number. */
export class TrialCollector {
  readonly #systems = new Map<string, ImportedSystem>();
  readonly #examples = new Map<string, { dataset: string; content: string }>();
  readonly #kept = new Map<number, CollectedTrial>();
  readonly #byIdentity = new Map<string, number>();
  readonly #bad: ImportProblem[];
  readonly #twice: string[] = [];
  readonly #count: TokenCount;
  #next = 0;

  constructor(damaged: readonly ImportProblem[], count: TokenCount) {
    this.#bad = [...damaged];
    this.#count = count;
  }

  get size(): number {
    return this.#next;
  }

  add(found: ReadTrial): void {
    const index = this.#next;
    this.#next += 1;
    if ("message" in found) {
      this.#bad.push(found);
      return;
    }
    const kept = this.#keep(found.trial, { index, place: found.place });
    if (kept === null) return;
    this.#kept.set(index, kept);
    this.#addSystemAndExample(found.trial);
  }

  /** Null if the same trial was already found and is not older. */
  #keep(trial: ImportedTrial, { index, place }: { index: number; place: string }): CollectedTrial | null {
    const { identity, madeAt } = trial;
    const before = identity === null ? undefined : this.#kept.get(this.#byIdentity.get(identity) ?? -1);
    const isOlder = before !== undefined && (madeAt ?? 0) < (before.madeAt ?? 0);
    if (before !== undefined) this.#twice.push(isOlder ? place : before.place);
    if (isOlder) return null;
    if (before !== undefined) this.#kept.delete(before.index);
    if (identity !== null) this.#byIdentity.set(identity, index);
    return { index, place, wanted: trial.trial, madeAt, row: toImportedRow(trial, this.#count) };
  }

  #addSystemAndExample({ system, example }: ImportedTrial): void {
    if (!this.#systems.has(system.name)) this.#systems.set(system.name, system);
    if (this.#systems.size > MAX_SYSTEMS)
      throw new DatasetError(
        `There are more than ${MAX_SYSTEMS} systems: the field that names them seems to differ for every record. Import fewer files at a time.`,
      );
    const key = JSON.stringify([example.dataset, example.id]);
    if (!this.#examples.has(key)) this.#examples.set(key, { dataset: example.dataset, content: digest(example) });
  }

  finish(): CollectedTrials {
    const kept = [...this.#kept.values()];
    const names = findRenamedSystems([...this.#systems.values()]);
    for (const { row } of kept) row.system = names.get(row.system) ?? row.system;
    const numbers = assignTrialNumbers(kept);
    for (const { index, row } of kept) row.trial = numbers.get(index) ?? 0;
    const moments = kept.flatMap(({ madeAt }) => madeAt ?? []).sort((a, b) => a - b);
    return {
      systems: [...this.#systems.values()].filter(({ name }) => !names.has(name)),
      datasets: describeImportedDatasets(
        kept.map(({ row }) => row),
        this.#examples.values(),
      ),
      rows: new Map(kept.map(({ index, row }) => [index, row])),
      bad: this.#bad,
      twice: this.#twice,
      firstAt: moments[0] ?? null,
      lastAt: moments.at(-1) ?? null,
    };
  }
}

/** Missing token counts are computed: 0 would falsify every token figure. */
function toImportedRow({ system, example, row, output }: ImportedTrial, count: TokenCount): EvalRow {
  const asked = [example.context, example.question].filter((text) => text !== undefined).join("\n");
  const isAnswered = row.outcome !== "error" && row.outcome !== "skipped";
  return makeRow({
    ...row,
    system: system.name,
    exampleId: example.id,
    dataset: example.dataset,
    inputTokens: row.inputTokens ?? (isAnswered ? count(asked) : 0),
    outputTokens: row.outputTokens ?? (isAnswered ? count(output?.response ?? "") : 0),
  });
}

/**
 * Finds systems that have another name: a trial that failed early may not name its model; it then belongs to the system of
 * its variant, if there is only one.
 * @example
 * findRenamedSystems([{ name: "unknown model [a]", variant: "a" }, { name: "blue [a]", model: "blue", variant: "a" }]);
 * // Map { "unknown model [a]" => "blue [a]" }
 */
function findRenamedSystems(systems: readonly ImportedSystem[]): Map<string, string> {
  const orphans = systems.filter(({ model, variant }) => model === undefined && variant !== undefined);
  return new Map(
    orphans.flatMap(({ name, variant }) => {
      const [known, ...others] = systems.filter((one) => one.model !== undefined && one.variant === variant);
      return known === undefined || others.length > 0 ? [] : [[name, known.name] as const];
    }),
  );
}

type NumberedTrial = Pick<CollectedTrial, "index" | "wanted"> & { readonly row: Omit<TrialKey, "trial"> };

function buildSlotKey({ row }: NumberedTrial): string {
  return JSON.stringify([row.system, row.dataset, row.exampleId]);
}

/**
 * Numbers the trials of each example from 0, ordered by the numbers in the file, otherwise as found. Without gaps: the
 * number 1,000,000 in a file would otherwise mean a million trials that were never run.
 */
export function assignTrialNumbers(kept: readonly NumberedTrial[]): Map<number, number> {
  const slots = groupByKey(kept, buildSlotKey);
  const numbers = new Map<number, number>();
  for (const trials of slots.values()) {
    const inOrder = trials.toSorted((a, b) => (a.wanted ?? a.index) - (b.wanted ?? b.index) || a.index - b.index);
    for (const [number, { index }] of inOrder.entries()) numbers.set(index, number);
  }
  return numbers;
}

const MAX_NAMED = 5;
const MAX_MESSAGE_CHARS = 200;

/** Notes for an imported run: its origin, and what was left out. */
export function listImportNotes({ format, files, notes }: OpenedResults, collected: CollectedTrials): string[] {
  const { bad, twice } = collected;
  return [
    `imported from ${FORMAT_TITLES[format.name]} results (${files.length} ${files.length === 1 ? "file" : "files"}): outcomes are those of the original tool`,
    ...notes,
    ...listBadRecordNotes(bad.map(({ place, message }) => `${place}: ${message.slice(0, MAX_MESSAGE_CHARS)}`)),
    ...listDuplicateNotes(twice),
    ...(format.name === "ailang" && hasStandardMode(collected) ? [STANDARD_MODE_NOTE] : []),
  ];
}

function listBadRecordNotes(bad: readonly string[]): string[] {
  return bad.length === 0
    ? []
    : [`records that could not be read and were skipped: ${bad.length}\n${formatFirstLines(bad)}`];
}

function listDuplicateNotes(twice: readonly string[]): string[] {
  if (twice.length === 0) return [];
  return [`records replaced by a newer one of the same trial: ${twice.length}\n${formatFirstLines(twice)}`];
}

function formatFirstLines(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_NAMED).map((line) => `  ${line}`);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}

const STANDARD_MODE_NOTE =
  "times of AILANG's standard mode are those of compiling and running the program; the model's own time was not measured";

function hasStandardMode({ systems }: CollectedTrials): boolean {
  return systems.some(({ name }) => /\[(?:.*, )?standard(?:, .*)?\]$/.test(name));
}
