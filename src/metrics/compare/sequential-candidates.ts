import { isScored, type SequentialArm, type SequentialFinding, type SequentialReport } from "../../core/index.js";
import { findFlips, pairRows } from "./compare-rows.js";
import { type CandidateVerdict, compareFigures, isRunByBoth, type MigrationPair } from "./migration.js";

/**
 * The verdicts of a migration that may stop before its last task. They and their intervals are those of the run; what is
 * computed besides, over the tasks that both systems ran, has no interval, because none would hold.
 */
export function describeSequentialCandidates(
  pairs: readonly MigrationPair[],
  sequential: SequentialReport,
): CandidateVerdict[] {
  return pairs.flatMap((pair) => {
    const finding = sequential.findings.find(({ system }) => system === pair.system);
    const arm = sequential.arms.find(({ system }) => system === pair.system);
    return finding === undefined ? [] : [describeCandidate(pair, { finding, arm, sequential })];
  });
}

interface RunFindings {
  finding: SequentialFinding;
  arm: SequentialArm | undefined;
  sequential: SequentialReport;
}

function describeCandidate(
  { system, from, to, isRecordedOnce }: MigrationPair,
  { finding, arm, sequential }: RunFindings,
): CandidateVerdict {
  const { pairs, notes } = pairRows(from, to);
  const shared = pairs.filter(isRunByBoth);
  const { answer, isFinal, decidedAfter } = finding;
  return {
    system,
    verdict: answer === "non-inferior" || answer === "inferior" ? answer : "undecided",
    quality: describeQuality(finding, sequential),
    early: {
      tasks: decidedAfter ?? sequential.tasks.seen,
      planned: sequential.tasks.planned,
      isFinal,
      notRun: arm?.notRun ?? 0,
      notSpentUsd: arm?.notSpentUsd ?? null,
    },
    moreExamples: null,
    differences: compareFigures(pairs, { seed: null, isRecordedOnce }),
    flips: findFlips(shared),
    unpaired: shared.filter(({ a, b }) => !a.some(isScored) || !b.some(isScored)).length,
    notes,
  };
}

function describeQuality(
  { n, value, baselineValue, low, high }: SequentialFinding,
  { quality, groups }: SequentialReport,
): CandidateVerdict["quality"] {
  const isKnown = value !== null && baselineValue !== null;
  return {
    metric: quality,
    n,
    groups: groups === null ? null : n,
    from: baselineValue,
    to: isKnown ? baselineValue + value : null,
    difference: value,
    low: isKnown ? low : null,
    high: isKnown ? high : null,
    method: "anytime",
    pNonInferior: null,
    pInferior: null,
    adjustedPNonInferior: null,
    adjustedPInferior: null,
  };
}
