import type { ScoreContext } from "../../core/evaluator.js";
import { type Example, isConversation, type Turn } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { responseOf, textOf } from "../../evaluators/gold.js";
import type { Message } from "../../models/dialects/index.js";
import { mean } from "../../stats/index.js";
import type { Desk } from "./desk.js";
import type { JudgeAnswer, OpenModel } from "./judge-model.js";
import { AGREEMENT_FIELD, type Form, type Judgement } from "./judgement.js";
import type { Trialled } from "./panel.js";
import { correction, tagOf } from "./prompt.js";
import { SCORE_FIELD } from "./scale.js";

/** One question to one judge. */
export interface Question<T> {
  readonly form: Form<T>;
  readonly system: string;
  readonly message: string;
}

/** What a judge said, or why it cannot be used. */
export type Heard<T> = { readonly said: T } | { readonly problem: string };

/** Who is asked, and through whom. */
export interface Interviewed {
  readonly open: OpenModel;
  readonly desk: Desk;
  readonly context: ScoreContext;
}

/** Asks a judge, and once more when what it answers cannot be used. Throws when its endpoint fails. */
export async function interview<T>({ open, desk, context }: Interviewed, question: Question<T>): Promise<Heard<T>> {
  const { form, system, message } = question;
  const ask = (messages: readonly Message[]) => desk.ask(open, { system, messages, answer: form.shape }, context);
  const first = await ask([{ role: "user", parts: [message] }]);
  const heard = read(first, form);
  if ("said" in heard) return heard;
  const second = await ask(asked(message, first, correction(heard.problem, form)));
  const again = read(second, form);
  return "said" in again ? again : { problem: `the judge's answer could not be used, twice: ${again.problem}` };
}

/** Without an answer in between, both texts are one message: not every endpoint takes two in a row. */
function asked(message: string, { response }: JudgeAnswer, again: string): Message[] {
  const answered = textOf(response);
  if (answered.trim() === "") return [{ role: "user", parts: [message, again] }];
  return [
    { role: "user", parts: [message] },
    { role: "assistant", parts: [answered] },
    { role: "user", parts: [again] },
  ];
}

function read<T>({ response, stopped }: JudgeAnswer, form: Form<T>): Heard<T> {
  const text = textOf(response);
  if (stopped === "refused") return { problem: "it is a refusal" };
  const fields = lastObjectIn(text, (object) => form.fits(object));
  if (fields === null) return { problem: missing(text, stopped) };
  const said = form.read(fields);
  return typeof said === "string" ? { problem: said } : { said };
}

function missing(text: string, stopped: JudgeAnswer["stopped"]): string {
  if (stopped !== undefined && stopped !== null) return "it was cut off before its JSON object was complete";
  return text.trim() === "" ? "it is empty" : "it holds no JSON object with what was asked for";
}

/** Turns beyond these have a field too; these may be asked for by name. */
const DECLARED_TURNS = 10;

/** The fields of single turns that a judge announces beforehand. */
export const TURN_FIELDS: readonly string[] = Array.from({ length: DECLARED_TURNS }, (_, at) => turnField(at));

/** The field of a turn, counted from 0. */
function turnField(at: number): string {
  return `judge_turn_${at + 1}`;
}

/**
 * Each turn that the system had to answer as a case of its own, with what was said before it; or why they cannot be
 * told apart. References are taken turn by turn from the example's list `reference`; its gold answer belongs to the last.
 */
export function turnsOf({ original, processed }: Trialled): Trialled[] | string {
  const asked = askedIn(original);
  const replies = repliesOf(processed);
  if (replies.length !== asked.length)
    return `the output has ${replies.length} of the ${asked.length} answers that the turns of the example ask for`;
  return asked.map((example, at) => ({
    original: withReference(example, original, { at, isLast: at === asked.length - 1 }),
    processed: { ...processed, response: replies[at] ?? "", replies: replies.slice(0, at + 1) },
  }));
}

/** How many answers an example asks for. */
export function turnCount(example: Example): number {
  return askedIn(example).length;
}

/** A model that was asked once has a response and no list; a recording has the list in its metadata. */
function repliesOf(output: Output): string[] {
  const replies = output.replies ?? output.metadata?.replies;
  return Array.isArray(replies) ? replies.map(textOf) : [responseOf(output)];
}

