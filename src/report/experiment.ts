import type { EvalRow } from "../core/row.js";
import { DEFAULT_LEVEL } from "../metrics/compare/index.js";
import { type FigureFields, figuresOf, type VariantFigures } from "./experiment-figures.js";
import { liftsOf, type VariantLift } from "./experiment-lift.js";
import { inStimulusOrder, type ReportedVariant, rowsByVariant, type StimulusPlace } from "./experiment-rows.js";
import {
  type MissingStimulus,
  missingStimuli,
  type StimulusDifference,
  stimulusDifferences,
} from "./experiment-stimuli.js";

/** What a report needs to know of an experiment besides its rows. */
export interface ReportedExperiment {
  readonly name: string;
  readonly description?: string | null;
  readonly baseline: string;
  readonly vary?: readonly string[];
  readonly variants: readonly ReportedVariant[];
  /** The order in which stimuli are listed; that of the rows unless told. */
  readonly order?: readonly StimulusPlace[];
  readonly notes?: readonly string[];
}

/** The report of an experiment: what programs read as JSON, and what the Markdown is made of. */
export interface ExperimentReport {
  readonly schema: "assay.experiment/1";
  readonly name: string;
  readonly description: string | null;
  readonly baseline: string;
  readonly vary: readonly string[];
  /** What intervals cover. */
  readonly level: number;
  /** The score that `meanScore` is the mean of. */
  readonly scoreField: string;
  readonly variants: readonly (Omit<ReportedVariant, "planned"> & VariantFigures)[];
  /** One for each variant but the baseline. */
  readonly lifts: readonly VariantLift[];
  /** By variant, but the baseline. */
  readonly stimuli: Readonly<Record<string, readonly StimulusDifference[]>>;
  readonly missing: readonly MissingStimulus[];
  /** Folders of the runs that the rows are of. */
  readonly runs: readonly string[];
  readonly notes: readonly string[];
}

export interface ExperimentReportOptions {
  /** What intervals cover; 0.95 unless told. */
  level?: number | undefined;
  seed?: number | undefined;
  runs?: readonly string[] | undefined;
}

/**
 * The report of an experiment from the rows of its runs.
 * @example
 * const report = experimentReport({ name: "skill", baseline: "without", variants }, rows);
 * report.lifts[0]?.lift; // "better"
 */
export function experimentReport(
  experiment: ReportedExperiment,
  rows: readonly EvalRow[],
  { level = DEFAULT_LEVEL, seed = 0, runs = [] }: ExperimentReportOptions = {},
): ExperimentReport {
  const { name, description = null, baseline, vary = [], variants, order = [], notes = [] } = experiment;
  const fields = fieldsOf(rows);
  const byVariant = rowsByVariant(variants, rows);
  for (const [variant, own] of byVariant) byVariant.set(variant, inStimulusOrder(own, order));
  const rowsOf = (variant: string) => byVariant.get(variant) ?? [];
  const others = variants.filter((variant) => variant.name !== baseline);
  return {
    schema: "assay.experiment/1",
    name,
    description,
    baseline,
    vary,
    level,
    scoreField: fields.scoreField,
    variants: variants.map((variant) => ({
      ...variant,
      ...figuresOf(rowsOf(variant.name), { ...fields, planned: variant.planned }),
    })),
    lifts: liftsOf(byVariant, { ...fields, baseline, level, seed }),
    stimuli: Object.fromEntries(
      others.map((other) => [other.name, stimulusDifferences(rowsOf(baseline), rowsOf(other.name))]),
    ),
    missing: missingStimuli(byVariant),
    runs,
    notes,
  };
}

/** What graders say together is a finer score than their verdict, which is the pass rate again. */
function fieldsOf(rows: readonly EvalRow[]): FigureFields {
  return {
    scoreField: rows.some(({ scores }) => Object.hasOwn(scores, WEIGHTED)) ? WEIGHTED : "score",
    time: rows.some(({ latency }) => latency !== null) ? "latency_mean" : "duration_mean",
  };
}

const WEIGHTED = "weighted_score";
