import type { GraderSpec } from "../../../core/grader.js";
import type { KeyPath, Place, YamlTree } from "../../../utils/files/yaml-tree.js";
import type { Stimulus } from "../../spec/spec.js";

type Fields = Readonly<Record<string, unknown>>;

/** Locates a thing in an eval file, or one of its keys. */
export type PlaceOf = (...keys: readonly (string | number)[]) => Place;

/** A grader of a test case, and where it is written. */
export interface WrittenGrader {
  readonly spec: GraderSpec;
  /** The name in messages. */
  readonly title: string;
  readonly placeOf: PlaceOf;
  /** False for graders that come from constraints, rubrics and triggers. */
  readonly isWritten: boolean;
}

export function stimulusPlace(stimulus: Stimulus, tree: YamlTree): PlaceOf {
  const { line, column } = stimulus;
  const index = indexOf(stimulus, tree);
  return (...keys) =>
    index === -1 || keys.length === 0 ? { line, column } : tree.placeOf(["stimuli", index, ...keys]);
}

/** The index in the file's list; -1 for triggers, and where the list has another name. */
export function indexOf({ name, trigger }: Stimulus, tree: YamlTree): number {
  if (trigger !== null) return -1;
  return listAt(tree.value, "stimuli").findIndex((raw) => {
    const { name: given, id } = fieldsOf(raw);
    return (given ?? id) === name;
  });
}

/**
 * Lists the graders of a test case with their locations. Graders of the file and of the test case are matched in order;
 * the others come from constraints, rubrics or triggers. `isWhole` is false when a written grader could not be created.
 */
export function writtenGraders(stimulus: Stimulus, tree: YamlTree): { graders: WrittenGrader[]; isWhole: boolean } {
  const written = pathsOfGraders(stimulus, tree);
  const placeOfStimulus = stimulusPlace(stimulus, tree);
  const graders = stimulus.graders.map((spec): WrittenGrader => {
    const at = written.findIndex(({ raw }) => typeOf(raw) === spec.type && raw.name === spec.name);
    const [found] = at === -1 ? [] : written.splice(at, 1);
    return {
      spec,
      title: spec.name ?? spec.type,
      isWritten: found !== undefined,
      placeOf: (...keys) =>
        found === undefined ? placeOfStimulus(...sourceOf(spec)) : tree.placeOf([...found.path, ...keys]),
    };
  });
  return { graders, isWhole: written.length === 0 };
}

function typeOf({ type }: Fields): unknown {
  return typeof type === "string" ? type.replaceAll("_", "-") : type;
}

/** The key that a grader comes from; empty for triggers. */
function sourceOf({ name = "" }: GraderSpec): string[] {
  const [kind = "", key] = name.split(":");
  return kind === "constraint" && key !== undefined ? ["constraints", key] : kind === "rubric" ? ["rubric"] : [];
}

function pathsOfGraders(stimulus: Stimulus, tree: YamlTree): { raw: Fields; path: KeyPath }[] {
  if (stimulus.trigger !== null) return [];
  const index = indexOf(stimulus, tree);
  const own = index === -1 ? [] : listAt(listAt(tree.value, "stimuli")[index], "graders");
  return [
    ...listAt(tree.value, "graders").map((raw, i) => ({ raw: fieldsOf(raw), path: ["graders", i] })),
    ...own.map((raw, i) => ({ raw: fieldsOf(raw), path: ["stimuli", index, "graders", i] })),
  ];
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const list = fieldsOf(value)[key];
  return Array.isArray(list) ? list : [];
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
