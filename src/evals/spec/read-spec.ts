import { readFileSync } from "node:fs";
import { getErrorMessage, UsageError } from "../../core/errors.js";
import { registry as defaultRegistry, type Registry } from "../../core/registry.js";
import { createBuiltInFactories } from "../../graders/make-grader.js";
import { type FileProblem, parseYaml, type YamlTree } from "../../utils/files/yaml-tree.js";
import { buildSpec } from "./build-spec.js";
import { findSchemaProblems, ProblemCollector, SpecError, sortProblems } from "./findings.js";
import { SPEC_RULES } from "./key-rules.js";
import { isRawMapping, normalizeKeys } from "./respell.js";

import type { EvalSpec } from "./spec.js";
import type { SharedEnvironment } from "./spec-environment.js";

import { type RawSpec, specSchema } from "./spec-schema.js";

/** Options of `loadSpec`. */
export interface LoadSpecOptions {
  /** Changes a copy of the document before it is checked. */
  readonly edit?: (raw: unknown) => unknown;
  /** Environments of the project file, by name. */
  readonly environments?: Readonly<Record<string, SharedEnvironment>>;
  /** Where graders are looked up, besides the built-in ones. Default: the shared registry. */
  readonly registry?: Registry;
  /** The judge model, instead of that of the file. */
  readonly judgeModel?: string;
  /** Trials of each test case, instead of those of the file. The default gate depends on them. */
  readonly runs?: number;
}

/** An eval file, as far as it could be read. */
export interface ParsedSpec {
  /** Null when the file is not an eval file; set despite other problems, but then not fit to be run. */
  readonly spec: EvalSpec | null;
  readonly problems: readonly FileProblem[];
  readonly tree: YamlTree;
}

/**
 * Reads an eval file and throws a `SpecError` with all of its problems.
 * @example
 * const spec = await loadSpec("evals/test-writer/eval.yaml");
 * spec.stimuli.map(({ name }) => name);
 */
export async function loadSpec(file: string, options: LoadSpecOptions = {}): Promise<EvalSpec> {
  const { spec, problems } = await readSpec(file, options);
  if (spec === null || problems.length > 0) throw new SpecError(file, problems);
  return spec;
}

/**
 * Reads an eval file and returns all of its problems; throws only if the file cannot be read.
 * @example
 * const { problems } = await readSpec("eval.yaml");
 */
export async function readSpec(file: string, options: LoadSpecOptions = {}): Promise<ParsedSpec> {
  const tree = await parseYaml(readSpecText(file));
  if (tree.isBroken) return { spec: null, problems: sortProblems(tree.problems), tree };
  const document = options.edit === undefined ? tree.value : options.edit(copyDocument(tree.value));
  const { spec, problems } = await parseSpecDocument(document, { file, options, tree });
  return { spec, problems: sortProblems([...tree.problems, ...problems]), tree };
}

/** Copies what a YAML anchor shares for each place, so that editing one does not change the others. */
function copyDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyDocument);
  if (!isRawMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyDocument(inner)]));
}

interface SpecSource {
  readonly file: string;
  readonly options: LoadSpecOptions;
  readonly tree: YamlTree;
}

async function parseSpecDocument(
  document: unknown,
  { file, options, tree }: SpecSource,
): Promise<Omit<ParsedSpec, "tree">> {
  const { registry = defaultRegistry, environments = {}, judgeModel, runs, edit } = options;
  if (!isRawMapping(document))
    return { spec: null, problems: [{ line: 1, column: 1, text: describeNonMapping(document) }] };
  const respelled = normalizeKeys(document, SPEC_RULES, createGraderTypeCheck(registry));
  const findings = new ProblemCollector(tree, respelled.sourceOf);
  for (const note of respelled.notes) findings.addNote(note);
  for (const problem of respelled.problems) findings.add(problem);
  const wrong = findSchemaProblems(specSchema, respelled.value, SPEC_RULES);
  for (const problem of wrong) findings.add({ ...problem, path: respelled.sourceOf(problem.path) });
  if (wrong.length > 0) return { spec: null, problems: findings.problems };
  const context = { file, findings, registry, shared: environments, judgeModel, runs, isEdited: edit !== undefined };
  const spec = await buildSpec(respelled.value as RawSpec, context);
  return { spec, problems: findings.problems };
}

function describeNonMapping(document: unknown): string {
  const is = document === null || document === undefined ? "is empty" : "is not a mapping of keys to values";
  return `the file ${is}: give it a name and stimuli.`;
}

function createGraderTypeCheck(registry: Registry): (type: string) => boolean {
  const own = createBuiltInFactories(registry);
  return (type) => Object.hasOwn(own, type) || registry.has("grader", type);
}

function readSpecText(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (cause) {
    throw new UsageError(`The eval file ${file} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}
