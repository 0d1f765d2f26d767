import { AssayError } from "../../core/errors.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import type { EvalSpec } from "../spec/spec.js";
import { type Difference, differencesOf, isSame } from "./differences.js";
import type { Experiment, Variant } from "./experiment.js";
import type { Problem } from "./experiment-error.js";
import { formatPointer, isUnder, type PointerPath, valueAt, withoutValue, withValue } from "./pointer.js";
import { experimentError, placeOf, type ReadSpec, type ReadVariant } from "./read-specs.js";
import type { SpecReader } from "./spec-reader.js";

/**
 * Throws unless variants differ from the baseline, and at the places of `vary` alone. What counts is what the evals mean
 * once they are read: each variant must be what the baseline becomes with its values at those places.
 */
export async function checkVary(
  experiment: Experiment,
  read: readonly ReadVariant[],
  reader: SpecReader,
): Promise<string[]> {
  const baseline = read.find(({ variant }) => variant.name === experiment.baseline);
  if (baseline === undefined) throw new Error(`The experiment has no variant ${experiment.baseline}.`);
  const problems: Problem[] = [];
  for (const one of read)
    if (one !== baseline) problems.push(...(await problemsWith(one, baseline, { vary: experiment.vary, reader })));
  if (problems.length > 0) throw await experimentError(experiment, problems);
  return [...unvaried(experiment.vary, read), ...twins(read)];
}

interface Allowed {
  readonly vary: readonly PointerPath[];
  readonly reader: SpecReader;
}

async function problemsWith(one: ReadVariant, baseline: ReadVariant, allowed: Allowed): Promise<Problem[]> {
  if (isEqual(one, baseline))
    return [
      {
        path: placeOf(one.variant),
        isAtKey: true,
        text: `variant "${one.variant.name}" is the same as the baseline "${baseline.variant.name}": change something in it, or remove it.`,
      },
    ];
  const found: Problem[] = [];
  for (const [index, spec] of one.specs.entries()) {
    const base = baseline.specs[index];
    if (base === undefined) continue;
    const offending = await outsideVary(spec, base, allowed);
    found.push(...offending.map((difference) => problemOf(difference, one, baseline)));
  }
  return found;
}

function problemOf({ path, before, after }: Difference, { variant }: ReadVariant, baseline: ReadVariant): Problem {
  const { place, pointer } = causeOf(path, [variant, baseline.variant]);
  return {
    path: place,
    isAtKey: true,
    text: `variant "${variant.name}" differs at ${formatPointer(path)}, which is not under vary: ${shown(after)}, but ${shown(before)} in "${baseline.variant.name}". Add ${pointer} to vary, or make it the same.`,
  };
}

/** The setting that a difference comes from, of whichever variant; where it comes from elsewhere, the first of them. */
function causeOf(path: PointerPath, variants: readonly [Variant, Variant]): { place: KeyPath; pointer: string } {
  for (const each of variants) {
    const setting = each.settings.find((one) => isUnder(path, one.path));
    if (setting !== undefined) return { place: placeOf(each, setting), pointer: formatPointer(setting.path) };
  }
  return { place: placeOf(variants[0]), pointer: formatPointer(path) };
}

const MAX_SHOWN = 120;

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** The differences of a variant that its values at the places of `vary` do not bring about. */
async function outsideVary(one: ReadSpec, base: ReadSpec, { vary, reader }: Allowed): Promise<Difference[]> {
  const isOutside = ({ path }: Difference) => !vary.some((above) => isUnder(path, above));
  const written = differencesOf(base.raw, one.raw).filter(isOutside);
  const expected = await reread(reader, base.file, () => transplanted(base.raw, one.raw, vary));
  const meant = expected === null ? null : differencesOf(meaningOf(expected), meaningOf(one.spec)).filter(isOutside);
  if (meant?.length === 0) return [];
  const telling = written.filter(({ path }) => !SAYS_NOTHING.has(path[0] ?? ""));
  return telling.length > 0 ? telling : (meant ?? written);
}

/** Keys of an eval document that change nothing about how it is run. */
const SAYS_NOTHING = new Set(["description", "version"]);

/** Null when the baseline with those values makes no sound eval: then something else of the variant is needed for it. */
async function reread(reader: SpecReader, file: string, edit: () => unknown): Promise<EvalSpec | null> {
  try {
    return await reader.load(file, edit);
  } catch (error) {
    if (error instanceof AssayError) return null;
    throw error;
  }
}

/** A document with what another has at these places, where that may be nothing. */
function transplanted(into: unknown, from: unknown, places: readonly PointerPath[]): unknown {
  const isThere = (path: PointerPath) => valueAt(from, path) !== undefined;
  const set = places.filter(isThere).reduce((document, path) => withValue(document, path, valueAt(from, path)), into);
  // From the last entry of a list on, so that the numbers of the others still hold.
  return places
    .filter((path) => !isThere(path))
    .toSorted((a, b) => formatPointer(b).localeCompare(formatPointer(a), "en", { numeric: true }))
    .reduce(withoutValue, set);
}

/** What of an eval decides how it is run. */
function meaningOf({ file: _, notes: __, description: ___, stimuli, ...rest }: EvalSpec): unknown {
  return { ...rest, stimuli: stimuli.map(({ line: ____, column: _____, ...stimulus }) => stimulus) };
}

function isEqual(a: ReadVariant, b: ReadVariant): boolean {
  return isSame(
    a.specs.map(({ spec }) => meaningOf(spec)),
    b.specs.map(({ spec }) => meaningOf(spec)),
  );
}

function unvaried(vary: readonly PointerPath[], read: readonly ReadVariant[]): string[] {
  const valuesAt = (path: PointerPath) => read.map(({ specs }) => specs.map(({ raw }) => valueAt(raw, path) ?? null));
  return vary
    .filter((path) => valuesAt(path).every((values, _, [first]) => isSame(values, first)))
    .map((path) => `vary names ${formatPointer(path)}, but it is the same in all variants`);
}

function twins(read: readonly ReadVariant[]): string[] {
  return read.flatMap((one, index) => {
    const twin = read.slice(0, index).find((other) => isEqual(one, other));
    return twin === undefined ? [] : [`variants "${twin.variant.name}" and "${one.variant.name}" are the same`];
  });
}
