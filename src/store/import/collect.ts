import { DatasetError } from "../../core/errors.js";
import { digest } from "../../core/fingerprint.js";
import { type EvalRow, makeRow, type TrialKey } from "../../core/row.js";
import { type CollectedDataset, describeImportedDatasets } from "./datasets-of.js";
import { groupByKey } from "./fields.js";
import type { ImportedSystem, ImportedTrial } from "./format.js";
import type { ImportProblem } from "./open-results.js";
import type { ReadTrial } from "./read-trials.js";

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
export type TokenCount = (text: string) => number;

/** A trial without its texts. */
export interface CollectedTrial {
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
