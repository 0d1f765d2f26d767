import type { AnswerShape } from "../../models/dialects/index.js";
import type { Fields } from "./objects-in-text.js";

/** What a judge says of one field: a score in [0, 1] and the value in the scale's own words, or why there is none. */
export type Point =
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
