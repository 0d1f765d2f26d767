import type { Answer, MockFinish } from "./answer.js";
import type { LiveBehaviour } from "./behaviour.js";
import type { Prompt } from "./prompt.js";
import { valueFor } from "./schema-value.js";
import type { KnownAnswer, MockBehaviour, ToolStep } from "./script.js";
import { callFor, type ToolCall } from "./tool-call.js";
import { type AnswerUsage, CHARS_PER_TOKEN, tokensIn, usageOf } from "./usage.js";
import type { Wire } from "./wires/wire.js";

export interface Question {
  readonly wire: Wire;
  readonly prompt: Prompt;
  readonly known: KnownAnswer | null;
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function compose(live: LiveBehaviour, { wire, prompt, known, index, at }: Question): Answer {
  const { script, replier, plans } = live;
  const reply = replier.reply(prompt, known);
  // An agent that fails its task says so at once, without doing anything.
  const step = reply.succeeded ? plans.stepFor(prompt) : undefined;
  const { preface = "", text, call, finish } = contentOf(script, { prompt, step, reply: reply.text });
  const used = usageOf(script, prompt, { sent: tokensIn(preface + text), tells: wire.tells });
  return {
    id: `mock${index}`,
    created: Math.floor(at / 1000),
    model: prompt.model,
    preface,
    text,
    call,
    finish,
    used,
    usage: reported(script, used),
    running: runningOf(script),
    wantsUsage: prompt.wantsUsage,
    sse: prompt.sse,
  };
}

/** An answer without content, as broken providers send it. */
export function emptied(answer: Answer): Answer {
  const nothing = <T extends AnswerUsage | null>(usage: T): T => usage && { ...usage, output: 0, reasoning: 0 };
  return {
    ...answer,
    preface: "",
    text: "",
    call: null,
    finish: "empty",
    used: nothing(answer.used),
    usage: nothing(answer.usage),
  };
}

interface Content {
  /** Text before a call. */
  readonly preface?: string;
  readonly text: string;
  readonly call: ToolCall | null;
  readonly finish: MockFinish;
}

interface Turn {
  readonly prompt: Prompt;
  readonly step: ToolStep | undefined;
  /** Used if the step has no text. */
  readonly reply: string;
}

function contentOf(script: MockBehaviour, { prompt, step, reply }: Turn): Content {
  const { finish = "stop" } = script;
  if (finish === "blocked") return { text: "", call: null, finish };
  const call = callFor(step, prompt.tools);
  const room = roomFor(script, prompt);
  if (call !== null) return callContent(call, step?.outputTokens ?? 0, room);
  const said = step !== undefined && "text" in step ? step.text : reply;
  const length = step?.outputTokens ?? script.outputTokens ?? 0;
  const text = prompt.schema === null ? padded(said, length) : asJson(said, prompt);
  return text.length > room ? cutOff(text, room) : { text, call: null, finish };
}

/** A call is never truncated, because not every API format can express half of its arguments. The text before it may be. */
function callContent(call: ToolCall, outputTokens: number, room: number): Content {
  const text = call.script ?? JSON.stringify(call.arguments);
  const preface = filler(outputTokens * CHARS_PER_TOKEN - text.length);
  return preface.length > room ? cutOff(preface, room) : { preface, text, call, finish: "tool_calls" };
}

function cutOff(text: string, room: number): Content {
  return { text: text.slice(0, room), call: null, finish: "length" };
}

/** The characters that the client allows. Reasoning is deducted first. */
function roomFor({ usage }: MockBehaviour, { maxTokens }: Prompt): number {
  if (maxTokens === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, maxTokens - (usage?.reasoning ?? 0)) * CHARS_PER_TOKEN;
}

/** The reply itself if it is JSON, else a value of the requested shape that contains the reply. */
function asJson(reply: string, { schema }: Prompt): string {
  try {
    JSON.parse(reply);
    return reply;
  } catch {
    return JSON.stringify(valueFor({ type: "object", ...schema }, { text: reply, number: 1 }));
  }
}

function padded(text: string, tokens: number): string {
  const missing = tokens * CHARS_PER_TOKEN - text.length;
  return missing <= 0 ? text : text + ` ${filler(missing)}`.slice(0, missing);
}

function reported({ noUsage, usageQuirk }: MockBehaviour, used: AnswerUsage): AnswerUsage | null {
  if (noUsage === true || usageQuirk === "missing") return null;
  return usageQuirk === "negative" ? { ...used, output: -1 - used.output } : used;
}

function runningOf({ usageQuirk }: MockBehaviour): "up" | "down" | null {
  if (usageQuirk === "cumulative") return "up";
  return usageQuirk === "decreasing" ? "down" : null;
}

const SUBJECTS = [
  "The first part",
  "A later step",
  "Some other case",
  "What remains",
  "The next idea",
  "One more detail",
  "Each of these",
];
const VERBS = ["leads to", "depends on", "rules out", "comes before", "is close to"];
const OBJECTS = [
  "a plain result",
  "the older plan",
  "an open question",
  "a smaller change",
  "the given task",
  "another file",
  "a short list",
  "the last remark",
];

/** A text of this length without repeated sentences: agents take repetition for a loop, and stop. */
export function filler(chars: number): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < chars; index++) {
    const sentence = sentenceOf(index);
    parts.push(sentence);
    length += sentence.length;
  }
  return parts.join("").slice(0, Math.max(0, chars));
}

/** Contains its number twice, so that all parts differ from those of other sentences. */
function sentenceOf(index: number): string {
  const [subject, verb, object] = [SUBJECTS, VERBS, OBJECTS].map((words) => words[index % words.length]);
  const mark = numeral(index);
  return `${subject} (${mark}) ${verb} ${object} ${mark}. `;
}

/** Short words that a tokenizer counts as one token each, like most of a real answer. */
const DIGITS =
  "red oak sun map car key hat pen cup box dog cat sea sky ice air arm leg eye ear day way job law oil tea bag bus toy gas ant bee".split(
    " ",
  );

/** A number written in words, because agents may normalize digits when they look for loops. */
function numeral(index: number): string {
  const last = DIGITS[index % DIGITS.length] ?? "";
  const rest = Math.floor(index / DIGITS.length);
  return rest < DIGITS.length ? `${DIGITS[rest]} ${last}` : `${numeral(rest)} ${last}`;
}
