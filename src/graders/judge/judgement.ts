import type { ScoredWithEvidence } from "../../core/index.js";
import { AssayError, EXIT } from "../../core/index.js";
import type { AnswerFormat } from "../../models/index.js";
import { mean, median } from "../../stats/index.js";
import { toVerdictFields, type VerdictFields } from "./objects-in-text.js";
import { describeScaleValues, formatScaleValue, readScaleValue, type Scale } from "./scale.js";

/** How the scores of a panel are combined. */
export type PanelRule = "mean" | "median" | "majority" | "min";

export const PANEL_RULES: readonly PanelRule[] = ["mean", "median", "majority", "min"];

/**
 * Combines the scores of a panel; null if no value has a majority. A majority is more than half of the judges, for pass
 * or fail, or for win, tie or loss.
 * @example
 * combinePanelScores([1, 1, 0], "majority"); // 1
 */
export function combinePanelScores(scores: readonly number[], rule: PanelRule): number | null {
  if (rule === "mean") return mean(scores);
  if (rule === "median") return median(scores);
  return rule === "min" ? Math.min(...scores) : findMajority(scores);
}

function findMajority(scores: readonly number[]): number | null {
  // For a pair shown in both orders, a win and a tie count as a win.
  const sides = scores.map((score) => (1 + Math.sign(score - 0.5)) / 2);
  return [0, 0.5, 1].find((side) => sides.filter((each) => each === side).length > scores.length / 2) ?? null;
}

/**
 * Agreement of judges: 1 − the mean distance |a − b| over all pairs of judges. On the binary scale this is the share of
 * pairs that agree. Null with fewer than two judges.
 * @example
 * computePanelAgreement([1, 1, 0]); // 1/3: one pair of three agrees
 */
export function computePanelAgreement(scores: readonly number[]): number | null {
  const distances = scores.flatMap((a, i) => scores.slice(i + 1).map((b) => Math.abs(a - b)));
  return distances.length === 0 ? null : 1 - mean(distances);
}

export const AGREEMENT_FIELD = "judge_agreement";

/** The vote of one judge of a panel. */
export interface JudgeVote {
  readonly judge: string;
  /** Null if it gave none. */
  readonly verdict: JudgeVerdict | null;
  /** Why it gave none. */
  readonly failure?: string;
  /** True if its endpoint failed, so that a later attempt may succeed. */
  readonly isError?: boolean;
  /** For a pair: the winner with the response shown first, and with it shown second. A is the response in both. */
  readonly orders?: readonly [Winner, Winner];
}

/** The judgment of a judge or a panel on one output: its scores, and each judge's vote. */
export interface Judgement extends ScoredWithEvidence {
  readonly votes: readonly JudgeVote[];
}

