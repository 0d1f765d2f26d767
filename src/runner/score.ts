import type {
  Evaluator,
  Example,
  Grade,
  MeasureValues,
  Output,
  ScoreContext,
  Scored,
  ScoredWithEvidence,
  Scores,
  ScoringCost,
  TrialContext,
  TrialStats,
} from "../core/index.js";
import { applyChoiceOrder, applyUserMessages, describeError, describeValue } from "../core/index.js";
import { type Trial, toTrialKey } from "./admit.js";
import { checkReturnedFields, type DatasetPlan, findPrimaryField } from "./dataset-plan.js";
import { SpendingMeter } from "./spending-meter.js";

/** The scores of one output. `primaryField` is null if the deciding field is missing. */
export interface Graded {
  scores: Scores;
  measures: MeasureValues;
  primaryField: string | null;
  evidence: Record<string, string> | null;
  /** Null if there were no graders. */
  grades: readonly Grade[] | null;
  notes: readonly string[];
  /** The cost of scoring; null if it was free. */
  spent: ScoringCost | null;
  /** False if an evaluator failed. */
  complete: boolean;
}

type ScoredTrial = Pick<Trial, "datasetPlan" | "example" | "system" | "trial">;

interface OutputScoreOptions {
  readonly signal: AbortSignal;
  readonly figures?: TrialStats;
}

/** Scores an output with every evaluator of its dataset. A failing evaluator loses only its own fields. */
export async function scoreOutput(trial: ScoredTrial, output: Output, given: OutputScoreOptions): Promise<Graded> {
  const { datasetPlan } = trial;
  const example = applyUserMessages(applyChoiceOrder(trial.example, output.choice_order), output);
  const meter = new SpendingMeter();
  // Not spread: V8 would create a hidden class per trial.
  const context: ScoreContext = { signal: given.signal, meter, trial: toTrialKey(trial) };
  if (given.figures !== undefined) context.figures = given.figures;
  const scored = await Promise.all(datasetPlan.evaluators.map((each) => tryEvaluator(each, example, output, context)));
  const sheet = new ScoreSheet();
  for (const [i, evaluator] of datasetPlan.evaluators.entries())
    sheet.add(evaluator, scored[i] as Scored | EvaluatorFailure);
  return toGraded(datasetPlan, sheet, meter);
}

/**
 * Lets a system ask whether its trial would pass in its current state. Undefined unless every evaluator can score
 * unfinished work.
 */
export function createPassProbe(trial: Trial, threshold: number, signal: AbortSignal): TrialContext["passes"] {
  const { evaluators } = trial.datasetPlan;
  const canWatch =
    evaluators.length > 0 && evaluators.every((evaluator) => evaluator.canWatch?.(trial.example) === true);
  if (!canWatch) return undefined;
  return async (soFar: Output) => {
    const { primaryField, scores } = await scoreOutput(trial, soFar, { signal });
    const value = primaryField === null ? undefined : scores[primaryField];
    return value !== undefined && value >= threshold;
  };
}

function toGraded(datasetPlan: DatasetPlan, sheet: ScoreSheet, meter: SpendingMeter): Graded {
  if (datasetPlan.evaluators.length === 0) sheet.addNote("no evaluators");
  else if (sheet.complete) checkReturnedFields(datasetPlan, sheet);
  if (meter.isUnknown) sheet.addNote(`${SCORING_COST_NOTE}: a judge has no price`);
  const { scores, measures } = sheet;
  const deciding = findPrimaryField(
    datasetPlan,
    measures === NO_MEASURES ? scores : { ...scores, ...measures },
    sheet.first,
  );
  const isMeasure = deciding !== null && Object.hasOwn(measures, deciding);
  if (isMeasure)
    sheet.addNote(
      `${UNDECIDED_NOTE_PREFIX}: ${deciding} = ${measures[deciding]}, and the field that decides pass or fail must lie in [0, 1]. Scale it, or return it under \`measures\` and name the field that decides (scoreField, --score-field).`,
    );
  const { evidence, grades, notes, complete } = sheet;
  const primaryField = isMeasure ? null : deciding;
  return { scores, measures, primaryField, evidence, grades, notes, spent: meter.spent, complete };
}

/** Start of the note on a row whose deciding field is a measure. Matched when a run is graded again. */
export const UNDECIDED_NOTE_PREFIX = "nothing decides";

/** How the note about an unknown judging cost begins. */
export const SCORING_COST_NOTE = "the cost of scoring is unknown";

class EvaluatorFailure {
  readonly reason: string;
  constructor(error: unknown) {
    this.reason = describeError(error);
  }
}

async function tryEvaluator(
  evaluator: Evaluator,
  example: Example,
  output: Output,
  context: ScoreContext,
): Promise<Scored | EvaluatorFailure> {
  try {
    return await evaluator.score(example, output, context);
  } catch (error) {
    return new EvaluatorFailure(error);
  }
}

const NO_STRINGS: readonly string[] = Object.freeze([]);
const NO_MEASURES: MeasureValues = Object.freeze({});

/** How far rounding may push a score out of [0, 1], such as the cosine similarity of a text with itself. */
const ROUNDING_TOLERANCE = 1e-9;

