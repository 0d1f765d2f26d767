import type { ScoreContext } from "../../core/evaluator.js";
import { textOf } from "../../evaluators/gold.js";
import type { Message } from "../../models/dialects/index.js";
import type { Desk } from "./desk.js";
import type { JudgeAnswer, OpenModel } from "./judge-model.js";
import type { Form } from "./judgement.js";
import { lastObjectIn } from "./objects-in-text.js";
import { correction } from "./prompt.js";

export interface Question<T> {
  readonly form: Form<T>;
  readonly system: string;
  readonly message: string;
}

/** The judge's parsed answer, or why it cannot be used. */
export type Heard<T> = { readonly said: T } | { readonly problem: string };

/** A judge model and the client that calls it. */
export interface Interviewed {
  readonly open: OpenModel;
  readonly desk: Desk;
  readonly context: ScoreContext;
}

/** Asks a judge, and once more if its answer cannot be used. Throws if its endpoint fails. */
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

/** Without an answer in between, both texts go into one message: not every endpoint accepts two user messages in a row. */
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