/** Too few judges answered because their endpoints failed. */
export class JudgeError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("JUDGE", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

interface CombineVotesOptions {
  /** Empty if there is only one score. */
  readonly criteria: readonly string[];
  readonly panel: PanelRule;
}

/** Combines votes into one judgment. Throws if too few judges answered because their endpoints failed. */
export function combineVotes(votes: readonly JudgeVote[], { criteria, panel }: CombineVotesOptions): Judgement {
  const sheet: JudgmentScores = { scores: {}, evidence: {}, unscored: {} };
  const fields = criteria.length === 0 ? [SCORE_FIELD] : criteria.map(toCriterionField);
  for (const field of fields) combineField(field, { sheet, votes, panel });
  if (criteria.length > 0) addCriteriaMean(fields, sheet);
  if (votes.length > 1) addAgreement(fields, sheet, votes);
  return { ...omitEmpty(sheet), votes };
}

type JudgmentScores = Required<Omit<ScoredWithEvidence, "grades" | "measures">>;

function omitEmpty({ scores, evidence, unscored }: JudgmentScores): ScoredWithEvidence {
  return {
    scores,
    ...(Object.keys(evidence).length > 0 && { evidence }),
    ...(Object.keys(unscored).length > 0 && { unscored }),
  };
}

interface FieldVotes {
  readonly sheet: JudgmentScores;
  readonly votes: readonly JudgeVote[];
  readonly panel: PanelRule;
}

function combineField(field: string, { sheet, votes, panel }: FieldVotes): void {
  const points = votes.flatMap(({ verdict }) => verdict?.[field] ?? []);
  const scores = points.flatMap(({ score }) => (score === null ? [] : score));
  const isEnough = scores.length > 0 && scores.length * 2 >= votes.length;
  if (!isEnough) requireReachableJudges(votes);
  const score = isEnough ? combinePanelScores(scores, panel) : null;
  if (score === null) {
    sheet.unscored[field] = explainUnscoredField(field, votes, isEnough);
    return;
  }
  sheet.scores[field] = score;
  sheet.evidence[field] = formatVoteEvidence(field, votes);
}

function explainUnscoredField(field: string, votes: readonly JudgeVote[], isSplit: boolean): string {
  if (votes.length === 1) return explainMissingScore(field, votes[0]);
  const why = isSplit ? "the panel is split" : "fewer than half of the judges gave a score";
  return `${why}: ${formatVotes(field, votes)}`;
}

/** An unreachable judge says nothing about the answer, so the row must be judged again. */
function requireReachableJudges(votes: readonly JudgeVote[]): void {
  const failed = votes.filter(({ isError }) => isError === true);
  if (failed.length === 0) return;
  const reasons = failed.map(({ judge, failure }) => (votes.length === 1 ? failure : `${judge}: ${failure}`));
  throw new JudgeError(`The judge failed. ${reasons.join("; ")}`);
}

/** A mean over fewer criteria would not be comparable with other rows. */
function addCriteriaMean(fields: readonly string[], { scores, unscored }: JudgmentScores): void {
  const missing = fields.filter((field) => !Object.hasOwn(scores, field));
  if (missing.length === 0) scores[SCORE_FIELD] = mean(fields.map((field) => scores[field] ?? 0));
  else unscored[SCORE_FIELD] = `there is no score for ${missing.join(", ")}`;
}

function addAgreement(
  fields: readonly string[],
  { scores, unscored }: JudgmentScores,
  votes: readonly JudgeVote[],
): void {
  const agreements = fields.flatMap((field) => {
    const given = votes.flatMap(({ verdict }) => verdict?.[field]?.score ?? []);
    return computePanelAgreement(given) ?? [];
  });
  if (agreements.length > 0) scores[AGREEMENT_FIELD] = mean(agreements);
  else unscored[AGREEMENT_FIELD] = "fewer than two judges gave a score";
}

function formatVoteEvidence(field: string, votes: readonly JudgeVote[]): string {
  const reason = votes.flatMap(({ verdict }) => getScoredVerdict(verdict?.[field]) ?? [])[0]?.reason ?? "";
  const value = votes.length === 1 ? getScoredVerdict(votes[0]?.verdict?.[field])?.value : formatVotes(field, votes);
  return reason === "" ? `${value}` : `${value}: ${reason}`;
}

/** Lists what each judge said, including judges without a usable answer. */
function formatVotes(field: string, votes: readonly JudgeVote[]): string {
  return votes
    .map((vote) => {
      const value = getScoredVerdict(vote.verdict?.[field])?.value;
      return value === undefined
        ? `${vote.judge} left out (${shortenReason(explainMissingScore(field, vote))})`
        : `${vote.judge} ${value}`;
    })
    .join(", ");
}

function explainMissingScore(field: string, vote: JudgeVote | undefined): string {
  return vote?.verdict?.[field]?.reason ?? vote?.failure ?? "the judge said nothing";
}

function getScoredVerdict(point: FieldVerdict | undefined): Extract<FieldVerdict, { score: number }> | undefined {
  return point !== undefined && point.score !== null ? point : undefined;
}

/** One judge's verdict for one field: a score in [0, 1] with the value on the scale, or why there is none. */
type FieldVerdict =
  | { readonly score: number; readonly value: string; readonly reason: string }
  | { readonly score: null; readonly reason: string };

/** One judge's verdict on one answer, by field. */
export type JudgeVerdict = Readonly<Record<string, FieldVerdict>>;

/** Which of two answers a judge prefers, by the order in which they were shown. */
export type Winner = "A" | "B" | "tie";

/** What a judge must answer: its shape, and how it is parsed. */
export interface AnswerForm<T> {
  readonly shape: AnswerFormat;
  /** The shape as text for the instructions. Lists every choice, because judges are biased toward a value shown as an example. */
  readonly pattern: string;
  /** True for an object that is meant as an answer, even an invalid one. */
  fits(fields: VerdictFields): boolean;
  /** Returns the parsed answer, or what is wrong with it. */
  read(fields: VerdictFields): T | string;
}

export interface CannotJudge {
  readonly cannot: string;
}

const MAX_REASON_LENGTH = 300;

/** Shortens a reason, which is stored with every row. */
export function shortenReason(reason: unknown): string {
  const text = typeof reason === "string" ? reason.replace(/\s+/g, " ").trim() : "";
  return text.length <= MAX_REASON_LENGTH ? text : `${text.slice(0, MAX_REASON_LENGTH)}…`;
}

/** Without schema enforcement, models may write true as a string. */
export function isCannotJudge({ cannot_judge: said }: VerdictFields): boolean {
  return said === true || (typeof said === "string" && said.trim().toLowerCase() === "true");
}

export function describeCannotJudge({ reasoning }: VerdictFields): string {
  return `the judge says it cannot judge: ${shortenReason(reasoning) || "it gives no reason"}`;
}

/** Builds an object schema: all properties are required, in this order, and no others are allowed. */
export function buildObjectSchema(properties: Readonly<Record<string, VerdictFields>>): VerdictFields {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The properties that every verdict begins with. The reasoning comes before the decision. */
export const REASONING_PROPERTIES = {
  reasoning: { type: "string", description: "Two or three sentences." },
  cannot_judge: { type: "boolean", description: "True only when the material is not enough to decide." },
} as const satisfies Record<string, VerdictFields>;

/** The field of the overall score. */
export const SCORE_FIELD = "judge_score";

export function toCriterionField(criterion: string): string {
  return `judge_${criterion}`;
}

export function createScoreForm(scale: Scale): AnswerForm<JudgeVerdict> {
  return {
    shape: { name: "verdict", schema: buildVerdictSchema(scale) },
    pattern: formatVerdictPattern(scale),
    fits: (fields) => scale.key in fields || "score" in fields || isCannotJudge(fields),
    read(fields) {
      const point = readFieldVerdict(fields, scale);
      return typeof point === "string" ? `the ${scale.key} ${point}` : { [SCORE_FIELD]: point };
    },
  };
}

export function createCriteriaForm(criteria: readonly string[], scale: Scale): AnswerForm<JudgeVerdict> {
  const each = Object.fromEntries(criteria.map((name) => [name, buildVerdictSchema(scale)]));
  const schema = buildObjectSchema({ criteria: buildObjectSchema(each) });
  // Some models omit the outer object.
  const scoresIn = (fields: VerdictFields) => toVerdictFields(fields.criteria) ?? fields;
  return {
    shape: { name: "verdict", schema },
    pattern: `{"criteria": {${criteria.map((name) => `"${name}": ${formatVerdictPattern(scale)}`).join(", ")}}}`,
    fits: (fields) => criteria.some((name) => Object.hasOwn(scoresIn(fields), name)),
    read: (fields) => readCriteria(scoresIn(fields), criteria, scale),
  };
}

function readCriteria(fields: VerdictFields, criteria: readonly string[], scale: Scale): JudgeVerdict | string {
  const points: Record<string, FieldVerdict> = {};
  for (const name of criteria) {
    if (!Object.hasOwn(fields, name)) return `there is nothing for the criterion "${name}"`;
    const point = readFieldVerdict(toVerdictFields(fields[name]) ?? { [scale.key]: fields[name] }, scale);
    if (typeof point === "string") return `the ${scale.key} for "${name}" ${point}`;
    points[toCriterionField(name)] = point;
  }
  return points;
}

function readFieldVerdict(fields: VerdictFields, scale: Scale): FieldVerdict | string {
  if (isCannotJudge(fields)) return { score: null, reason: describeCannotJudge(fields) };
  const value = fields[scale.key] ?? fields.score;
  if (value === undefined || value === null) return "is missing";
  const score = readScaleValue(value, scale);
  if (typeof score === "string") return score;
  if (scale.key === "score" && !Number.isInteger(Number(value)))
    return `is ${Number(value)}, but must be ${describeScaleValues(scale)}`;
  return { score, value: formatScaleValue(score, scale), reason: shortenReason(fields.reasoning) };
}

function buildVerdictSchema({ key, values }: Scale): VerdictFields {
  const type = key === "verdict" ? "string" : "integer";
  const value = { type, enum: key === "verdict" ? [...values].reverse() : values };
  return buildObjectSchema({ ...REASONING_PROPERTIES, [key]: value });
}

function formatVerdictPattern({ key, values }: Scale): string {
  const choices = values.map((value) => JSON.stringify(value)).join(" | ");
  return `{"reasoning": "…", "cannot_judge": true | false, "${key}": ${choices}}`;
}
