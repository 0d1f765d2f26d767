import type { Dataset, DatasetGate, DatasetOrigin, RunTerms } from "../core/dataset.js";
import { ScoreFieldError, UsageError } from "../core/errors.js";
import type { Evaluator, Measured, Scores } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { breakdownOf } from "../core/facets.js";
import type { Metric } from "../core/metric.js";
import type { Facets } from "../core/row.js";
import { requireShape } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { DatasetSource } from "./example-table.js";

/** The evaluators of one dataset, and which of their fields decides pass or fail. */
export interface Wiring {
  readonly dataset: string;
  /** What identifies the dataset's content, when its loader knows. */
  readonly fingerprint: string | null;
  readonly evaluators: readonly Evaluator[];
  /** The field the run was told to use for pass or fail; null when the dataset's own decides. */
  readonly forcedField: string | null;
  /** Fields that may decide pass or fail, best first; null when it can only be seen from what the first evaluator returns. */
  readonly primaryFields: readonly string[] | null;
  /** Fields that somebody asked for by name. */
  readonly requiredFields: readonly string[];
  /** Whether those are known to be produced; until then the first row that every evaluator scored is looked at. */
  fieldsAreKnown: boolean;
  /** Reads what results are broken down by; null when the dataset declares nothing of the kind. */
  readonly facets: FacetReader | null;
  /** The field whose equals stand together in the order of a run, and are no independent observations. */
  readonly groupBy: string | null;
  readonly origin: DatasetOrigin | null;
  /** True when the evaluators may be able to score work that is going on; the example decides. */
  readonly canWatch: boolean;
  /** How its examples are run where that differs from the rest; null when it does not. */
  readonly terms: RunTerms | null;
  readonly skill: string | null;
  readonly gates: readonly DatasetGate[];
}

export interface WireOptions {
  dataset: Omit<DatasetSource, "source" | "notes">;
  evaluators?: readonly Evaluator[] | undefined;
  metrics: readonly Metric[];
  scoreField: string;
}

/** Joins a dataset to its evaluators: those of the run when it names any, else the dataset's own. */
export function wire(options: WireOptions): Wiring {
  const { dataset, metrics, scoreField } = options;
  const evaluators = options.evaluators ?? dataset.evaluators ?? [];
  checkEvaluators(evaluators, dataset.name);
  const primaryField = usablePrimaryField(options);
  const asked = [scoreField, ...metrics.flatMap((metric) => metric.scoreField ?? [])].filter(
    (field) => field !== "score",
  );
  const requiredFields = primaryField === undefined ? asked : [...asked, primaryField];
  const everyFieldIsDeclared = evaluators.every(({ fields }) => fields !== undefined);
  const wiring: Wiring = {
    dataset: dataset.name,
    fingerprint: dataset.fingerprint ?? null,
    evaluators,
    forcedField: scoreField === "score" ? null : scoreField,
    primaryFields: primaryFields(evaluators, primaryField),
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
  if (everyFieldIsDeclared) requireFields(wiring, new Set(declaredFields(evaluators)));
  return wiring;
}

/**
 * The field that decides a row. An evaluator's own `score` comes first; then the candidates in order. When nothing is
 * declared it is the first field of the first evaluator, and of no other: a row whose first evaluator failed is
 * unscored rather than judged by a different measure than its neighbours.
 */
export function primaryFieldOf(wiring: Wiring, scores: Scores, first: Scores | null): string | null {
  if (wiring.forcedField !== null) return Object.hasOwn(scores, wiring.forcedField) ? wiring.forcedField : null;
  if ("score" in scores) return "score";
  if (wiring.primaryFields !== null) return wiring.primaryFields.find((field) => Object.hasOwn(scores, field)) ?? null;
  for (const field in first) return field;
  return null;
}

/**
 * Throws when a field that somebody asked for is not among those that evaluators, all of which answered, returned.
 * Looked at once: a run that asks for a field nobody produces stops at its first row instead of its last.
 */
export function checkReturnedFields(
  wiring: Wiring,
  returned: { fields(): Iterable<string>; readonly measures: Measured },
): void {
  if (wiring.fieldsAreKnown) return;
  requireFields(wiring, new Set([...declaredFields(wiring.evaluators), ...returned.fields()]), returned.measures);
  wiring.fieldsAreKnown = true;
}

function requireFields(
  { requiredFields, dataset }: Wiring,
  known: ReadonlySet<string>,
  measures: Readonly<Measured> = {},
): void {
  const missing = requiredFields.find((field) => !known.has(field));
  if (missing === undefined) return;
  if (Object.hasOwn(measures, missing))
    throw new ScoreFieldError(
      `"${missing}" is a measure, which decides nothing: here it is ${measures[missing]}. Name a score, which lies in [0, 1].${didYouMean(missing, known)}`,
    );
  const where = dataset === "" ? "" : ` for ${dataset}`;
  throw new ScoreFieldError(
    `No evaluator${where} produces the score field "${missing}".${JUDGED.test(missing) ? A_JUDGE : didYouMean(missing, known)}`,
  );
}

/** Fields that only a judge gives. */
const JUDGED = /^judge_/;
const A_JUDGE = " It comes from a judge: name one with --judge-model, or give an LLMJudge.";

function declaredFields(evaluators: readonly Evaluator[]): string[] {
  return evaluators.flatMap(({ fields }) => fields ?? []);
}

function checkEvaluators(evaluators: readonly Evaluator[], dataset: string): void {
  const names = new Set<string>();
  const fields = new Map<string, string>();
  for (const evaluator of evaluators) {
    requireShape<Evaluator>("An evaluator", evaluator, ["score"]);
    if (names.has(evaluator.name))
      throw new UsageError(`Two evaluators have the name "${evaluator.name}". Leave one out, or rename it.`);
    names.add(evaluator.name);
    for (const field of evaluator.fields ?? []) {
      const other = fields.get(field);
      if (other !== undefined) {
        throw new UsageError(
          `The evaluators "${other}" and "${evaluator.name}" of ${dataset || "the dataset"} both produce "${field}". Leave one out.`,
        );
      }
      fields.set(field, evaluator.name);
    }
  }
}

function primaryFields(evaluators: readonly Evaluator[], declared: string | undefined): readonly string[] | null {
  if (declared !== undefined) {
    const owner = evaluators.find((evaluator) => evaluator.primaryFields?.includes(declared));
    return [...new Set([declared, ...(owner?.primaryFields ?? [])])];
  }
  return evaluators.find((evaluator) => evaluator.primaryFields !== undefined)?.primaryFields ?? null;
}

/** A dataset's field belongs to its own evaluators; those that a run brings instead have to say that they produce it. */
function usablePrimaryField({ dataset, evaluators }: WireOptions): string | undefined {
  const { primaryField } = dataset;
  if (primaryField === undefined || evaluators === undefined) return primaryField;
  return evaluators.some(({ fields }) => fields?.includes(primaryField)) ? primaryField : undefined;
}

/**
 * Reads the facets of a dataset's examples. Examples with the same values share one object: a million rows of sixty
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

  of(example: Example): Facets | null {
    const facets = breakdownOf(example, this.#breakdown);
    if (facets === null) return null;
    const text = JSON.stringify(facets);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, Object.freeze(facets));
    return facets;
  }
}
