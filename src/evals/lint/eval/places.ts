import type { GraderSpec } from "../../../core/grader.js";
import type { KeyPath, Place, YamlTree } from "../../../utils/files/yaml-tree.js";
import type { Stimulus } from "../../spec/spec.js";

type Fields = Readonly<Record<string, unknown>>;

/** Where a thing stands in an eval file: itself, or what is under keys of it. */
export type PlaceOf = (...keys: readonly (string | number)[]) => Place;

/** A grader of a stimulus, and where it was written. */
export interface WrittenGrader {
  readonly spec: GraderSpec;
  /** Its name in messages. */
  readonly title: string;
  readonly placeOf: PlaceOf;
  /** False for the checks that constraints, rubrics and triggers stand for. */
  readonly isWritten: boolean;
}

/** The place of a stimulus and of what is under its keys. */
export function stimulusPlace(stimulus: Stimulus, tree: YamlTree): PlaceOf {
  const { line, column } = stimulus;
  const index = indexOf(stimulus, tree);
  return (...keys) =>
    index === -1 || keys.length === 0 ? { line, column } : tree.placeOf(["stimuli", index, ...keys]);
}

/** Its position in the list of the file; -1 for those of triggers, and where the list has another name. */
export function indexOf({ name, trigger }: Stimulus, tree: YamlTree): number {
  if (trigger !== null) return -1;
  return listAt(tree.value, "stimuli").findIndex((raw) => {
    const { name: given, id } = fieldsOf(raw);
    return (given ?? id) === name;
  });
}

/**
 * The graders of a stimulus, with their places. Those of the file and those of the stimulus are met in their order;
 * what is left over was made of something else when the file was read. It is not whole when
 * one that is written cannot be made.
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

/** The key of the stimulus that a grader was made of; none for those of triggers. */
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

/** The list under a key of a value that was read from a file; empty when there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const list = fieldsOf(value)[key];
  return Array.isArray(list) ? list : [];
}

/** A value that was read from a file as an object; empty when it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
