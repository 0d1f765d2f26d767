import type { Environment } from "../core/environment.js";
import type { Example } from "../core/example.js";
import type { Graded } from "../core/grader.js";
import type { Output } from "../core/system.js";
import { diffOf } from "../exec/workspace/diff.js";
import { isAboutGitAlone } from "../exec/workspace/git-state.js";
import { cutMiddle } from "./cut-middle.js";
import { folderText } from "./folder-text.js";
import { GraderError } from "./grader-error.js";
import { answerOf } from "./output-text.js";
import { transcriptText } from "./transcript-text.js";

/** What of the work of a trial can be read: the answer, all that was said and done, what was changed, or all files. */
export const WORK_PARTS = ["response", "transcript", "diff", "workspace"] as const;

export type WorkPart = (typeof WORK_PARTS)[number];

/** Characters of one part; what is too much is cut out of its middle, with a mark. */
export const LONGEST_PART = 60_000;

/** One part of the work as a text; throws when the trial has no such part. */
export async function workText(part: WorkPart, graded: Graded): Promise<string> {
  if (part !== "workspace") return recordedText(part, graded);
  return cutMiddle(await folderText(graded, LONGEST_PART), LONGEST_PART);
}

/** The same for the parts that an output holds by itself. */
export function recordedText(part: Exclude<WorkPart, "workspace">, { example, output }: Recorded): string {
  if (part === "response") return cutMiddle(answerOf(output), LONGEST_PART);
  if (part === "transcript") return cutMiddle(transcriptText(output), LONGEST_PART);
  return diffText({ example, output });
}

type Recorded = { readonly example: Example; readonly output: Output };

/** What is shown of work unless told. */
export const ALL_USUAL_PARTS: readonly WorkPart[] = ["response", "diff"];

/** The same for an output, which may have been made without a folder. */
export function usualParts({ workspace }: Output): readonly WorkPart[] {
  return Array.isArray(workspace?.changes) ? ALL_USUAL_PARTS : ["response"];
}

/** A folder that is still there knows its diff; else it is worked out from what the example gave. */
function diffText({ example, output: { workspace } }: Recorded): string {
  if (!Array.isArray(workspace?.changes)) throw new GraderError("the output does not say what was changed");
  const { diff } = workspace as { diff?: unknown };
  const text = typeof diff === "string" ? diff : diffOf(workspace, example.environment as Environment | undefined);
  const { incomplete } = workspace;
  const isComplete = incomplete === undefined || isAboutGitAlone(incomplete);
  const shown = cutMiddle(text, LONGEST_PART);
  return isComplete ? shown : `${shown}\n[not all that was changed is known: ${incomplete}]`;
}
