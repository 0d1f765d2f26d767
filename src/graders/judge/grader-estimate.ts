import type { Example } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { ALL_USUAL_PARTS, LONGEST_PART, recordedText, usualParts, type WorkPart } from "../work-text.js";
import type { Prompt, Trialled } from "./bench.js";
import { type EstimateOptions, type JudgingCost, judgingCost } from "./estimate.js";
import type { ShownPart } from "./grader-prompt.js";
import type { JudgeModelSource } from "./judge-model.js";

/** What the cost of judging the work of a trial follows from. */
export interface EstimatedWork {
  readonly sources: readonly JudgeModelSource[];
  readonly evidence: readonly WorkPart[] | null;
  /** What the judge is asked about the parts that are known. */
  readonly prompt: (work: readonly ShownPart[], output: Output) => Prompt;
}

/** Code and logs have more tokens to their characters than prose. */
const CHARACTERS_PER_TOKEN = 3;
const LONGEST_PART_TOKENS = LONGEST_PART / CHARACTERS_PER_TOKEN;

/**
 * What judging the work of one trial costs: at least the task and the instructions, at most every part of the work at the
 * length it is cut to. Of a stored output all is known but the files of its folder, which are left out.
 */
export function workCost(example: Example, work: EstimatedWork, options: EstimateOptions): JudgingCost {
  const { sources, evidence, prompt } = work;
  const known = options.output === undefined ? [] : knownParts(evidence, example, options.output);
  const bench = { obstacle: () => null, prompts: ({ processed }: Trialled) => [prompt(known, processed)] };
  const answerTokens = longest(evidence, options);
  return judgingCost(example, { sources, bench, perTurn: false }, { ...options, answerTokens });
}

function longest(evidence: readonly WorkPart[] | null, { answerTokens }: EstimateOptions): number {
  const response = Math.min(answerTokens ?? Number.POSITIVE_INFINITY, LONGEST_PART_TOKENS);
  const tokens = (evidence ?? ALL_USUAL_PARTS).map((part) => (part === "response" ? response : LONGEST_PART_TOKENS));
  return tokens.reduce((total, each) => total + each, 0);
}

function knownParts(evidence: readonly WorkPart[] | null, example: Example, output: Output): ShownPart[] {
  const wanted = evidence ?? usualParts(output);
  return wanted.flatMap((part) => (part === "workspace" ? [] : textIn(part, example, output)));
}

/** A part that is not there ends the grading before anybody is asked. */
function textIn(part: Exclude<WorkPart, "workspace">, example: Example, output: Output): ShownPart[] {
  try {
    return [{ part, text: recordedText(part, { example, output }) }];
  } catch {
    return [];
  }
}