/** Collects the results of the evaluators of one output. */
class ScoreSheet {
  readonly scores: Scores = {};
  /** Empty for nearly every output, so these share one object. */
  measures: MeasureValues = NO_MEASURES;
  /** Empty for nearly every output, so these share one list. */
  notes: readonly string[] = NO_STRINGS;
  evidence: Record<string, string> | null = null;
  grades: readonly Grade[] | null = null;
  /** What the first evaluator that does more than measure returned; null if it failed. */
  first: Scores | null = null;
  /** False once an evaluator failed: its fields cannot be told from fields that no evaluator produces. */
  complete = true;
  #undecided: readonly string[] = NO_STRINGS;
  #hasFirst = false;

  add(evaluator: Evaluator, scored: Scored | EvaluatorFailure): void {
    const added = this.#read(evaluator, scored);
    if (added === undefined || this.#hasFirst) return;
    this.first = added;
    this.#hasFirst = true;
  }

  /** The returned scores; null if the evaluator failed, undefined if it only measures. */
  #read(evaluator: Evaluator, scored: Scored | EvaluatorFailure): Scores | null | undefined {
    if (scored instanceof EvaluatorFailure) return this.#fail(`${evaluator.name} failed: ${scored.reason}`);
    if (typeof scored !== "object" || scored === null || Array.isArray(scored)) {
      return this.#fail(`${evaluator.name} returned ${describeValue(scored)} instead of scores`);
    }
    if (hasEvidence(scored)) return this.#readWithEvidence(evaluator, scored);
    for (const field in scored) this.#addField(evaluator, field, scored[field]);
    return scored;
  }

  #readWithEvidence(
    evaluator: Evaluator,
    { scores = {}, measures = {}, evidence = {}, unscored = {}, grades }: Partial<ScoredWithEvidence>,
  ): Scores | undefined {
    if (grades !== undefined) this.grades = [...(this.grades ?? []), ...grades];
    for (const field in scores) this.#addField(evaluator, field, scores[field]);
    for (const [field, value] of Object.entries(measures)) this.#addMeasure(evaluator, field, value);
    for (const [field, text] of Object.entries(evidence)) this.#addEvidence(evaluator, field, text);
    for (const [field, reason] of Object.entries(unscored)) {
      this.#leaveOut(field, `${evaluator.name} could not decide "${field}": ${reason}`);
    }
    const onlyMeasures = Object.keys(measures).length > 0 && Object.keys({ ...scores, ...unscored }).length === 0;
    return onlyMeasures ? undefined : scores;
  }

  /** The fields that may decide pass or fail. */
  fields(): string[] {
    return [...Object.keys(this.scores), ...this.#undecided];
  }

  #fail(note: string): null {
    this.complete = false;
    this.addNote(note);
    return null;
  }

  addNote(note: string): void {
    this.notes = [...this.notes, note];
  }

  #leaveOut(field: string, note: string): void {
    this.#undecided = [...this.#undecided, field];
    this.addNote(note);
  }

  #addEvidence(evaluator: Evaluator, field: string, text: unknown): void {
    this.evidence ??= {};
    if (typeof text !== "string") {
      this.addNote(`${evaluator.name} returned ${describeValue(text)} as evidence for ${field}, which was ignored`);
    } else if (Object.hasOwn(this.evidence, field)) {
      this.evidence[`${evaluator.name}.${field}`] = text;
    } else {
      this.evidence[field] = text;
    }
  }

  #addField(evaluator: Evaluator, field: string, value: unknown): void {
    if (!this.#isFree(evaluator, field)) return;
    if (!Number.isFinite(value)) {
      this.#leaveOut(
        field,
        `${evaluator.name} returned ${field} = ${formatScoreValue(value)}; scores must be numbers in [0, 1], so it was ignored`,
      );
      return;
    }
    const figure = value as number;
    if (figure >= -ROUNDING_TOLERANCE && figure <= 1 + ROUNDING_TOLERANCE) {
      this.scores[field] = Math.min(1, Math.max(0, figure));
      return;
    }
    this.measures = { ...this.measures, [field]: figure };
    this.#leaveOut(
      field,
      `${evaluator.name} returned ${field} = ${figure}, which is outside [0, 1]: it is kept as a measure and does not decide pass or fail`,
    );
  }

  #addMeasure(evaluator: Evaluator, field: string, value: unknown): void {
    if (!this.#isFree(evaluator, field)) return;
    if (Number.isFinite(value)) this.measures = { ...this.measures, [field]: value as number };
    else
      this.addNote(
        `${evaluator.name} returned the measure ${field} = ${formatScoreValue(value)}; measures must be finite numbers, so it was ignored`,
      );
  }

  #isFree(evaluator: Evaluator, field: string): boolean {
    if (field === "__proto__") {
      this.addNote(`${evaluator.name} returned a field named __proto__, which no object can hold, so it was ignored`);
      return false;
    }
    if (!Object.hasOwn(this.scores, field) && !Object.hasOwn(this.measures, field)) return true;
    this.addNote(`${evaluator.name} also returned ${field}; the first evaluator's value was kept`);
    return false;
  }
}

function formatScoreValue(value: unknown): string {
  return typeof value === "number" ? String(value) : describeValue(value);
}

function hasEvidence(scored: Scored): scored is ScoredWithEvidence {
  const { scores, measures } = scored as Partial<ScoredWithEvidence>;
  return isNonNullObject(scores) || (scores === undefined && isNonNullObject(measures));
}

function isNonNullObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
