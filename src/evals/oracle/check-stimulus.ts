import { messageOf } from "../../core/errors.js";
import type { Evaluator } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Registry } from "../../core/registry.js";
import type { Limit } from "../../utils/limit.js";
import { allEnded } from "./all-ended.js";
import { type Grading, gradePatched, notMade } from "./grade-state.js";
import { omissionsOf } from "./omissions.js";
import { PatchError } from "./patch-error.js";
import type {
  CheckedStimulus,
  OmissionSummary,
  StateVerdict,
  StimulusCheck,
  StimulusPlace,
  TriedOmission,
  UncheckedStimulus,
} from "./result.js";
import { PatchedFolders } from "./states.js";
import { type TakingPart, takingPart } from "./taking-part.js";
import { tryOmissions } from "./try-omissions.js";

/** A stimulus as the oracle takes it: the example it became, and the patch that solves it. */
export interface OracleTask {
  readonly place: StimulusPlace;
  /** With the content of its files. */
  readonly example: Example;
  readonly goldenPatch: { readonly file: string; readonly text: string } | null;
}

/** What the checks of all stimuli share. */
export interface Bench {
  readonly evaluator: Evaluator;
  readonly registry: Registry;
  readonly limit: Limit;
  readonly maxOmissions: number;
  readonly signal: AbortSignal;
  /** Told how many more states will be graded, each that was (null for one that is no omission), and each stimulus. */
  readonly onPlan: (count: number) => void;
  readonly onTried: (tried: TriedOmission | null) => void;
  readonly onFinished: () => void;
}

/** A task with those of its graders that can tell, or why they cannot be made. */
export interface GradableTask extends OracleTask {
  readonly part: TakingPart | Error;
}

/** Makes the graders of a task, before anything is run. */
export function gradable(
  task: OracleTask,
  { evaluator, registry }: Pick<Bench, "evaluator" | "registry">,
): GradableTask {
  if (task.goldenPatch === null) return { ...task, part: NOBODY };
  try {
    const part = takingPart(task.example, registry);
    if (part.example !== null) evaluator.checkExample?.(part.example);
    return { ...task, part };
  } catch (error) {
    return { ...task, part: new Error(messageOf(error), { cause: error }) };
  }
}

const NOBODY: TakingPart = { example: null, leftOut: [] };

/** Holds the graders of a stimulus against its untouched state, its golden state and all that lies just short of it. */
export async function checkStimulus({ place, goldenPatch, part }: GradableTask, bench: Bench): Promise<StimulusCheck> {
  if (goldenPatch === null) return unchecked(place, "no-patch", "it has no golden patch");
  if (part instanceof Error) return unchecked(place, "error", part.message);
  const { example, leftOut } = part;
  if (example === null)
    return { ...unchecked(place, "no-grader", "none of its graders can tell from a folder alone"), leftOut };
  try {
    const { file: patchFile, text } = goldenPatch;
    return { ...place, patchFile, ...(await heldAgainst(text, example, bench)), leftOut };
  } catch (error) {
    const why = bench.signal.aborted ? "it was stopped" : messageOf(error);
    return unchecked(place, bench.signal.aborted ? "interrupted" : "error", why);
  }
}

function unchecked(place: StimulusPlace, cause: UncheckedStimulus["cause"], why: string): UncheckedStimulus {
  return { ...place, status: "unchecked", cause, why, leftOut: [] };
}

type Found = Pick<CheckedStimulus, "status" | "untouched" | "golden" | "omissions" | "notes">;

async function heldAgainst(patch: string, example: Example, bench: Bench): Promise<Found> {
  const folders = new PatchedFolders(example.environment ?? {}, bench.signal);
  try {
    const grading = { evaluator: bench.evaluator, example, folders, signal: bench.signal };
    bench.onPlan(2);
    const { notes, ...ends } = await bothEnds(patch, grading, bench);
    const isSound = ends.untouched.outcome === "fail" && ends.golden.outcome === "pass";
    if (!isSound) return { ...ends, status: "unsound", omissions: null, notes };
    const omissions = await tryOmissions(patch, { ...bench, grading, most: bench.maxOmissions });
    return { ...ends, status: "sound", omissions, notes: [...notes, ...notesOn(patch, omissions)] };
  } finally {
    await folders.close();
  }
}

interface Ends {
  readonly untouched: StateVerdict;
  readonly golden: StateVerdict;
}

/** A copy may fail where the folder itself would not: then all states are set up from the beginning. */
async function bothEnds(patch: string, grading: Grading, bench: Bench): Promise<Ends & { notes: readonly string[] }> {
  const { folders } = grading;
  const ends = await endsOf(patch, grading, bench);
  if (ends.golden.outcome !== "fail" || !folders.isCopying) return { ...ends, notes: [] };
  folders.stopCopying();
  bench.onPlan(2);
  const again = await endsOf(patch, grading, bench);
  const isBetter = again.golden.outcome === "pass";
  return { ...again, notes: isBetter ? ["a copy of its folder does not pass: each state is set up by itself"] : [] };
}

async function endsOf(patch: string, grading: Grading, { limit, onTried, signal }: Bench): Promise<Ends> {
  const graded = async (text: string) => {
    const verdict = await gradePatched(text, grading).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof PatchError)) throw error;
      return notMade(new PatchError(`The golden patch does not apply: ${messageOf(error)}`, { cause: error }));
    });
    onTried(null);
    return verdict;
  };
  const [untouched, golden] = await allEnded([limit.run(() => graded("")), limit.run(() => graded(patch))]);
  return { untouched: untouched ?? notMade("not graded"), golden: golden ?? notMade("not graded") };
}

function notesOn(patch: string, { found, tried }: OmissionSummary): string[] {
  const { whole } = omissionsOf(patch);
  const skipped = found - tried;
  return [
    ...(skipped > 0
      ? [`${skipped} of the ${found} lines of the patch were not tried: --max-omissions ${found} tries all`]
      : []),
    ...(whole.length > 0 ? [`has no lines to leave out, and is only tried as a whole: ${whole.join(", ")}`] : []),
  ];
}
