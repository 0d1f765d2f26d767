import type { Dataset, DatasetGate, DatasetOrigin, DatasetOverrides } from "../core/dataset.js";
import { ScoreFieldError, UsageError } from "../core/errors.js";
import type { Evaluator, MeasureValues, Scores } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { collectFacets } from "../core/facets.js";
import type { Metric } from "../core/metric.js";
import type { Facets } from "../core/row.js";
import { requireShape } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { DatasetSource } from "./example-table.js";

/** The evaluators of one dataset, and which of their fields decides pass or fail. */
export interface DatasetPlan {
  readonly dataset: string;
  /** Identifies the dataset's content, if its loader knows. */
  readonly fingerprint: string | null;
  readonly evaluators: readonly Evaluator[];
  /** The score field that the run was told to use; null to use the dataset's own. */
  readonly forcedField: string | null;
  /** Fields that may decide pass or fail, best first; null if only the first evaluator's result can tell. */
  readonly primaryFields: readonly string[] | null;
  /** Fields requested by name. */
  readonly requiredFields: readonly string[];
  /** Whether the required fields are known to be produced. Until then the first row scored by all evaluators is checked. */
  fieldsAreKnown: boolean;
  /** Reads the facets of examples; null if the dataset declares none. */
  readonly facets: FacetReader | null;
  /** Examples with the same value in this field stay together in the order of a run and are not independent observations. */
  readonly groupBy: string | null;
  readonly origin: DatasetOrigin | null;
  /** True if the evaluators may be able to score unfinished work; the example decides. */
  readonly canWatch: boolean;
  /** Overrides for running its examples; null if there are none. */
  readonly terms: DatasetOverrides | null;
  readonly skill: string | null;
  readonly gates: readonly DatasetGate[];
}

export interface DatasetPlanOptions {
  dataset: Omit<DatasetSource, "source" | "notes">;
  evaluators?: readonly Evaluator[] | undefined;
  metrics: readonly Metric[];
  scoreField: string;
}

/** Binds a dataset to its evaluators: those of the run if it names any, otherwise the dataset's own. */
export function bindEvaluators(options: DatasetPlanOptions): DatasetPlan {
  const { dataset, metrics, scoreField } = options;
  const evaluators = options.evaluators ?? dataset.evaluators ?? [];
  checkDatasetEvaluators(evaluators, dataset.name);
  const primaryField = findUsablePrimaryField(options);
  const asked = [scoreField, ...metrics.flatMap((metric) => metric.scoreField ?? [])].filter(
    (field) => field !== "score",
  );
  const requiredFields = primaryField === undefined ? asked : [...asked, primaryField];
  const everyFieldIsDeclared = evaluators.every(({ fields }) => fields !== undefined);
  const wiring: DatasetPlan = {
    dataset: dataset.name,
    fingerprint: dataset.fingerprint ?? null,
    evaluators,
    forcedField: scoreField === "score" ? null : scoreField,
    primaryFields: listPrimaryFields(evaluators, primaryField),
    requiredFields: [...new Set(requiredFields)],
    fieldsAreKnown: everyFieldIsDeclared || requiredFields.length === 0,
    facets: dataset.facets === undefined && dataset.labels === undefined ? null : new FacetReader(dataset),
    groupBy: dataset.groupBy ?? null,
    origin: dataset.origin ?? null,
    canWatch: evaluators.length > 0 && evaluators.every((evaluator) => "canWatch" in evaluator),
    terms: dataset.terms ?? null,
    skill: dataset.skill ?? null,
    gates: dataset.gates ?? [],
  };
  if (everyFieldIsDeclared) requireScoreFields(wiring, new Set(listDeclaredFields(evaluators)));
  return wiring;
}

/**
 * The field that decides a row. An evaluator's own `score` comes first, then the candidates in order. If nothing is
 * declared, it is the first field of the first evaluator only: a row whose first evaluator failed is unscored rather
 * than judged by a different measure than other rows.
 */
export function findPrimaryField(wiring: DatasetPlan, scores: Scores, first: Scores | null): string | null {
  if (wiring.forcedField !== null) return Object.hasOwn(scores, wiring.forcedField) ? wiring.forcedField : null;
  if ("score" in scores) return "score";
  if (wiring.primaryFields !== null) return wiring.primaryFields.find((field) => Object.hasOwn(scores, field)) ?? null;
  for (const field in first) return field;
  return null;
}

