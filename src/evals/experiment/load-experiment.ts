import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "../../core/errors.js";
import { parseYaml, type YamlTree } from "../../utils/files/yaml-tree.js";
import type { Experiment, Variant } from "./experiment.js";
import { ExperimentError, type Problem, placed } from "./experiment-error.js";
import { experimentCheck, type RawExperiment } from "./experiment-schema.js";
import { fromHere } from "./from-here.js";
import { type PointerPath, parsePointer } from "./pointer.js";
import { baselineProblem, readVariants } from "./read-variants.js";

/**
 * Reads an experiment file. The eval files it names are read when the experiment is planned.
 * @example
 * const experiment = await loadExperiment("experiment.yaml");
 * experiment.variants.map(({ name }) => name); // ["without-skill", "with-skill"]
 */
export async function loadExperiment(file: string): Promise<Experiment> {
  const tree = await treeOf(file);
  const shape = experimentCheck()(tree.value);
  const found = [...tree.problems, ...shape.map((problem) => placed(tree, problem))];
  if (found.length > 0) throw new ExperimentError(file, found);
  const { experiment, problems } = readExperiment(file, tree.value as RawExperiment);
  if (problems.length > 0)
    throw new ExperimentError(
      file,
      problems.map((problem) => placed(tree, problem)),
    );
  return experiment;
}

/** An experiment file as a tree that knows the places of things in it. */
export async function treeOf(file: string): Promise<YamlTree> {
  const tree = await parseYaml(readText(file));
  if (tree.isBroken) throw new ExperimentError(file, tree.problems);
  return tree;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const text = `cannot be read: ${messageOf(cause)}. Name an experiment file.`;
    throw new ExperimentError(file, [{ line: 1, column: 1, text }], { cause });
  }
}

function readExperiment(file: string, raw: RawExperiment): { experiment: Experiment; problems: Problem[] } {
  const dir = dirname(resolve(file));
  const { variants, problems } = readVariants(raw, dir);
  const evals = [raw.eval].flat().map((path) => resolve(dir, path));
  const names = variants.map(({ name }) => name);
  const baseline = raw.baseline ?? (raw.matrix === undefined ? undefined : names[0]);
  const experiment: Experiment = {
    file: resolve(file),
    name: raw.name,
    description: raw.description ?? null,
    evals,
    baseline: baseline ?? "",
    vary: varyOf(raw),
    variants,
    runs: raw.runs ?? null,
    notes: notesOf(raw, baseline),
  };
  const others = variants.length === 0 ? [] : [...needed(raw), ...evalProblems(raw, experiment)];
  const unknown = variants.length === 0 || baseline === undefined ? null : baselineProblem(baseline, names);
  return { experiment, problems: [...problems, ...others, ...(unknown === null ? [] : [unknown])] };
}

/** What a matrix varies is plain to see; of variants it has to be said. */
function varyOf({ vary, matrix = {} }: RawExperiment): PointerPath[] {
  return (vary ?? Object.keys(matrix)).map(parsePointer);
}

function needed({ baseline, vary, variants }: RawExperiment): Problem[] {
  if (variants === undefined) return [];
  const problems: Problem[] = [];
  if (baseline === undefined)
    problems.push({ path: [], text: "baseline is missing: name the variant that the others are held against." });
  if (vary === undefined)
    problems.push({ path: [], text: "vary is missing: list the JSON pointers at which variants may differ." });
  if (Object.keys(variants).length < 2)
    problems.push({ path: ["variants"], isAtKey: true, text: "one variant is nothing to compare: add another." });
  return problems;
}

function evalProblems(raw: RawExperiment, { evals, variants }: Experiment): Problem[] {
  const path = (index: number) => (Array.isArray(raw.eval) ? ["eval", index] : ["eval"]);
  const missing = evals.flatMap((file, i) => (existsSync(file) ? [] : [{ path: path(i), text: gone(file) }]));
  return [...missing, ...variants.flatMap((variant) => ownEvalProblems(variant, evals.length))];
}

function ownEvalProblems({ name, evals }: Variant, count: number): Problem[] {
  if (evals === null) return [];
  const path = ["variants", name, "eval"];
  const missing = evals.filter((file) => !existsSync(file)).map((file) => ({ path, text: gone(file) }));
  if (evals.length === count) return missing;
  return [
    ...missing,
    { path, text: `${name} has ${evals.length} eval files, the experiment ${count}: they go together in their order.` },
  ];
}

function gone(file: string): string {
  return `there is no eval file ${fromHere(file)}. Paths start from the folder of the experiment file.`;
}

function notesOf({ baseline, matrix }: RawExperiment, chosen: string | undefined): string[] {
  return matrix !== undefined && baseline === undefined && chosen !== undefined
    ? [`no baseline is named: the first combination is it (${chosen})`]
    : [];
}
