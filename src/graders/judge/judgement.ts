import { AssayError, EXIT } from "../../core/errors.js";
import type { ScoredWithEvidence } from "../../core/evaluator.js";
import type { AnswerShape } from "../../models/dialects/index.js";
import { mean } from "../../stats/index.js";
import { type Fields, fieldsOf } from "./objects-in-text.js";
import { agreementOf, combined, type PanelRule } from "./panel.js";
import { readValue, type Scale, valueText, wanted } from "./scale.js";

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

/** What a judge says of one field: a score in [0, 1] and the value in the scale's own words, or why there is none. */
type Point =
  | { readonly score: number; readonly value: string; readonly reason: string }
  | { readonly score: null; readonly reason: string };

/** What one judge says of one answer, by field. */
export type Verdict = Readonly<Record<string, Point>>;

/** Which of two answers a judge prefers, as they were shown. */
export type Winner = "A" | "B" | "tie";

/** What a judge is asked for: how the answer must look, and how it is read. */
export interface Form<T> {
  readonly shape: AnswerShape;
  /** The same for the instructions: every choice is written out, because a judge leans to what it is shown as an example. */
  readonly pattern: string;
  /** True for an object that is meant as an answer, though it may be a wrong one. */
  fits(fields: Fields): boolean;
  /** What the object says, or what is wrong with it. */
  read(fields: Fields): T | string;
}

/** A judge that says it cannot judge. */
export interface CannotJudge {
  readonly cannot: string;
}

const LONGEST_REASON = 300;

/** A reason in a few words: it is kept with every row. */
export function shortReason(reason: unknown): string {
  const text = typeof reason === "string" ? reason.replace(/\s+/g, " ").trim() : "";
  return text.length <= LONGEST_REASON ? text : `${text.slice(0, LONGEST_REASON)}…`;
}

/** Models write true as a text where nothing holds them to the schema. */
export function saysCannot({ cannot_judge: said }: Fields): boolean {
  return said === true || (typeof said === "string" && said.trim().toLowerCase() === "true");
}

/** The judge's own reason for not judging. */
export function cannotReason({ reasoning }: Fields): string {
  return `the judge says it cannot judge: ${shortReason(reasoning) || "it gives no reason"}`;
}

/** An object of a schema: everything is required, in this order, and nothing else allowed. */
export function objectSchema(properties: Readonly<Record<string, Fields>>): Fields {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The properties that every verdict begins with: the reasoning first, so that it comes before the decision. */
export const OPENING = {
  reasoning: { type: "string", description: "Two or three sentences." },
  cannot_judge: { type: "boolean", description: "True only when the material is not enough to decide." },
} as const satisfies Record<string, Fields>;

/** The field of the whole judgement. */
export const SCORE_FIELD = "judge_score";

/** The field of a criterion. */
export function fieldOf(criterion: string): string {
  return `judge_${criterion}`;
}

/** Asks for one score. */
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

/** Asks for a score by each criterion. */
export function criteriaForm(criteria: readonly string[], scale: Scale): Form<Verdict> {
  const each = Object.fromEntries(criteria.map((name) => [name, pointSchema(scale)]));
  const schema = objectSchema({ criteria: objectSchema(each) });
  // Some models leave the outer object out.
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
