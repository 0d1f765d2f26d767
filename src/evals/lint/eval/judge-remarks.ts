import type { KeyPath, YamlTree } from "../../../utils/files/yaml-tree.js";
import { fieldsOf, listAt } from "./places.js";
import type { EvalRemark } from "./subject.js";

/** Finds graders and rubrics that need a judge model where none is named. */
export function judgeRemarks(tree: YamlTree, judgeModel: string | null): EvalRemark[] {
  if (judgeModel !== null) return [];
  const shared = listAt(tree.value, "graders");
  return [
    ...ofGraders(shared, ["graders"], tree),
    ...listAt(tree.value, "stimuli").flatMap((stimulus, index): EvalRemark[] => {
      const own = listAt(stimulus, "graders");
      const path = ["stimuli", index];
      const isRubric = listAt(stimulus, "rubric").length > 0 && ![...shared, ...own].some(isJudge);
      const unjudged = isRubric ? [ofRubric(fieldsOf(stimulus).name, tree.placeOf([...path, "rubric"]))] : [];
      return [...ofGraders(own, [...path, "graders"], tree), ...unjudged];
    }),
  ];
}

function ofGraders(graders: readonly unknown[], path: KeyPath, tree: YamlTree): EvalRemark[] {
  return graders.flatMap((given, index): EvalRemark[] => {
    const { type, name, model, config } = fieldsOf(given);
    if (type !== "prompt" || model !== undefined || fieldsOf(config).model !== undefined) return [];
    const title = typeof name === "string" ? name : type;
    const message = `${title} asks a model, but neither its config nor defaults.judge_model names one.`;
    return [{ ...tree.placeOf([...path, index]), code: "EVAL-JUDGE-MODEL", message }];
  });
}

function ofRubric(name: unknown, place: ReturnType<YamlTree["placeOf"]>): EvalRemark {
  const message = `The rubric of ${JSON.stringify(name)} needs a judge, but defaults.judge_model is not set.`;
  return { ...place, code: "EVAL-RUBRIC-JUDGE", message };
}

/** True for a grader that asks a model, or has a part that does. */
function isJudge(given: unknown): boolean {
  const { type, config } = fieldsOf(given);
  const parts = [...listAt(config, "graders"), fieldsOf(config).grader];
  return type === "prompt" || type === "panel" || parts.some((part) => part !== undefined && isJudge(part));
}
