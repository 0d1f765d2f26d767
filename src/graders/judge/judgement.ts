import { AssayError, EXIT } from "../../core/errors.js";
import type { ScoredWithEvidence } from "../../core/evaluator.js";
import type { AnswerShape } from "../../models/dialects/index.js";
import { mean } from "../../stats/index.js";
import { type Fields, fieldsOf } from "./objects-in-text.js";
import { agreementOf, combined, type PanelRule } from "./panel.js";
import { readValue, type Scale, valueText, wanted } from "./scale.js";

export const AGREEMENT_FIELD = "judge_agreement";

/** The vote of one judge of a panel. */
export interface JudgeVote {
  readonly judge: string;
  /** Null if it gave none. */
  readonly verdict: Verdict | null;
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

export interface Weighing {
  /** Empty if there is only one score. */
  readonly criteria: readonly string[];
  readonly panel: PanelRule;
}

/** Combines votes into one judgment. Throws if too few judges answered because their endpoints failed. */
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

/** An unreachable judge says nothing about the answer, so the row must be judged again. */
function requireEndpoints(votes: readonly JudgeVote[]): void {
  const failed = votes.filter(({ isError }) => isError === true);
  if (failed.length === 0) return;
  const reasons = failed.map(({ judge, failure }) => (votes.length === 1 ? failure : `${judge}: ${failure}`));
  throw new JudgeError(`The judge failed. ${reasons.join("; ")}`);
}

/** A mean over fewer criteria would not be comparable with other rows. */
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

/** Lists what each judge said, including judges without a usable answer. */
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

/** One judge's verdict for one field: a score in [0, 1] with the value on the scale, or why there is none. */
type Point =
  | { readonly score: number; readonly value: string; readonly reason: string }
  | { readonly score: null; readonly reason: string };

/** One judge's verdict on one answer, by field. */
export type Verdict = Readonly<Record<string, Point>>;

/** Which of two answers a judge prefers, by the order in which they were shown. */
export type Winner = "A" | "B" | "tie";

/** What a judge must answer: its shape, and how it is parsed. */
export interface Form<T> {
  readonly shape: AnswerShape;
  /** The shape as text for the instructions. Lists every choice, because judges are biased toward a value shown as an example. */
  readonly pattern: string;
  /** True for an object that is meant as an answer, even an invalid one. */
  fits(fields: Fields): boolean;
  /** Returns the parsed answer, or what is wrong with it. */
  read(fields: Fields): T | string;
}

export interface CannotJudge {
  readonly cannot: string;
}

const LONGEST_REASON = 300;

/** Shortens a reason, which is stored with every row. */
export function shortReason(reason: unknown): string {
  const text = typeof reason === "string" ? reason.replace(/\s+/g, " ").trim() : "";
  return text.length <= LONGEST_REASON ? text : `${text.slice(0, LONGEST_REASON)}…`;
}

/** Without schema enforcement, models may write true as a string. */
export function saysCannot({ cannot_judge: said }: Fields): boolean {
  return said === true || (typeof said === "string" && said.trim().toLowerCase() === "true");
}

export function cannotReason({ reasoning }: Fields): string {
  return `the judge says it cannot judge: ${shortReason(reasoning) || "it gives no reason"}`;
}

/** Builds an object schema: all properties are required, in this order, and no others are allowed. */
export function objectSchema(properties: Readonly<Record<string, Fields>>): Fields {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The properties that every verdict begins with. The reasoning comes before the decision. */
export const OPENING = {
  reasoning: { type: "string", description: "Two or three sentences." },
  cannot_judge: { type: "boolean", description: "True only when the material is not enough to decide." },
} as const satisfies Record<string, Fields>;

/** The field of the overall score. */
export const SCORE_FIELD = "judge_score";

export function fieldOf(criterion: string): string {
  return `judge_${criterion}`;
}

export function scoreForm(scale: Scale): Form<Verdict> {
  return {
    shape: { name: "verdict", schema: pointSchema(scale) },
    pattern: patternOf(scale),
    fits: (fields) => scale.key in fields || "score" in fields || saysCannot(fields),
    read(fields) {
      const point = readPoint(fields, scale);
      return typeof point === "string" ? `the ${scale.key} ${point}` : { [SCORE_FIELD]: point };
    },
  };
}

export function criteriaForm(criteria: readonly string[], scale: Scale): Form<Verdict> {
  const each = Object.fromEntries(criteria.map((name) => [name, pointSchema(scale)]));
  const schema = objectSchema({ criteria: objectSchema(each) });
  // Some models omit the outer object.
  const scoresIn = (fields: Fields) => fieldsOf(fields.criteria) ?? fields;
  return {
    shape: { name: "verdict", schema },
    pattern: `{"criteria": {${criteria.map((name) => `"${name}": ${patternOf(scale)}`).join(", ")}}}`,
    fits: (fields) => criteria.some((name) => Object.hasOwn(scoresIn(fields), name)),
    read: (fields) => readCriteria(scoresIn(fields), criteria, scale),
  };
}

function readCriteria(fields: Fields, criteria: readonly string[], scale: Scale): Verdict | string {
  const points: Record<string, Point> = {};
  for (const name of criteria) {
    if (!Object.hasOwn(fields, name)) return `there is nothing for the criterion "${name}"`;
    const point = readPoint(fieldsOf(fields[name]) ?? { [scale.key]: fields[name] }, scale);
    if (typeof point === "string") return `the ${scale.key} for "${name}" ${point}`;
    points[fieldOf(name)] = point;
  }
  return points;
}

function readPoint(fields: Fields, scale: Scale): Point | string {
  if (saysCannot(fields)) return { score: null, reason: cannotReason(fields) };
  const value = fields[scale.key] ?? fields.score;
  if (value === undefined || value === null) return "is missing";
  const score = readValue(value, scale);
  if (typeof score === "string") return score;
  if (scale.key === "score" && !Number.isInteger(Number(value)))
    return `is ${Number(value)}, but must be ${wanted(scale)}`;
  return { score, value: valueText(score, scale), reason: shortReason(fields.reasoning) };
}

function pointSchema({ key, values }: Scale): Fields {
  const type = key === "verdict" ? "string" : "integer";
  const value = { type, enum: key === "verdict" ? [...values].reverse() : values };
  return objectSchema({ ...OPENING, [key]: value });
}

function patternOf({ key, values }: Scale): string {
  const choices = values.map((value) => JSON.stringify(value)).join(" | ");
  return `{"reasoning": "…", "cannot_judge": true | false, "${key}": ${choices}}`;
}
