import type { GraderSpec } from "../../../core/index.js";
import type { FilePosition, KeyPath, YamlTree } from "../../../utils/index.js";
import type { Stimulus } from "../../spec/spec.js";

type DocumentFields = Readonly<Record<string, unknown>>;

/** Locates a thing in an eval file, or one of its keys. */
export type Locator = (...keys: readonly (string | number)[]) => FilePosition;

/** A grader of a test case, and where it is written. */
export interface WrittenGrader {
  readonly spec: GraderSpec;
  /** The name in messages. */
  readonly title: string;
  readonly placeOf: Locator;
  /** False for graders that come from constraints, rubrics and triggers. */
  readonly isWritten: boolean;
}

export function createStimulusLocator(stimulus: Stimulus, tree: YamlTree): Locator {
  const { line, column } = stimulus;
  const index = findStimulusIndex(stimulus, tree);
  return (...keys) => (index === -1 || keys.length === 0 ? { line, column } : tree.locate(["stimuli", index, ...keys]));
}

/** The index in the file's list; -1 for triggers, and where the list has another name. */
export function findStimulusIndex({ name, trigger }: Stimulus, tree: YamlTree): number {
  if (trigger !== null) return -1;
  return getDocumentList(tree.value, "stimuli").findIndex((raw) => {
    const { name: given, id } = toDocumentFields(raw);
    return (given ?? id) === name;
  });
}

/**
 * Lists the graders of a test case with their locations. Graders of the file and of the test case are matched in order;
 * the others come from constraints, rubrics or triggers. `isWhole` is false when a written grader could not be created.
 */
export function listWrittenGraders(stimulus: Stimulus, tree: YamlTree): { graders: WrittenGrader[]; isWhole: boolean } {
  const written = listGraderPaths(stimulus, tree);
  const placeOfStimulus = createStimulusLocator(stimulus, tree);
  const graders = stimulus.graders.map((spec): WrittenGrader => {
    const at = written.findIndex(({ raw }) => getNormalizedType(raw) === spec.type && raw.name === spec.name);
    const [found] = at === -1 ? [] : written.splice(at, 1);
    return {
      spec,
      title: spec.name ?? spec.type,
      isWritten: found !== undefined,
      placeOf: (...keys) =>
        found === undefined ? placeOfStimulus(...findSourceKey(spec)) : tree.locate([...found.path, ...keys]),
    };
  });
  return { graders, isWhole: written.length === 0 };
}

function getNormalizedType({ type }: DocumentFields): unknown {
  return typeof type === "string" ? type.replaceAll("_", "-") : type;
}

/** The key that a grader comes from; empty for triggers. */
function findSourceKey({ name = "" }: GraderSpec): string[] {
  const [kind = "", key] = name.split(":");
  return kind === "constraint" && key !== undefined ? ["constraints", key] : kind === "rubric" ? ["rubric"] : [];
}

function listGraderPaths(stimulus: Stimulus, tree: YamlTree): { raw: DocumentFields; path: KeyPath }[] {
  if (stimulus.trigger !== null) return [];
  const index = findStimulusIndex(stimulus, tree);
  const own = index === -1 ? [] : getDocumentList(getDocumentList(tree.value, "stimuli")[index], "graders");
  return [
    ...getDocumentList(tree.value, "graders").map((raw, i) => ({ raw: toDocumentFields(raw), path: ["graders", i] })),
    ...own.map((raw, i) => ({ raw: toDocumentFields(raw), path: ["stimuli", index, "graders", i] })),
  ];
}

export function getDocumentList(value: unknown, key: string): readonly unknown[] {
  const list = toDocumentFields(value)[key];
  return Array.isArray(list) ? list : [];
}

export function toDocumentFields(value: unknown): DocumentFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as DocumentFields) : {};
}
