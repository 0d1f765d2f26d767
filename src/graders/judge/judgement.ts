import { AssayError, EXIT } from "../../core/errors.js";
import type { ScoredWithEvidence } from "../../core/evaluator.js";
import { mean } from "../../stats/index.js";
import { agreementOf, combined, type PanelRule } from "./panel.js";
import { fieldOf, SCORE_FIELD } from "./score-form.js";
import { type Point, shortReason, type Verdict, type Winner } from "./verdict.js";

/** The field of the panel's agreement. */
export const AGREEMENT_FIELD = "judge_agreement";

/** What one judge of a panel came to. */
export interface JudgeVote {
  readonly judge: string;
  /** Null when it gave none. */
  readonly verdict: Verdict | null;
  /** Why it gave none. */
  readonly failure?: string;
  /** True when its endpoint failed, so that it might have judged at another time. */
  readonly isError?: boolean;
  /** Of a pair: what won with the response shown first, and with it shown second. A is the response in both. */
  readonly orders?: readonly [Winner, Winner];
}

/** What a judge or a panel says of one output: its scores, and what each judge said. */
export interface Judgement extends ScoredWithEvidence {
  readonly votes: readonly JudgeVote[];
}

/** The judges' endpoints failed, so that too few of them answered. */
export class JudgeError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("JUDGE", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

export interface Weighing {
  /** Empty when there is one score only. */
  readonly criteria: readonly string[];
  readonly panel: PanelRule;
}

/** Makes one judgement of what the judges said. Throws when too few answered because their endpoints failed. */
export function weigh(votes: readonly JudgeVote[], { criteria, panel }: Weighing): Judgement {
  const sheet: Sheet = { scores: {}, evidence: {}, unscored: {} };
  const fields = criteria.length === 0 ? [SCORE_FIELD] : criteria.map(fieldOf);
  for (const field of fields) weighField(field, { sheet, votes, panel });
  if (criteria.length > 0) addMean(fields, sheet);
  if (votes.length > 1) addAgreement(fields, sheet, votes);
  return { ...withoutEmpty(sheet), votes };
}

type Sheet = Required<Omit<ScoredWithEvidence, "grades" | "measures">>;

function withoutEmpty({ scores, evidence, unscored }: Sheet): ScoredWithEvidence {
  return {
    scores,
    ...(Object.keys(evidence).length > 0 && { evidence }),
    ...(Object.keys(unscored).length > 0 && { unscored }),
  };
}

interface FieldWeighing {
  readonly sheet: Sheet;
  readonly votes: readonly JudgeVote[];
  readonly panel: PanelRule;
}

function weighField(field: string, { sheet, votes, panel }: FieldWeighing): void {
  const points = votes.flatMap(({ verdict }) => verdict?.[field] ?? []);
  const scores = points.flatMap(({ score }) => (score === null ? [] : score));
  const isEnough = scores.length > 0 && scores.length * 2 >= votes.length;
  if (!isEnough) requireEndpoints(votes);
  const score = isEnough ? combined(scores, panel) : null;
  if (score === null) {
    sheet.unscored[field] = whyUnscored(field, votes, isEnough);
    return;
  }
  sheet.scores[field] = score;
  sheet.evidence[field] = evidenceOf(field, votes);
}

function whyUnscored(field: string, votes: readonly JudgeVote[], isSplit: boolean): string {
  if (votes.length === 1) return whyNot(field, votes[0]);
  const why = isSplit ? "the panel is split" : "fewer than half of the judges gave a score";
  return `${why}: ${saidBy(field, votes)}`;
}

/** A judge that could not be reached says nothing about the answer: the row is to be judged again. */
function requireEndpoints(votes: readonly JudgeVote[]): void {
  const failed = votes.filter(({ isError }) => isError === true);
  if (failed.length === 0) return;
  const reasons = failed.map(({ judge, failure }) => (votes.length === 1 ? failure : `${judge}: ${failure}`));
  throw new JudgeError(`The judge failed. ${reasons.join("; ")}`);
}

/** A mean of fewer criteria could not be compared with that of other rows. */
function addMean(fields: readonly string[], { scores, unscored }: Sheet): void {
  const missing = fields.filter((field) => !Object.hasOwn(scores, field));
  if (missing.length === 0) scores[SCORE_FIELD] = mean(fields.map((field) => scores[field] ?? 0));
  else unscored[SCORE_FIELD] = `there is no score for ${missing.join(", ")}`;
}

function addAgreement(fields: readonly string[], { scores, unscored }: Sheet, votes: readonly JudgeVote[]): void {
  const agreements = fields.flatMap((field) => {
    const given = votes.flatMap(({ verdict }) => verdict?.[field]?.score ?? []);
    return agreementOf(given) ?? [];
  });
  if (agreements.length > 0) scores[AGREEMENT_FIELD] = mean(agreements);
  else unscored[AGREEMENT_FIELD] = "fewer than two judges gave a score";
}

function evidenceOf(field: string, votes: readonly JudgeVote[]): string {
  const reason = votes.flatMap(({ verdict }) => given(verdict?.[field]) ?? [])[0]?.reason ?? "";
  const value = votes.length === 1 ? given(votes[0]?.verdict?.[field])?.value : saidBy(field, votes);
  return reason === "" ? `${value}` : `${value}: ${reason}`;
}

/** What each judge said, those included that said nothing of use. */
function saidBy(field: string, votes: readonly JudgeVote[]): string {
  return votes
    .map((vote) => {
      const value = given(vote.verdict?.[field])?.value;
      return value === undefined
        ? `${vote.judge} left out (${shortReason(whyNot(field, vote))})`
        : `${vote.judge} ${value}`;
    })
    .join(", ");
}

function whyNot(field: string, vote: JudgeVote | undefined): string {
  return vote?.verdict?.[field]?.reason ?? vote?.failure ?? "the judge said nothing";
}

function given(point: Point | undefined): Extract<Point, { score: number }> | undefined {
  return point !== undefined && point.score !== null ? point : undefined;
}
