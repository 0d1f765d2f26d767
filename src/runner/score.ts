import { applyChoiceOrder } from "../core/choice-order.js";
import { messageOf } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored, ScoredWithEvidence, Scores, ScoringCost } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Grade } from "../core/grader.js";
import { describe } from "../core/shape.js";
import type { Output } from "../core/system.js";
import { type Eventually, isThenable } from "../core/thenable.js";
import type { Trial } from "./admit.js";
import { ScoringMeter } from "./scoring-meter.js";
import { checkReturnedFields, primaryFieldOf, type Wiring } from "./wiring.js";

/** The scores of one output. `primaryField` is null when the field that decides could not be had. */
export interface Graded {
  scores: Scores;
  primaryField: string | null;
  evidence: Record<string, string> | null;
  /** What graders said; null when none were asked. */
  grades: readonly Grade[] | null;
  notes: readonly string[];
  /** What scoring has cost; null when it cost nothing. */
  spent: ScoringCost | null;
  /** False when an evaluator failed. */
  complete: boolean;
}

/** What scoring needs to know of a trial. */
type Scorable = Pick<Trial, "wiring" | "example">;

/** Scores an output with every evaluator of its dataset. One that fails costs its own fields only. */
export function score(trial: Scorable, output: Output, signal: AbortSignal): Eventually<Graded> {
  const { wiring } = trial;
  const { evaluators } = wiring;
  const example = applyChoiceOrder(trial.example, output.choice_order);
  const meter = new ScoringMeter();
  const context = { signal, meter };
  const sheet = new ScoreSheet();
  for (let i = 0; i < evaluators.length; i++) {
    const evaluator = evaluators[i] as Evaluator;
    const scored = tryScore(evaluator, example, output, context);
    if (isThenable(scored)) {
      const rest = evaluators.slice(i + 1).map((each) => tryScore(each, example, output, context));
      return Promise.all([scored, ...rest]).then((late) => {
        for (const [at, each] of late.entries()) sheet.add(evaluators[i + at] as Evaluator, each);
        return gradedBy(wiring, sheet, meter);
      });
    }
    sheet.add(evaluator, scored);
  }
  return gradedBy(wiring, sheet, meter);
}

function gradedBy(wiring: Wiring, sheet: ScoreSheet, meter: ScoringMeter): Graded {
  if (wiring.evaluators.length === 0) sheet.note("no evaluators");
  else if (sheet.complete) checkReturnedFields(wiring, sheet);
  if (meter.isUnknown) sheet.note("what scoring has cost is not known: a judge has no price");
  const { scores, evidence, grades, notes, first, complete } = sheet;
  const primaryField = primaryFieldOf(wiring, scores, first);
  return { scores, primaryField, evidence, grades, notes, spent: meter.spent, complete };
}

class Failed {
  readonly reason: string;
  constructor(error: unknown) {
    this.reason = messageOf(error);
  }
}

function tryScore(
  evaluator: Evaluator,
  example: Example,
  output: Output,
  context: ScoreContext,
): Eventually<Scored | Failed> {
  try {
    const scored = evaluator.score(example, output, context);
    return isThenable(scored) ? scored.then(undefined, (error: unknown) => new Failed(error)) : scored;
  } catch (error) {
    return new Failed(error);
  }
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Collects what the evaluators of one output return. */
class ScoreSheet {
  readonly scores: Scores = {};
  /** Empty for nearly every output, and shared by all of those. */
  notes: readonly string[] = NOTHING;
  evidence: Record<string, string> | null = null;
  grades: readonly Grade[] | null = null;
  /** What the first evaluator returned; null when it failed. */
  first: Scores | null = null;
  /** False once an evaluator failed, so that its fields cannot be told from fields nobody produces. */
  complete = true;
  #undecided: readonly string[] = NOTHING;
  #added = 0;

  add(evaluator: Evaluator, scored: Scored | Failed): void {
    const added = this.#read(evaluator, scored);
    if (this.#added === 0) this.first = added;
    this.#added += 1;
  }

  #read(evaluator: Evaluator, scored: Scored | Failed): Scores | null {
    if (scored instanceof Failed) return this.#fail(`${evaluator.name} failed: ${scored.reason}`);
    if (typeof scored !== "object" || scored === null || Array.isArray(scored)) {
      return this.#fail(`${evaluator.name} returned ${describe(scored)} instead of scores`);
    }
    if (isWithEvidence(scored)) return this.#readWithEvidence(evaluator, scored);
    for (const field in scored) this.#addField(evaluator, field, scored[field]);
    return scored;
  }

  #readWithEvidence(
    evaluator: Evaluator,
    { scores, evidence = {}, unscored = {}, grades }: ScoredWithEvidence,
  ): Scores {
    if (grades !== undefined) this.grades = [...(this.grades ?? []), ...grades];
    for (const field in scores) this.#addField(evaluator, field, scores[field]);
    for (const [field, text] of Object.entries(evidence)) this.#addEvidence(evaluator, field, text);
    for (const [field, reason] of Object.entries(unscored)) {
      this.#leaveOut(field, `${evaluator.name} could not decide ${field}: ${reason}`);
    }
    return scores;
  }

  fields(): string[] {
    return [...Object.keys(this.scores), ...this.#undecided];
  }

  #fail(note: string): null {
    this.complete = false;
    this.note(note);
    return null;
  }

  note(note: string): void {
    this.notes = [...this.notes, note];
  }

  #leaveOut(field: string, note: string): void {
    this.#undecided = [...this.#undecided, field];
    this.note(note);
  }

  #addEvidence(evaluator: Evaluator, field: string, text: unknown): void {
    this.evidence ??= {};
    if (typeof text !== "string") {
      this.note(`${evaluator.name} returned ${describe(text)} as evidence for ${field}; it was left out`);
    } else if (Object.hasOwn(this.evidence, field)) {
      this.evidence[`${evaluator.name}.${field}`] = text;
    } else {
      this.evidence[field] = text;
    }
  }

  #addField(evaluator: Evaluator, field: string, value: unknown): void {
    if (field === "__proto__") {
      this.note(`${evaluator.name} returned a field named __proto__, which no object can hold; it was left out`);
    } else if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
      const shown = typeof value === "number" ? String(value) : describe(value);
      this.#leaveOut(
        field,
        `${evaluator.name} returned ${field} = ${shown}; scores are numbers in [0, 1], so it was left out`,
      );
    } else if (Object.hasOwn(this.scores, field)) {
      this.note(`${evaluator.name} also returned ${field}; the first evaluator's value was kept`);
    } else {
      this.scores[field] = value;
    }
  }
}

function isWithEvidence(scored: Scored): scored is ScoredWithEvidence {
  return typeof (scored as { scores?: unknown }).scores === "object" && scored.scores !== null;
}
