import type { Limit } from "../../utils/limit.js";
import { allEnded } from "./all-ended.js";
import { type Grading, gradePatched, notMade } from "./grade-state.js";
import { chosenOf, omissionsOf, type UndoableLine } from "./omissions.js";
import { isSurvivor, type OmissionSummary, type TriedOmission } from "./result.js";

export interface OmissionWork {
  readonly grading: Grading;
  readonly limit: Limit;
  /** At most so many are tried. */
  readonly most: number;
  /** Told how many will be tried, and each that was. */
  readonly onPlan: (count: number) => void;
  readonly onTried: (tried: TriedOmission) => void;
}

/** Leaves out the lines of a patch one by one, and says which of them no grader notices. */
export async function tryOmissions(patch: string, work: OmissionWork): Promise<OmissionSummary> {
  const { all } = omissionsOf(patch);
  const chosen = chosenOf(all, work.most);
  work.onPlan(chosen.length);
  const tried = await allEnded(chosen.map((one) => work.limit.run(() => tryOne(patch, one, work))));
  return summaryOf(tried, all.length);
}

async function tryOne(patch: string, one: UndoableLine, { grading, onTried }: OmissionWork): Promise<TriedOmission> {
  const { undoIn, ...omission } = one;
  const { outcome, reason, evidence } = await gradePatched(patch, grading, undoIn).catch((error: unknown) => {
    grading.signal.throwIfAborted();
    return notMade(error);
  });
  const ends = { pass: "survived", fail: "caught", error: "error" } as const;
  const tried: TriedOmission = { ...omission, outcome: ends[outcome], reason, evidence };
  onTried(tried);
  return tried;
}

function summaryOf(tried: readonly TriedOmission[], found: number): OmissionSummary {
  const count = (isMeant: (one: TriedOmission) => boolean) => tried.filter(isMeant).length;
  return {
    found,
    tried: tried.length,
    caught: count(({ outcome }) => outcome === "caught"),
    survived: count(isSurvivor),
    harmless: count(({ outcome, looksHarmless }) => outcome === "survived" && looksHarmless),
    failed: count(({ outcome }) => outcome === "error"),
    uncaught: tried.filter(({ outcome }) => outcome !== "caught"),
  };
}
