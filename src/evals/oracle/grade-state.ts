import { messageOf } from "../../core/errors.js";
import type { Evaluator, ScoredWithEvidence } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { VERDICT, WEIGHTED_SCORE } from "../../graders/graders-of.js";
import type { StateVerdict } from "./result.js";
import type { FolderChange, PatchedFolders } from "./states.js";

/** What it takes to grade a state. */
export interface Grading {
  readonly evaluator: Evaluator;
  /** With those graders alone that can tell. */
  readonly example: Example;
  readonly folders: PatchedFolders;
  readonly signal: AbortSignal;
}

/** Makes the state that a patch leads to, has it graded and removes it; `change` is made to the folder before. */
export async function gradePatched(
  patch: string,
  { evaluator, example, folders, signal }: Grading,
  change?: FolderChange,
): Promise<StateVerdict> {
  signal.throwIfAborted();
  const folder = await folders.make(patch, change);
  try {
    const scored = await evaluator.score(example, { workspace: folder.state }, { signal });
    signal.throwIfAborted();
    return verdictIn(scored as ScoredWithEvidence);
  } finally {
    await folder.remove();
  }
}

/** The verdict on a state that could not be made. */
export function notMade(error: unknown): StateVerdict {
  return { outcome: "error", reason: messageOf(error), evidence: {} };
}

function verdictIn({ scores, evidence = {}, unscored = {} }: ScoredWithEvidence): StateVerdict {
  const { [VERDICT]: reason = "", ...found } = evidence;
  const { [VERDICT]: whyNot = "", [WEIGHTED_SCORE]: _, ...silent } = unscored;
  const said = { ...found, ...silent };
  const verdict = scores[VERDICT];
  if (verdict === undefined) return { outcome: "error", reason: whyNot, evidence: said };
  return { outcome: verdict === 1 ? "pass" : "fail", reason, evidence: said };
}
