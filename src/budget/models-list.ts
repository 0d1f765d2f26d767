import { describe } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { FileProblem, KeyPath, YamlTree } from "../utils/files/yaml-tree.js";

/** A model that a file lists, not checked yet. */
export interface ListedModel {
  readonly name: string;
  readonly value: unknown;
  readonly path: KeyPath;
}

/** What stands at the top of a models file. */
export interface ModelsList {
  readonly models: readonly ListedModel[];
  readonly defaultName: string | null;
  readonly problems: readonly FileProblem[];
}

const KNOWN_KEYS = ["models", "default"];
const ADVICE = "Write for instance: models: { gpt-5: { provider: openai } }";

/** The models of a file: those below `models:`, or the whole file when it is nothing but mappings. */
export function listModels(tree: YamlTree): ModelsList {
  const { value } = tree;
  if (value === null || value === undefined) return nothing(tree, [], `the file is empty. ${ADVICE}`);
  if (!isMapping(value))
    return nothing(tree, [], `the file must be a mapping of models, not ${describe(value)}. ${ADVICE}`);
  return isWrapped(value) ? listWrapped(tree, value) : listBare(tree, value, []);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A model may be called `default`, but then it is a mapping. */
function isWrapped(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, "models") || (Object.hasOwn(value, "default") && !isMapping(value.default));
}

function nothing(tree: YamlTree, path: KeyPath, text: string): ModelsList {
  return { models: [], defaultName: null, problems: [{ ...tree.placeOf(path), text }] };
}

function listWrapped(tree: YamlTree, value: Record<string, unknown>): ModelsList {
  const unknown = Object.keys(value)
    .filter((key) => !KNOWN_KEYS.includes(key))
    .map((key) => ({ ...tree.placeOfKey([key]), text: `unknown key "${key}".${didYouMean(key, KNOWN_KEYS)}` }));
  const { models } = value;
  const listed = isMapping(models)
    ? listBare(tree, models, ["models"])
    : nothing(tree, ["models"], `${withoutModels(models)}. ${ADVICE}`);
  const problems = [...unknown, ...listed.problems, ...defaultProblems(tree, value.default, listed.models)];
  return { ...listed, defaultName: typeof value.default === "string" ? value.default : null, problems };
}

function withoutModels(models: unknown): string {
  if (models === undefined) return 'there is no "models:"';
  if (models === null) return "there are no models";
  return `"models" must be a mapping from names to models, not ${describe(models)}`;
}

function listBare(tree: YamlTree, models: Record<string, unknown>, path: KeyPath): ModelsList {
  const names = Object.keys(models);
  if (names.length === 0) return nothing(tree, path, `there are no models. ${ADVICE}`);
  const unnamed = names
    .filter((name) => name.trim() === "")
    .map((name) => ({ ...tree.placeOfKey([...path, name]), text: "a model has an empty name. Give it one." }));
  const listed = names.map((name) => ({ name, value: models[name], path: [...path, name] }));
  return { models: listed, defaultName: null, problems: unnamed };
}

function defaultProblems(tree: YamlTree, value: unknown, models: readonly ListedModel[]): FileProblem[] {
  const names = models.map(({ name }) => name);
  // Without any models there is a worse problem to report.
  if (value === undefined || names.length === 0 || names.includes(value as string)) return [];
  const text =
    typeof value === "string"
      ? `default is "${value}", which is no model of this file.${didYouMean(value, names)}`
      : `default must be the name of a model, not ${describe(value)}.`;
  return [{ ...tree.placeOf(["default"]), text }];
}
