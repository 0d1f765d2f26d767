import type { KeyPath, YamlTree } from "../../../utils/files/yaml-tree.js";
import { getDocumentList, toDocumentFields } from "./places.js";
import type { EvalIssue } from "./subject.js";

/** Finds graders and rubrics that need a judge model where none is named. */
export function findJudgeIssues(tree: YamlTree, judgeModel: string | null): EvalIssue[] {
  if (judgeModel !== null) return [];
  const shared = getDocumentList(tree.value, "graders");
  return [
    ...findGraderJudgeIssues(shared, ["graders"], tree),
    ...getDocumentList(tree.value, "stimuli").flatMap((stimulus, index): EvalIssue[] => {
      const own = getDocumentList(stimulus, "graders");
      const path = ["stimuli", index];
      const isRubric = getDocumentList(stimulus, "rubric").length > 0 && ![...shared, ...own].some(isJudgeGrader);
      const unjudged = isRubric
        ? [reportUnjudgedRubric(toDocumentFields(stimulus).name, tree.locate([...path, "rubric"]))]
        : [];
      return [...findGraderJudgeIssues(own, [...path, "graders"], tree), ...unjudged];
    }),
  ];
}

function findGraderJudgeIssues(graders: readonly unknown[], path: KeyPath, tree: YamlTree): EvalIssue[] {
  return graders.flatMap((given, index): EvalIssue[] => {
    const { type, name, model, config } = toDocumentFields(given);
    if (type !== "prompt" || model !== undefined || toDocumentFields(config).model !== undefined) return [];
    const title = typeof name === "string" ? name : type;
    const message = `${title} asks a model, but neither its config nor defaults.judge_model names one.`;
    return [{ ...tree.locate([...path, index]), code: "EVAL-JUDGE-MODEL", message }];
  });
}

function reportUnjudgedRubric(name: unknown, place: ReturnType<YamlTree["locate"]>): EvalIssue {
  const message = `The rubric of ${JSON.stringify(name)} needs a judge, but defaults.judge_model is not set.`;
  return { ...place, code: "EVAL-RUBRIC-JUDGE", message };
}

/** True for a grader that asks a model, or has a part that does. */
function isJudgeGrader(given: unknown): boolean {
  const { type, config } = toDocumentFields(given);
  const parts = [...getDocumentList(config, "graders"), toDocumentFields(config).grader];
  return type === "prompt" || type === "panel" || parts.some((part) => part !== undefined && isJudgeGrader(part));
}
