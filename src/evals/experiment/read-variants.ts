import { resolve } from "node:path";
import { didYouMean } from "../../core/suggest.js";
import { isSame } from "./differences.js";
import type { Setting, Variant } from "./experiment.js";
import type { Problem } from "./experiment-error.js";
import { problemWithPointer, type RawExperiment, type RawVariant } from "./experiment-schema.js";
import { isMapping } from "./mapping.js";
import { parsePointer } from "./pointer.js";
import { numbered, variantName } from "./variant-name.js";

/** More than this many variants is a slip of the matrix, not an experiment. */
const MAX_VARIANTS = 64;

/** The variants that a file describes, and what is wrong with them. */
export interface ReadVariants {
  readonly variants: readonly Variant[];
  readonly problems: readonly Problem[];
}

/** Reads variants, or makes them of a matrix. Paths of eval files start from `dir`. */
export function readVariants({ variants, matrix }: RawExperiment, dir: string): ReadVariants {
  if (variants !== undefined && matrix !== undefined)
    return wrong({ path: ["matrix"], isAtKey: true, text: "there are variants already: write one of the two." });
  if (matrix !== undefined) return readMatrix(matrix);
  if (variants !== undefined) return readNamed(variants, dir);
  return wrong({ path: [], text: "there is nothing to compare: write variants or matrix." });
}

function wrong(...problems: Problem[]): ReadVariants {
  return { variants: [], problems };
}

function readNamed(variants: Readonly<Record<string, RawVariant>>, dir: string): ReadVariants {
  const entries = Object.entries(variants);
  if (entries.length === 0)
    return wrong({ path: ["variants"], isAtKey: true, text: "there are no variants: name the baseline and another." });
  if (entries.length > MAX_VARIANTS) return wrong(tooMany(["variants"], entries.length));
  const problems = entries.flatMap(([name, raw]) => problemsOfVariant(name, raw));
  if (problems.length > 0) return wrong(...problems);
  return { variants: entries.map(([name, raw]) => variantOf(name, raw ?? {}, dir)), problems: [] };
}

function problemsOfVariant(name: string, raw: RawVariant): Problem[] {
  const path = ["variants", name];
  const wrongName = problemWithName(name);
  if (wrongName !== null) return [{ path, isAtKey: true, text: wrongName }];
  if (raw === null) return [];
  if (!isMapping(raw))
    return [{ path, text: `${name} must be a mapping of JSON pointers to values, or {} for the eval as it is.` }];
  return Object.entries(raw).flatMap(([key, value]) => {
    const text = key === "eval" ? problemWithEvals(value) : keyProblem(key);
    return text === null ? [] : [{ path: [...path, key], isAtKey: true, text: `${name}: ${text}.` }];
  });
}

/** Names stand in tables, and in messages of one line. */
function problemWithName(name: string): string | null {
  if (name.trim() === "") return "a variant needs a name.";
  const shown = JSON.stringify(name);
  if (/[\n\r\v\f\u0085\u2028\u2029]/.test(name))
    return `the name ${shown} of a variant has a line break in it: write it on one line.`;
  if (/\p{Cc}/u.test(name)) return `the name ${shown} of a variant has a control character in it: leave it out.`;
  return null;
}

function keyProblem(key: string): string | null {
  if (key.startsWith("/")) return problemWithPointer(key);
  return `"${key}" is no JSON pointer: write /${key.replaceAll(".", "/")}, or eval for a file of its own`;
}

function problemWithEvals(value: unknown): string | null {
  const paths = Array.isArray(value) ? value : [value];
  const isRight = paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "");
  return isRight ? null : "eval must be the path of an eval file, or a list of such paths";
}

function variantOf(name: string, raw: Readonly<Record<string, unknown>>, dir: string): Variant {
  const { eval: own, ...settings } = raw;
  return {
    name,
    evals: own === undefined ? null : ([own].flat() as string[]).map((path) => resolve(dir, path)),
    settings: Object.entries(settings).map(([pointer, value]) => settingOf(pointer, value)),
    isCombination: false,
  };
}

function settingOf(pointer: string, value: unknown): Setting {
  return { path: parsePointer(pointer), value };
}

function readMatrix(matrix: Readonly<Record<string, readonly unknown[]>>): ReadVariants {
  const axes = Object.entries(matrix);
  if (axes.length === 0)
    return wrong({ path: ["matrix"], isAtKey: true, text: "the matrix is empty: give a pointer a list of values." });
  const problems = axes.flatMap(([pointer, values]) => axisProblem(pointer, values));
  if (problems.length > 0) return wrong(...problems);
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  if (count > MAX_VARIANTS) return wrong(tooMany(["matrix"], count));
  const combinations = axes.reduce<Setting[][]>(
    (all, [pointer, values]) => all.flatMap((one) => values.map((value) => [...one, settingOf(pointer, value)])),
    [[]],
  );
  const names = numbered(combinations.map(variantName));
  return {
    variants: combinations.map((settings, i) => ({ name: names[i] ?? "", evals: null, settings, isCombination: true })),
    problems: [],
  };
}

function axisProblem(pointer: string, values: unknown): Problem[] {
  const path = ["matrix", pointer];
  const text = pointer.startsWith("/") ? problemWithPointer(pointer) : keyProblem(pointer);
  if (text !== null) return [{ path, isAtKey: true, text: `matrix: ${text}.` }];
  if (!Array.isArray(values) || values.length === 0)
    return [{ path, text: `matrix: ${pointer} needs a list of values, each of which is tried.` }];
  const twice = values.findIndex((value, i) => values.slice(0, i).some((other) => isSame(other, value)));
  return twice === -1 ? [] : [{ path: [...path, twice], text: `matrix: this value of ${pointer} stands there twice.` }];
}

function tooMany(path: readonly string[], count: number): Problem {
  return { path, isAtKey: true, text: `${count} variants are too many: at most ${MAX_VARIANTS} are run.` };
}

/** What is wrong with the name of a baseline; null when there is such a variant. */
export function baselineProblem(baseline: string, names: readonly string[]): Problem | null {
  if (names.includes(baseline)) return null;
  return { path: ["baseline"], text: `there is no variant "${baseline}".${didYouMean(baseline, names)}` };
}
