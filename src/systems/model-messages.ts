import { TrialError } from "../core/errors.js";
import type { Example, Turn } from "../core/example.js";
import type { Message } from "../models/dialects/index.js";

/** The place in a conversation where the model is asked, and its answer goes. */
export const ASK = Symbol("ask");

/** A conversation to be held: what is said, and where the model is asked. */
export type Script = readonly (Message | typeof ASK)[];

/** How an example is put to the model, unless the user builds the messages. */
export function scriptOf(example: Example): Script {
  const script = example.turns === undefined || example.turns.length === 0 ? single(example) : replay(example);
  if (script.includes(ASK)) return script;
  throw new TrialError(
    "system_error",
    `Example "${example.id}" asks nothing: it has no question, and its turns end with the assistant's. Give it a question, or take the last turn out.`,
  );
}

function single({ context, question }: Example): Script {
  const parts = partsOf(context, question);
  return parts.length === 0 ? [] : [{ role: "user", parts }, ASK];
}

/** Wherever the example has no answer of the assistant, the model gives one. The context comes before all else. */
function replay({ turns = [], context, question }: Example): Script {
  const script: (Message | typeof ASK)[] = turns.flatMap((turn, at) => said(turn, turns[at + 1]));
  const last = turns.at(-1);
  const isAsked = last !== undefined && roleOf(last) === "user" && last.content === question;
  if (question && !isAsked) script.push({ role: "user", parts: [question] }, ASK);
  return withContext(script, context);
}

function said(turn: Turn, next: Turn | undefined): Script {
  const role = roleOf(turn);
  const message: Message = { role, parts: [turn.content] };
  const isOpen = role === "user" && (next === undefined || roleOf(next) !== "assistant");
  return isOpen ? [message, ASK] : [message];
}

function withContext(script: Script, context: string | undefined): Script {
  const first = script.findIndex((step) => step !== ASK && step.role === "user");
  const opening = script[first];
  if (!context || opening === undefined || opening === ASK) return script;
  return script.with(first, { role: "user", parts: partsOf(context, ...opening.parts) });
}

/** What is there, each text once. */
function partsOf(...texts: (string | undefined)[]): string[] {
  return [...new Set(texts.filter((text): text is string => text !== undefined && text !== ""))];
}

function roleOf({ role }: Turn): Message["role"] {
  const known = role.toLowerCase();
  if (known === "assistant" || known === "model") return "assistant";
  return known === "system" || known === "developer" ? "system" : "user";
}
