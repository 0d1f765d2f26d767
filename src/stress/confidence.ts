import type { Example, Output } from "../core/index.js";
import { getTaskText, rewordExample } from "./perturb.js";

/** Asks for a confidence that `takeConfidence` reads. */
export const CONFIDENCE_INSTRUCTION =
  "After your answer, write one last line that says how likely it is that your answer is right, like this: Confidence: 85%";

/** Adds the instruction to the end of the task. */
export function askConfidence(example: Example): Example {
  const text = getTaskText(example);
  return text === null ? example : rewordExample(example, { text: `${text}\n\n${CONFIDENCE_INSTRUCTION}` });
}

/** A confidence on a line of its own or at the end of one, with Markdown around it. */
const STATED =
  /^(.*?)[*_`[(\s]*\bconfidence(?: level)?[*_`]*\s*(?:[:=]|is)[*_`\s]*(\d+(?:\.\d+)?)\s*(%?)[*_`\])]*\.?\s*$/i;

/** Reads the confidence that a response states last, in [0, 1], and removes it, so that only the answer is graded. */
export function takeConfidence(output: Output): Output {
  const { response } = output;
  if (typeof response !== "string") return output;
  const lines = response.trimEnd().split("\n");
  const at = lines.findLastIndex((line) => STATED.test(line));
  if (at === -1) return output;
  const [, before = "", number = "", percent = ""] = STATED.exec(lines[at] ?? "") ?? [];
  const confidence = toShare(Number(number), percent !== "");
  if (confidence === null) return output;
  const kept = [...lines.slice(0, at), ...(before.trim() === "" ? [] : [before.trimEnd()]), ...lines.slice(at + 1)];
  return { ...output, response: kept.join("\n").trimEnd(), confidence };
}

/** "85%" and "0.85" are the same; 85 without a sign is a percentage, and 1 is certainty. */
function toShare(value: number, isPercent: boolean): number | null {
  const share = isPercent || value > 1 ? value / 100 : value;
  return share >= 0 && share <= 1 ? share : null;
}
