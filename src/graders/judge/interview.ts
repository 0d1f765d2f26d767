import type { ScoreContext } from "../../core/evaluator.js";
import { convertToText } from "../../evaluators/gold.js";
import type { Message } from "../../models/dialects/index.js";
import type { JudgeClient } from "./desk.js";
import type { JudgeAnswer, OpenModel } from "./judge-model.js";
import type { AnswerForm } from "./judgement.js";
import { findLastObject } from "./objects-in-text.js";
import { formatCorrection } from "./prompt.js";

export interface JudgeQuestion<T> {
  readonly form: AnswerForm<T>;
  readonly system: string;
  readonly message: string;
}

/** The judge's parsed answer, or why it cannot be used. */
export type ParsedVerdict<T> = { readonly said: T } | { readonly problem: string };

/** A judge model and the client that calls it. */
export interface JudgeSession {
  readonly open: OpenModel;
  readonly client: JudgeClient;
  readonly context: ScoreContext;
}

/** Asks a judge, and once more if its answer cannot be used. Throws if its endpoint fails. */
export async function askJudge<T>(
  { open, client: desk, context }: JudgeSession,
  question: JudgeQuestion<T>,
): Promise<ParsedVerdict<T>> {
  const { form, system, message } = question;
  const ask = (messages: readonly Message[]) => desk.ask(open, { system, messages, answer: form.shape }, context);
  const first = await ask([{ role: "user", parts: [message] }]);
  const heard = readJudgeAnswer(first, form);
  if ("said" in heard) return heard;
  const second = await ask(buildRetryMessages(message, first, formatCorrection(heard.problem, form)));
  const again = readJudgeAnswer(second, form);
  return "said" in again ? again : { problem: `the judge's answer could not be used, twice: ${again.problem}` };
}

/** Without an answer in between, both texts go into one message: not every endpoint accepts two user messages in a row. */
function buildRetryMessages(message: string, { response }: JudgeAnswer, again: string): Message[] {
  const answered = convertToText(response);
  if (answered.trim() === "") return [{ role: "user", parts: [message, again] }];
  return [
    { role: "user", parts: [message] },
    { role: "assistant", parts: [answered] },
    { role: "user", parts: [again] },
  ];
}

function readJudgeAnswer<T>({ response, stopped }: JudgeAnswer, form: AnswerForm<T>): ParsedVerdict<T> {
  const text = convertToText(response);
  if (stopped === "refused") return { problem: "it is a refusal" };
  const fields = findLastObject(text, (object) => form.fits(object));
  if (fields === null) return { problem: describeMissingAnswer(text, stopped) };
  const said = form.read(fields);
  return typeof said === "string" ? { problem: said } : { said };
}

function describeMissingAnswer(text: string, stopped: JudgeAnswer["stopped"]): string {
  if (stopped !== undefined && stopped !== null) return "it was cut off before its JSON object was complete";
  return text.trim() === "" ? "it is empty" : "it holds no JSON object with what was asked for";
}
