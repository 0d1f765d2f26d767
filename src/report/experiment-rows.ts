import type { EvalRow } from "../core/row.js";

/** A variant of an experiment, and the names of the systems that its rows are of. */
export interface ReportedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values that make the variant. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Trials that were planned; null when that is not known. As many as there are rows unless told. */
  readonly planned?: number | null;
}

/** A stimulus by the name its eval has in all variants, and its own. */
export type StimulusPlace = readonly [evalName: string, stimulus: string | number];

/**
 * The rows of each variant, as if the variant were one system and its evals had the names they have everywhere: rows of
 * one stimulus are trials of one task, whatever the variant.
 */
export function rowsByVariant(variants: readonly ReportedVariant[], rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const variantOf = new Map(variants.flatMap(({ name, systems }) => systems.map((system) => [system, name])));
  const found = new Map<string, EvalRow[]>(variants.map(({ name }) => [name, []]));
  const trials = new Map<string, number>();
  for (const row of rows) {
    const variant = variantOf.get(row.system);
    if (variant === undefined) continue;
    const dataset = evalOf(row.dataset, variant);
    const key = JSON.stringify([variant, dataset, row.exampleId]);
    const trial = trials.get(key) ?? 0;
    trials.set(key, trial + 1);
    found.get(variant)?.push({ ...row, system: variant, dataset, trial });
  }
  return found;
}

/** Rows by the order of their stimuli; those of stimuli that it does not name come last, as they are. */
export function inStimulusOrder(rows: readonly EvalRow[], order: readonly StimulusPlace[]): EvalRow[] {
  const places = new Map(order.map((name, place) => [JSON.stringify(name), place]));
  const placeOf = (row: EvalRow) => places.get(stimulusKey(row)) ?? order.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Datasets of an experiment are called `<variant>/<eval>`. */
function evalOf(dataset: string, variant: string): string {
  return dataset.startsWith(`${variant}/`) ? dataset.slice(variant.length + 1) : dataset;
}

/** What tells a stimulus from all others of an experiment. */
export function stimulusKey({ dataset, exampleId }: Pick<EvalRow, "dataset" | "exampleId">): string {
  return JSON.stringify([dataset, exampleId]);
}

/** Rows that belong to a stimulus: those that stand for trials of a stopped run that never began say of none. */
export function isOfStimulus({ dataset, outcome }: EvalRow): boolean {
  return dataset !== "" || outcome !== "skipped";
}