/** The example up to each place where the system is to answer, as a model is asked. */
function askedIn(example: Example): Example[] {
  const { question, ...rest } = example;
  const { turns } = example;
  if (!isConversation(turns) || turns.length === 0) return [example];
  const isOpen = (turn: Turn, next: Turn | undefined) =>
    tagOf(turn.role) === "user" && (next === undefined || tagOf(next.role) !== "assistant");
  const asked: Example[] = turns.flatMap((turn, at) =>
    isOpen(turn, turns[at + 1]) ? [{ ...rest, turns: turns.slice(0, at + 1) }] : [],
  );
  const last = turns.at(-1);
  const isSaid = last !== undefined && tagOf(last.role) === "user" && last.content === question;
  return question && !isSaid ? [...asked, example] : asked;
}

function withReference(example: Example, original: Example, { at, isLast }: { at: number; isLast: boolean }): Example {
  const { answer: _, answers: __, ...bare } = example;
  const { reference } = original;
  if (!Array.isArray(reference)) return isLast ? example : bare;
  const gold = textOf(reference[at]);
  return gold.trim() === "" ? bare : { ...bare, answer: gold };
}

type Sheet = { scores: Record<string, number>; evidence: Record<string, string>; unscored: Record<string, string> };

/** One judgement of those of all turns: a field for each, and the mean of each field over all turns. */
export function joinedTurns(judgements: readonly Judgement[], fields: readonly string[]): Judgement {
  const sheet: Sheet = { scores: {}, evidence: {}, unscored: {} };
  for (const [at, judgement] of judgements.entries()) addTurn(sheet, judgement, turnField(at));
  for (const field of fields) addMean(sheet, judgements, field);
  return { ...sheet, votes: judgements.flatMap(({ votes }) => votes) };
}

function addTurn(sheet: Sheet, { scores, evidence, unscored }: Judgement, field: string): void {
  const score = scores[SCORE_FIELD];
  if (score === undefined) sheet.unscored[field] = unscored?.[SCORE_FIELD] ?? "the judge gave no score";
  else sheet.scores[field] = score;
  const text = evidence?.[SCORE_FIELD];
  if (text !== undefined) sheet.evidence[field] = text;
}

/** A mean of fewer turns could not be compared with that of other rows. */
function addMean(sheet: Sheet, judgements: readonly Judgement[], field: string): void {
  const scores = judgements.flatMap((judgement) => judgement.scores[field] ?? []);
  const missing = judgements.findIndex((judgement) => judgement.scores[field] === undefined);
  if (missing === -1 || (field === AGREEMENT_FIELD && scores.length > 0)) sheet.scores[field] = mean(scores);
  else sheet.unscored[field] = `turn ${missing + 1}: ${judgements[missing]?.unscored?.[field] ?? "there is no score"}`;
}

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A judge's answer is short; of a longer one the end counts. */
const MOST_CHARACTERS = 200_000;

/** How many objects are looked at, from the last: each try costs up to the length of the text. */
const MOST_TRIES = 50;

/**
 * The last well-formed JSON object in a text that fits, the outermost where they are nested; null when none does. Takes
 * time in proportion to the text, whatever is in it.
 * @example
 * lastObjectIn('Well, {"score": 2}? No: {"score": 4}.', (fields) => "score" in fields); // { score: 4 }
 */
export function lastObjectIn(text: string, fits: (fields: Fields) => boolean): Fields | null {
  const whole = objectOf(text);
  if (whole !== null && fits(whole)) return whole;
  const end = text.slice(-MOST_CHARACTERS);
  for (const { from, to } of bracesIn(end).slice(-MOST_TRIES).reverse()) {
    const found = objectOf(end.slice(from, to));
    if (found !== null && fits(found)) return found;
  }
  return null;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Every pair of braces that belong together, by their ends: an outer pair comes after what is in it. */
function bracesIn(text: string): Span[] {
  const spans: Span[] = [];
  const open: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isQuoted && char === "\\") at += 1;
    // JSON has no line breaks inside texts: a quotation mark that prose left open ends with its line.
    else if (char === "\n") isQuoted = false;
    else if (char === '"') isQuoted = open.length > 0 && !isQuoted;
    else if (!isQuoted && char === "{") open.push(at);
    else if (!isQuoted && char === "}") close(open, spans, at);
  }
  return spans;
}

function close(open: number[], spans: Span[], at: number): void {
  const from = open.pop();
  if (from !== undefined) spans.push({ from, to: at + 1 });
}

function objectOf(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The fields of an object; null for anything else. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
