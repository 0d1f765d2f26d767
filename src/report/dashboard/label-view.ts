import type { EvalRow, TrialKey } from "../../core/index.js";
import { bootstrapEstimate, cohenKappa, crossTable, estimateProportion } from "../../stats/index.js";
import type { TrialLabel } from "../../store/index.js";
import type { LabelAgreement, LabelView } from "./contract.js";

/**
 * The labels of a run's trials, and how far they agree with its verdicts. Labels of trials that the run does not have are
 * left out.
 * @example
 * buildLabelView(result.rows, readTrialLabels(dir)).agreement.share.value; // 0.95
 */
export function buildLabelView(rows: readonly EvalRow[], labels: readonly TrialLabel[]): LabelView {
  const byKey = labels.length === 0 ? new Map<string, EvalRow>() : new Map(rows.map((row) => [formatKey(row), row]));
  const known = labels.filter((label) => byKey.has(formatKey(label)));
  const compared = known.flatMap((label) => {
    const row = byKey.get(formatKey(label));
    const isScored = row?.outcome === "pass" || row?.outcome === "fail";
    if (label.verdict === null || !isScored) return [];
    return [{ label, isRight: label.verdict === "right", isPass: row.outcome === "pass" }];
  });
  return { labels: known, agreement: computeAgreement(compared) };
}

interface ComparedLabel {
  label: TrialLabel;
  isRight: boolean;
  isPass: boolean;
}

function computeAgreement(compared: readonly ComparedLabel[]): LabelAgreement {
  const count = (isRight: boolean, isPass: boolean) =>
    compared.filter((item) => item.isRight === isRight && item.isPass === isPass).length;
  const differing = compared.filter(({ isRight, isPass }) => isRight !== isPass);
  return {
    rightPassed: count(true, true),
    rightFailed: count(true, false),
    wrongPassed: count(false, true),
    wrongFailed: count(false, false),
    share: estimateProportion(compared.length - differing.length, compared.length),
    kappa: bootstrapEstimate(compared, computeKappa),
    differing: differing.map(({ label: { system, dataset, exampleId, trial } }): TrialKey => {
      return { system, dataset, exampleId, trial };
    }),
  };
}

function computeKappa(compared: readonly ComparedLabel[]): number | null {
  const table = crossTable(
    compared.map(({ isRight }) => Number(isRight)),
    compared.map(({ isPass }) => Number(isPass)),
    2,
  );
  return cohenKappa(table);
}

function formatKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}
