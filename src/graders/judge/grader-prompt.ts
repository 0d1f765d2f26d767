import type { WorkPart } from "../work-text.js";
import { fenced, type Material, markFor } from "./fence.js";
import type { Form } from "./judgement.js";
import {
  answerWith,
  DATA_ONLY,
  FAIRNESS,
  joined,
  REFERENCE_WORDS,
  type Rules,
  rubricOf,
  scaleWords,
} from "./prompt.js";
import type { Scale } from "./scale.js";

/** Increase with every change to the texts below: different prompts may give different scores. */
export const GRADER_PROMPT_VERSION = 1;

const CANNOT =
  "Set cannot_judge to true only when the material is not enough to decide, and say in the reasoning what is missing. Work that is unfinished, wrong, beside the point or not done at all can be judged. Where a note in square brackets says that something was left out, and that could decide, you cannot judge.";

/** The instructions for judging the work of a trial. They are the same for every trial, so that providers can cache them. */
export function workInstructions(rules: Rules, scale: Scale, form: Form<unknown>): string {
  const how = rules.criteria.length === 0 ? "" : ", by several criteria, each on its own";
  return joined([
    `You are an impartial judge of the work that an AI system did on a task${how}. ${FAIRNESS} Go by what was done, not by what the system says it has done, wherever you are shown both.`,
    rubricOf(rules),
    ...rules.criteria.map(([name, rubric]) => `Criterion "${name}": ${rubric}`),
    rules.criteria.length === 0 ? "" : "Each criterion is the rubric of its own verdict.",
    scaleWords(scale, "the work"),
    CANNOT,
    DATA_ONLY,
    answerWith(form),
  ]);
}

/** A part of the work, as text. */
export interface ShownPart {
  readonly part: WorkPart;
  readonly text: string;
}

export interface WorkCase {
  readonly task: readonly Material[];
  readonly references: readonly Material[];
  readonly work: readonly ShownPart[];
}

const CAPTIONS: Readonly<Record<WorkPart, { readonly tag: string; readonly words: string }>> = {
  response: { tag: "response", words: "What the system answered:" },
  transcript: { tag: "transcript", words: "What it said and did, step by step:" },
  diff: { tag: "diff", words: "What it changed in its folder, as a diff:" },
  workspace: { tag: "files", words: "The files that are in its folder now:" },
};

/** The message with the task and the work. The request comes last, where no text of the material can follow it. */
export function workMessage({ task, references, work }: WorkCase, form: Form<unknown>): string {
  const mark = markFor([...task, ...references, ...work].map(({ text }) => text));
  const show = (materials: readonly Material[]) => materials.map((material) => fenced(material, mark));
  const tags = work.map(({ part }) => `<${CAPTIONS[part].tag}-${mark}>`);
  return joined([
    `The mark of this message is ${mark}.`,
    ...(task.length === 0 ? [] : ["The task:", ...show(task)]),
    ...(references.length === 0 ? [] : [REFERENCE_WORDS, ...show(references)]),
    ...work.flatMap((shown) => partWords(shown, mark)),
    `Judge the work that is shown in ${tags.join(" and ")} as you were told to. ${answerWith(form)}`,
  ]);
}

function partWords({ part, text }: ShownPart, mark: string): string[] {
  const { tag, words } = CAPTIONS[part];
  if (text.trim() === "")
    return [words, fenced({ tag, text }, mark), `What stands in <${tag}-${mark}> is empty: there was nothing.`];
  return [words, fenced({ tag, text }, mark)];
}
