import type { Lift } from "../metrics/compare/index.js";
import type { ExperimentReport, PairedDelta, VariantLift } from "./experiment-figures.js";
import { formatDollars, formatNumber, formatSeconds, formatShare } from "./format.js";

const LIFT_LABELS: Readonly<Record<Lift, string>> = {
  better: "better",
  worse: "worse",
  same_but_cheaper: "same but cheaper",
  same_but_dearer: "same but more expensive",
  inconclusive: "inconclusive",
};

/** What is known of a variant: the answer of a run that may stop early, or the result of the tests. */
export function describeLift({ variant, lift }: VariantLift, sequential: ExperimentReport["sequential"]): string {
  if (sequential === null) return LIFT_LABELS[lift];
  return sequential.findings.find(({ system }) => system === variant)?.answer ?? "undecided";
}

export function formatSigned(value: number | null, format: (size: number) => string = formatNumber): string {
  if (value === null) return "–";
  return `${value < 0 ? "−" : value > 0 ? "+" : "±"}${format(Math.abs(value))}`;
}

export function formatSignedInterval({ difference, low, high }: PairedDelta): string {
  if (low === null || high === null) return formatSigned(difference);
  const within = (bound: number) => formatSigned(Math.min(1, Math.max(-1, bound)));
  return `${formatSigned(difference)} [${within(low)}, ${within(high)}]`;
}

export function formatCostDelta({ difference }: PairedDelta, change: number | null): string {
  return appendChange(formatSigned(difference, formatDollars), change);
}

export function formatTimeDelta({ difference }: PairedDelta, change: number | null): string {
  return appendChange(formatSigned(difference, formatSeconds), change);
}

function appendChange(text: string, change: number | null): string {
  return change === null ? text : `${text} (${formatSigned(change, formatShare)})`;
}

/** What would make an inconclusive lift conclusive. */
export function describeDetectable(lifts: readonly VariantLift[]): string[] {
  return lifts.flatMap(({ variant, lift, detectable, passRate }) => {
    if (lift !== "inconclusive") return [];
    if (passRate.n > 0 && passRate.adjustedP === null)
      return [`${variant}: ${describeTooFewStimuli(passRate.n)} to detect any difference`];
    if (passRate.reason !== undefined) return [`${variant}: ${passRate.reason}`];
    if (detectable === null) return [];
    return [
      `${variant}: the minimum detectable difference of the pass rate at 80 % power is ${(detectable * 100).toFixed(1)} points; add test cases or runs to detect smaller ones`,
    ];
  });
}

function describeTooFewStimuli(paired: number): string {
  return paired === 1 ? "1 paired test case is too few" : `${paired} paired test cases are too few`;
}
