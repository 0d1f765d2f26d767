import type {
  CalibrationFigures,
  FaultFigures,
  ReliabilityFigure,
  ReliabilityProfile,
  StressFigures,
} from "../core/reliability.js";
import { formatNumber, formatPlural, formatShare } from "./format.js";

/** One line of the table of a profile. */
export interface ReliabilityLine {
  readonly name: string;
  readonly figure: ReliabilityFigure;
  readonly format: (value: number) => string;
}

/** `0.8 to 1.1`, or why the figure is not given. */
export function formatReliabilityInterval({ figure, format }: ReliabilityLine): string {
  const { value, low, high, reason } = figure;
  if (value === null) return reason ?? "–";
  return `${low === null ? "–" : format(low)} to ${high === null ? "∞" : format(high)}`;
}

const inSeconds = (value: number) => `${formatNumber(value, 2)} s`;
const asFactor = (value: number) => `× ${formatNumber(value, 2)}`;

/** The figures of a profile, in the order of the report. */
export function listReliabilityLines({ arms, calibration, ...clean }: ReliabilityProfile): ReliabilityLine[] {
  return [
    { name: "pass rate without stress", figure: clean.passRate, format: formatShare },
    { name: "outcome consistency", figure: clean.outcomeConsistency, format: formatShare },
    { name: "consistency of cost", figure: clean.costConsistency, format: formatShare },
    { name: "consistency of tokens", figure: clean.tokenConsistency, format: formatShare },
    { name: "consistency of time", figure: clean.timeConsistency, format: formatShare },
    ...arms.flatMap(listArmLines),
    ...(calibration === null ? [] : listCalibrationLines(calibration)),
  ];
}

function listArmLines({ kind, passRate, robustness, extraSeconds, faults }: StressFigures): ReliabilityLine[] {
  return [
    { name: `pass rate with ${kind}`, figure: passRate, format: formatShare },
    { name: `robustness to ${kind}`, figure: robustness, format: asFactor },
    ...(faults === undefined
      ? []
      : [
          { name: "extra time per trial with faults", figure: extraSeconds, format: inSeconds },
          ...listFaultLines(faults),
        ]),
  ];
}

function listFaultLines({ recovered, recoverySeconds }: FaultFigures): ReliabilityLine[] {
  return [
    { name: "faults recovered from", figure: recovered, format: formatShare },
    { name: "recovery time", figure: recoverySeconds, format: inSeconds },
  ];
}

function listCalibrationLines({ brier, ece, discrimination, overconfidence }: CalibrationFigures): ReliabilityLine[] {
  return [
    { name: "Brier score of confidence", figure: brier, format: formatNumber },
    { name: "calibration error (ECE)", figure: ece, format: formatNumber },
    { name: "discrimination (AUROC)", figure: discrimination, format: formatNumber },
    { name: "overconfidence", figure: overconfidence, format: formatNumber },
  ];
}

/** Sentences about the numbers of faults and confidences. */
export function describeReliabilityCounts({ arms, calibration }: ReliabilityProfile): string[] {
  const counts = arms.flatMap(({ faults }) => (faults === undefined ? [] : Object.entries(faults.counts)));
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...(counts.length === 0
      ? []
      : [`${formatPlural(total, "injected fault")}: ${counts.map(([kind, count]) => `${kind} ${count}`).join(", ")}.`]),
    ...(calibration === null
      ? []
      : [`A confidence was stated in ${calibration.stated} of ${formatPlural(calibration.scored, "scored trial")}.`]),
  ];
}
