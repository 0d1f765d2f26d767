import { type EvalRow, isScored } from "../core/row.js";
import { isOfStimulus, stimulusKey } from "./experiment-rows.js";

/** How often a stimulus passed. */
export interface Passes {
  readonly passes: number;
  /** Trials that were scored. */
  readonly trials: number;
  /** Null when none was. */
  readonly rate: number | null;
}

/** A stimulus in the baseline and in a variant. */
export interface StimulusDifference {
  readonly eval: string;
  readonly stimulus: string;
  readonly baseline: Passes;
  readonly variant: Passes;
  /** Variant minus baseline; null when one of them has no scored trial. */
  readonly difference: number | null;
}

/** A stimulus that variants have and others lack, be it not there at all or without a scored trial. */
export interface MissingStimulus {
  readonly eval: string;
  readonly stimulus: string;
  /** The variants in which it is not there, or nothing of it was scored. */
  readonly variants: readonly string[];
}

type ByVariant = ReadonlyMap<string, readonly EvalRow[]>;

/** Every stimulus of the baseline and a variant, in the order they are met. */
export function stimulusDifferences(baseline: readonly EvalRow[], variant: readonly EvalRow[]): StimulusDifference[] {
  const [before, after] = [byStimulus(baseline), byStimulus(variant)];
  return [...new Map([...before, ...after]).keys()].map((key) => {
    const [ofBaseline, ofVariant] = [passesOf(before.get(key) ?? []), passesOf(after.get(key) ?? [])];
    const { rate: a } = ofBaseline;
    const { rate: b } = ofVariant;
    return {
      ...nameOf(key),
      baseline: ofBaseline,
      variant: ofVariant,
      difference: a === null || b === null ? null : b - a,
    };
  });
}

/** The stimuli that are not scored in every variant. */
export function missingStimuli(rows: ByVariant): MissingStimulus[] {
  const found = Array.from(rows, ([variant, own]) => ({ variant, stimuli: byStimulus(own) }));
  const keys = new Set(found.flatMap(({ stimuli }) => [...stimuli.keys()]));
  return [...keys].flatMap((key) => {
    const without = found.filter(({ stimuli }) => !(stimuli.get(key) ?? []).some(isScored));
    return without.length === 0 ? [] : [{ ...nameOf(key), variants: without.map(({ variant }) => variant) }];
  });
}

function byStimulus(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const found = new Map<string, EvalRow[]>();
  for (const row of rows.filter(isOfStimulus)) {
    const known = found.get(stimulusKey(row));
    if (known === undefined) found.set(stimulusKey(row), [row]);
    else known.push(row);
  }
  return found;
}

function nameOf(key: string): { eval: string; stimulus: string } {
  const [dataset, id] = JSON.parse(key) as [string, string | number];
  return { eval: dataset, stimulus: String(id) };
}

function passesOf(rows: readonly EvalRow[]): Passes {
  const trials = rows.filter(isScored).length;
  const passes = rows.filter(({ outcome }) => outcome === "pass").length;
  return { passes, trials, rate: trials === 0 ? null : passes / trials };
}
