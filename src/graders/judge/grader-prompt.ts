import type { WorkPart } from "../work-text.js";
import { computeMark, type Material, wrapMaterial } from "./fence.js";
import type { AnswerForm } from "./judgement.js";
import {
  DATA_ONLY,
  describeScale,
  FAIRNESS,
  formatAnswerRequest,
  formatRubric,
  type JudgingRules,
  joinPromptParts,
  REFERENCE_INTRO,
} from "./prompt.js";
import type { Scale } from "./scale.js";

/** Increase with every change to the texts below: different prompts may give different scores. */
export const GRADER_PROMPT_VERSION = 1;

const CANNOT_JUDGE_WORK =
  "Set cannot_judge to true only when the material is not enough to decide, and say in the reasoning what is missing. Work that is unfinished, wrong, beside the point or not done at all can be judged. Where a note in square brackets says that something was left out, and that could decide, you cannot judge.";

/** The instructions for judging the work of a trial. They are the same for every trial, so that providers can cache them. */
export function buildWorkInstructions(rules: JudgingRules, scale: Scale, form: AnswerForm<unknown>): string {
  const how = rules.criteria.length === 0 ? "" : ", by several criteria, each on its own";
  return joinPromptParts([
    `You are an impartial judge of the work that an AI system did on a task${how}. ${FAIRNESS} Go by what was done, not by what the system says it has done, wherever you are shown both.`,
    formatRubric(rules),
    ...rules.criteria.map(([name, rubric]) => `Criterion "${name}": ${rubric}`),
    rules.criteria.length === 0 ? "" : "Each criterion is the rubric of its own verdict.",
    describeScale(scale, "the work"),
    CANNOT_JUDGE_WORK,
    DATA_ONLY,
    formatAnswerRequest(form),
  ]);
}

/** A part of the work, as text. */
export interface WorkPartText {
  readonly part: WorkPart;
  readonly text: string;
}

export interface WorkCase {
  readonly task: readonly Material[];
  readonly references: readonly Material[];
  readonly work: readonly WorkPartText[];
}

const CAPTIONS: Readonly<Record<WorkPart, { readonly tag: string; readonly words: string }>> = {
  response: { tag: "response", words: "What the system answered:" },
  transcript: { tag: "transcript", words: "What it said and did, step by step:" },
  diff: { tag: "diff", words: "What it changed in its folder, as a diff:" },
  workspace: { tag: "files", words: "The files that are in its folder now:" },
};

/** The message with the task and the work. The request comes last, where no text of the material can follow it. */
export function buildWorkMessage({ task, references, work }: WorkCase, form: AnswerForm<unknown>): string {
  const mark = computeMark([...task, ...references, ...work].map(({ text }) => text));
  const show = (materials: readonly Material[]) => materials.map((material) => wrapMaterial(material, mark));
  const tags = work.map(({ part }) => `<${CAPTIONS[part].tag}-${mark}>`);
  return joinPromptParts([
    `The mark of this message is ${mark}.`,
    ...(task.length === 0 ? [] : ["The task:", ...show(task)]),
    ...(references.length === 0 ? [] : [REFERENCE_INTRO, ...show(references)]),
    ...work.flatMap((shown) => formatWorkPart(shown, mark)),
    `Judge the work that is shown in ${tags.join(" and ")} as you were told to. ${formatAnswerRequest(form)}`,
  ]);
}

function formatWorkPart({ part, text }: WorkPartText, mark: string): string[] {
  const { tag, words } = CAPTIONS[part];
  if (text.trim() === "")
    return [words, wrapMaterial({ tag, text }, mark), `What stands in <${tag}-${mark}> is empty: there was nothing.`];
  return [words, wrapMaterial({ tag, text }, mark)];
}
