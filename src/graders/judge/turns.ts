import type { Example } from "../../core/index.js";
import { convertToText } from "../../evaluators/index.js";
import { mean } from "../../stats/index.js";
import { listAskedExamples, listTurnReplies } from "../turn-view.js";
import { AGREEMENT_FIELD, type Judgement, SCORE_FIELD } from "./judgement.js";
import type { JudgedCase } from "./judging-mode.js";

/** Later turns have fields too, but only these can be selected by name. */
const DECLARED_TURNS = 10;

/** The turn fields that a judge declares in advance. */
export const TURN_FIELDS: readonly string[] = Array.from({ length: DECLARED_TURNS }, (_, at) => formatTurnField(at));

/** The field of a turn; `at` starts at 0. */
function formatTurnField(at: number): string {
  return `judge_turn_${at + 1}`;
}

/**
 * Splits a conversation into one case per turn the system had to answer, each with the turns before it; or returns why it
 * cannot be split. The example's list `reference` has a reference per turn; its gold answer belongs to the last turn.
 */
export function splitTurns({ original, processed }: JudgedCase): JudgedCase[] | string {
  const asked = listAskedExamples(original);
  const replies = listTurnReplies(processed);
  if (replies.length !== asked.length)
    return `the output has ${replies.length} of the ${asked.length} answers that the turns of the example ask for`;
  return asked.map((example, at) => ({
    original: addTurnReference(example, original, { at, isLast: at === asked.length - 1 }),
    processed: { ...processed, response: replies[at] ?? "", replies: replies.slice(0, at + 1) },
  }));
}

function addTurnReference(
  example: Example,
  original: Example,
  { at, isLast }: { at: number; isLast: boolean },
): Example {
  const { answer: _, answers: __, ...bare } = example;
  const { reference } = original;
  if (!Array.isArray(reference)) return isLast ? example : bare;
  const gold = convertToText(reference[at]);
  return gold.trim() === "" ? bare : { ...bare, answer: gold };
}

type TurnScores = {
  scores: Record<string, number>;
  evidence: Record<string, string>;
  unscored: Record<string, string>;
};

/** Merges the judgments of all turns: one field per turn, and the mean of each field over all turns. */
export function mergeTurns(judgements: readonly Judgement[], fields: readonly string[]): Judgement {
  const sheet: TurnScores = { scores: {}, evidence: {}, unscored: {} };
  for (const [at, judgement] of judgements.entries()) addTurn(sheet, judgement, formatTurnField(at));
  for (const field of fields) addTurnMean(sheet, judgements, field);
  return { ...sheet, votes: judgements.flatMap(({ votes }) => votes) };
}

function addTurn(sheet: TurnScores, { scores, evidence, unscored }: Judgement, field: string): void {
  const score = scores[SCORE_FIELD];
  if (score === undefined) sheet.unscored[field] = unscored?.[SCORE_FIELD] ?? "the judge gave no score";
  else sheet.scores[field] = score;
  const text = evidence?.[SCORE_FIELD];
  if (text !== undefined) sheet.evidence[field] = text;
}

/** A mean over fewer turns would not be comparable with other rows. */
function addTurnMean(sheet: TurnScores, judgements: readonly Judgement[], field: string): void {
  const scores = judgements.flatMap((judgement) => judgement.scores[field] ?? []);
  const missing = judgements.findIndex((judgement) => judgement.scores[field] === undefined);
  if (missing === -1 || (field === AGREEMENT_FIELD && scores.length > 0)) sheet.scores[field] = mean(scores);
  else sheet.unscored[field] = `turn ${missing + 1}: ${judgements[missing]?.unscored?.[field] ?? "there is no score"}`;
}