/**
 * Throws if a requested field is not among the fields that the evaluators, all successful, returned. Checked once: a
 * run that requests a field no evaluator produces stops at its first row instead of its last.
 */
export function checkReturnedFields(
  wiring: DatasetPlan,
  returned: { fields(): Iterable<string>; readonly measures: MeasureValues },
): void {
  if (wiring.fieldsAreKnown) return;
  requireScoreFields(
    wiring,
    new Set([...listDeclaredFields(wiring.evaluators), ...returned.fields()]),
    returned.measures,
  );
  wiring.fieldsAreKnown = true;
}

function requireScoreFields(
  { requiredFields, dataset }: DatasetPlan,
  known: ReadonlySet<string>,
  measures: Readonly<MeasureValues> = {},
): void {
  const missing = requiredFields.find((field) => !known.has(field));
  if (missing === undefined) return;
  if (Object.hasOwn(measures, missing))
    throw new ScoreFieldError(
      `"${missing}" is a measure and cannot decide pass or fail (here it is ${measures[missing]}). Name a score, which lies in [0, 1].${didYouMean(missing, known)}`,
    );
  const where = dataset === "" ? "" : ` for ${dataset}`;
  throw new ScoreFieldError(
    `No evaluator${where} produces the score field "${missing}".${JUDGE_FIELD.test(missing) ? JUDGE_HINT : didYouMean(missing, known)}`,
  );
}

/** Fields that only a judge produces. */
const JUDGE_FIELD = /^judge_/;
const JUDGE_HINT = " It comes from a judge: name one with --judge-model, or add an LLMJudge.";

function listDeclaredFields(evaluators: readonly Evaluator[]): string[] {
  return evaluators.flatMap(({ fields }) => fields ?? []);
}

function checkDatasetEvaluators(evaluators: readonly Evaluator[], dataset: string): void {
  const names = new Set<string>();
  const fields = new Map<string, string>();
  for (const evaluator of evaluators) {
    requireShape<Evaluator>("An evaluator", evaluator, ["score"]);
    if (names.has(evaluator.name))
      throw new UsageError(`Two evaluators have the name "${evaluator.name}". Remove one, or rename it.`);
    names.add(evaluator.name);
    for (const field of evaluator.fields ?? []) {
      const other = fields.get(field);
      if (other !== undefined) {
        throw new UsageError(
          `The evaluators "${other}" and "${evaluator.name}" of ${dataset || "the dataset"} both produce "${field}". Remove one.`,
        );
      }
      fields.set(field, evaluator.name);
    }
  }
}

function listPrimaryFields(evaluators: readonly Evaluator[], declared: string | undefined): readonly string[] | null {
  if (declared !== undefined) {
    const owner = evaluators.find((evaluator) => evaluator.primaryFields?.includes(declared));
    return [...new Set([declared, ...(owner?.primaryFields ?? [])])];
  }
  return evaluators.find((evaluator) => evaluator.primaryFields !== undefined)?.primaryFields ?? null;
}

/** A dataset's primary field belongs to its own evaluators; evaluators of the run must declare that they produce it. */
function findUsablePrimaryField({ dataset, evaluators }: DatasetPlanOptions): string | undefined {
  const { primaryField } = dataset;
  if (primaryField === undefined || evaluators === undefined) return primaryField;
  return evaluators.some(({ fields }) => fields?.includes(primaryField)) ? primaryField : undefined;
}

/**
 * Reads the facets of a dataset's examples. Examples with equal values share one object: a million rows of sixty
 * subjects hold sixty of them.
 */
class FacetReader {
  readonly fields: readonly string[];
  readonly #breakdown: Pick<Dataset, "facets" | "labels">;
  readonly #known = new Map<string, Facets>();

  constructor(breakdown: Pick<Dataset, "facets" | "labels">) {
    this.fields = breakdown.facets ?? [];
    this.#breakdown = breakdown;
  }

  read(example: Example): Facets | null {
    const facets = collectFacets(example, this.#breakdown);
    if (facets === null) return null;
    const text = JSON.stringify(facets);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, Object.freeze(facets));
    return facets;
  }
}
