import { messageOf } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored, Scores } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { describe } from "../core/shape.js";
import type { Output } from "../core/system.js";
import { isThenable } from "../core/thenable.js";
import type { Trial } from "./admit.js";
import { checkReturnedFields, primaryFieldOf } from "./wiring.js";

/** The scores of one output. `primaryField` is null when the field that decides could not be had. */
export interface Graded {
  scores: Scores;
  primaryField: string | null;
  evidence: Record<string, string> | null;
  notes: string[];
}

/** Scores an output with every evaluator of its dataset. One that fails costs its own fields only. */
export async function score(trial: Trial, output: Output, context: ScoreContext): Promise<Graded> {
  const { evaluators } = trial.wiring;
  const sheet = new ScoreSheet();
  let first: Scores | null = null;
  for (const evaluator of evaluators) {
    const pending = tryScore(evaluator, trial.example, output, context);
    const scored = pending instanceof Promise ? await pending : pending;
    const added = sheet.add(evaluator, scored);
    if (evaluator === evaluators[0]) first = added;
  }
  if (evaluators.length > 0 && sheet.complete) checkReturnedFields(trial.wiring, sheet.fields());
  if (evaluators.length === 0) sheet.notes.push("no evaluators");
  const primaryField = primaryFieldOf(trial.wiring, sheet.scores, first);
  return { scores: sheet.scores, primaryField, evidence: sheet.evidence, notes: sheet.notes };
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
): Scored | Failed | Promise<Scored | Failed> {
  try {
    const scored = evaluator.score(example, output, context);
    return isThenable(scored) ? Promise.resolve(scored).catch((error: unknown) => new Failed(error)) : scored;
  } catch (error) {
    return new Failed(error);
  }
}

/** Collects what the evaluators of one output return. */
class ScoreSheet {
  readonly scores: Scores = {};
  readonly notes: string[] = [];
  evidence: Record<string, string> | null = null;
  /** False once an evaluator failed, so that its fields cannot be told from fields nobody produces. */
  complete = true;
  readonly #undecided: string[] = [];

  add(evaluator: Evaluator, scored: Scored | Failed): Scores | null {
    if (scored instanceof Failed) return this.#fail(`${evaluator.name} failed: ${scored.reason}`);
    if (typeof scored !== "object" || scored === null) {
      return this.#fail(`${evaluator.name} returned ${describe(scored)} instead of scores`);
    }
    const full = isWithEvidence(scored) ? scored : null;
    const added = (full?.scores ?? scored) as Scores;
    for (const field in added) this.#addField(evaluator, field, added[field]);
    if (full?.evidence !== undefined) this.evidence = { ...this.evidence, ...full.evidence };
    for (const [field, reason] of Object.entries(full?.unscored ?? {})) {
      this.#undecided.push(field);
      this.notes.push(`${evaluator.name} could not decide ${field}: ${reason}`);
    }
    return added;
  }

  fields(): string[] {
    return [...Object.keys(this.scores), ...this.#undecided];
  }

  #fail(note: string): null {
    this.complete = false;
    this.notes.push(note);
    return null;
  }

  #addField(evaluator: Evaluator, field: string, value: unknown): void {
    if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
      this.#undecided.push(field);
      const shown = typeof value === "number" ? String(value) : describe(value);
      this.notes.push(
        `${evaluator.name} returned ${field} = ${shown}; scores are numbers in [0, 1], so it was left out`,
      );
    } else if (field in this.scores) {
      this.notes.push(`${evaluator.name} also returned ${field}; the first evaluator's value was kept`);
    } else {
      this.scores[field] = value;
    }
  }
}

function isWithEvidence(scored: Scored): scored is Exclude<Scored, Scores> {
  return typeof (scored as { scores?: unknown }).scores === "object" && scored.scores !== null;
}
