import {
  type AnytimeInterval,
  isAboutGroups,
  type QualityKey,
  type SequentialArm,
  type SequentialFinding,
  type SequentialReport,
} from "../core/index.js";
import type { Lift } from "../metrics/index.js";
import type { ExperimentReport, Figure, PairedDelta, VariantLift } from "./experiment-figures.js";
import { ABOUT_GROUPS, NO_FIXED_INTERVAL } from "./sequential.js";

type ReportedVariant = ExperimentReport["variants"][number];

/**
 * Replaces the tests and intervals of an experiment that may stop before its last test case: those of a fixed sample do
 * not hold for it.
 */
export function useSequentialFindings(report: ExperimentReport, sequential: SequentialReport): ExperimentReport {
  // The weighted score is another one than that of the verdict.
  const isMeanKnown = report.scoreField === "score";
  const arms = new Map(sequential.arms.map((arm) => [arm.system, arm]));
  const isByGroup = isAboutGroups(sequential);
  const findings = new Map(sequential.findings.map((finding) => [finding.system, finding]));
  return {
    ...report,
    level: sequential.level,
    cost: null,
    variants: report.variants.map((variant) =>
      describeVariant(variant, { arm: arms.get(variant.name), isMeanKnown, isByGroup }),
    ),
    lifts: report.lifts.map((lift) => {
      const finding = findings.get(lift.variant);
      return describeLift(lift, { finding, quality: sequential.quality, isMeanKnown });
    }),
  };
}

function describeVariant(
  variant: ReportedVariant,
  { arm, isMeanKnown, isByGroup }: { arm: SequentialArm | undefined; isMeanKnown: boolean; isByGroup: boolean },
): ReportedVariant {
  const { planned, trials } = variant;
  const useOwnInterval = (figure: Figure, interval?: AnytimeInterval) =>
    isByGroup && interval !== undefined ? leaveOutInterval(figure, ABOUT_GROUPS) : useAnytimeInterval(figure, interval);
  const needed = planned === null ? null : planned - (arm?.notRun ?? 0);
  return {
    ...variant,
    planned: needed,
    coverage: needed === null ? variant.coverage : needed === 0 ? 0 : (trials.pass + trials.fail) / needed,
    passRate: useOwnInterval(variant.passRate, arm?.intervals.pass_rate),
    meanScore: useOwnInterval(variant.meanScore, isMeanKnown ? arm?.intervals.mean_score : undefined),
    curves: variant.curves.map(({ k, passAtK, passHatK }) => ({
      k,
      passAtK: useAnytimeInterval(passAtK),
      passHatK: useAnytimeInterval(passHatK),
    })),
    meanCostUsd: useAnytimeInterval(variant.meanCostUsd),
    meanSeconds: useAnytimeInterval(variant.meanSeconds),
  };
}

/** Trials that were under way when it was decided count in the value, but not in its interval. */
function useAnytimeInterval(figure: Figure, interval?: AnytimeInterval): Figure {
  if (figure.value === null) return figure;
  if (interval === undefined) return leaveOutInterval(figure, NO_FIXED_INTERVAL);
  const { reason: _, ...rest } = figure;
  return { ...rest, low: Math.min(interval.low, figure.value), high: Math.max(interval.high, figure.value) };
}

function leaveOutInterval(figure: Figure, reason: string): Figure {
  return figure.value === null ? figure : { ...figure, low: null, high: null, reason };
}

interface FindingOfVariant {
  finding: SequentialFinding | undefined;
  quality: QualityKey;
  isMeanKnown: boolean;
}

function describeLift(lift: VariantLift, { finding, quality, isMeanKnown }: FindingOfVariant): VariantLift {
  const asked = (of: QualityKey) => (quality === of && finding?.baseline != null ? finding : undefined);
  return {
    ...lift,
    lift: chooseLift(finding),
    passRate: replaceTest(lift.passRate, asked("pass_rate")),
    meanScore: replaceTest(lift.meanScore, isMeanKnown ? asked("mean_score") : undefined),
    costUsd: replaceTest(lift.costUsd),
    seconds: replaceTest(lift.seconds),
    detectable: null,
  };
}

/** A variant that is not inferior may be better, worse, or neither. */
function chooseLift(finding: SequentialFinding | undefined): Lift {
  if (finding?.answer === "better") return "better";
  return finding?.answer === "worse" || finding?.answer === "inferior" ? "worse" : "inconclusive";
}

/** The difference of the verdict, with the interval that holds at any time. */
function replaceTest(delta: PairedDelta, finding?: SequentialFinding): PairedDelta {
  const untested = { ...delta, low: null, high: null, p: null, adjustedP: null };
  if (finding === undefined) return delta.difference === null ? untested : { ...untested, reason: NO_FIXED_INTERVAL };
  const { value, low, high, n } = finding;
  if (value === null) return { ...untested, difference: null, n };
  const { reason: _, ...rest } = untested;
  return { ...rest, difference: value, low, high, n };
}

/** Whether a variant needs no further trials, so that test cases that it did not run are not missing. */
export function isVariantOver({ isDecided, arms }: SequentialReport, variant: string): boolean {
  return isDecided || arms.some(({ system, droppedAfter }) => system === variant && droppedAfter !== null);
}
