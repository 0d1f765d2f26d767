import type { YamlTree } from "../../../utils/files/yaml-tree.js";
import type { EvalSpec, Stimulus } from "../../spec/spec.js";
import type { Remark } from "../finding.js";
import type { GivenFiles, GivenReader, GivenSkill } from "./given-files.js";
import { type PlaceOf, stimulusPlace, type WrittenGrader, writtenGraders } from "./places.js";
import type { EvalCode } from "./rules.js";
import { VerdictModel } from "./verdict-model.js";

export type EvalRemark = Remark<EvalCode>;

/** A stimulus with all that is known of it before it is run. */
export interface Subject {
  readonly spec: EvalSpec;
  readonly stimulus: Stimulus;
  readonly placeOf: PlaceOf;
  readonly graders: readonly WrittenGrader[];
  /** False when a grader cannot be made, so that nothing is known of the verdict. */
  readonly isWhole: boolean;
  readonly given: GivenFiles;
  readonly skills: readonly GivenSkill[];
  readonly model: VerdictModel;
  /** All that the agent is told, the prompt and what was said before. */
  readonly asked: string;
}

export interface SubjectSource {
  readonly spec: EvalSpec;
  readonly tree: YamlTree;
  readonly reader: GivenReader;
}

/** Gathers what is known of a stimulus. */
export async function subjectOf(stimulus: Stimulus, { spec, tree, reader }: SubjectSource): Promise<Subject> {
  const { environment, graders, threshold, turns, prompt } = stimulus;
  const given = await reader.files(environment);
  return {
    spec,
    stimulus,
    given,
    placeOf: stimulusPlace(stimulus, tree),
    ...writtenGraders(stimulus, tree),
    skills: await Promise.all((environment.skills ?? []).map((skill) => reader.skill(skill))),
    model: new VerdictModel(graders, threshold, given),
    asked: [...turns.map(({ content }) => content), prompt].join("\n"),
  };
}

/** Whether a grader counts for anything: what is merely reported may say what it likes. */
export function counts({ spec: { weight = 1, required = false } }: WrittenGrader): boolean {
  return weight > 0 || required;
}
