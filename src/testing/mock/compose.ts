import type { MockAnswer, MockFinish } from "./answer.js";
import { type AnswerUsage, CHARS_PER_TOKEN, countUsage, estimateTokens } from "./answer.js";
import type { LiveBehavior } from "./behavior.js";
import type { MockPrompt } from "./prompt.js";
import type { MockProtocol } from "./protocols/protocol.js";
import type { KnownAnswer, MockBehavior, ToolStep } from "./script.js";
import { createToolCall, generateValue, type MockToolCall } from "./tool-call.js";

export interface MockQuestion {
  readonly wire: MockProtocol;
  readonly prompt: MockPrompt;
  readonly known: KnownAnswer | null;
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function composeAnswer(live: LiveBehavior, { wire, prompt, known, index, at }: MockQuestion): MockAnswer {
  const { script, replier, plans } = live;
  const reply = replier.reply(prompt, known);
  // An agent that fails its task says so at once, without doing anything.
  const step = reply.succeeded ? plans.findStep(prompt) : undefined;
  const { preface = "", text, call, finish } = composeContent(script, { prompt, step, reply: reply.text });
  const used = countUsage(script, prompt, { sent: estimateTokens(preface + text), tells: wire.tells });
  return {
    id: `mock${index}`,
    created: Math.floor(at / 1000),
    model: script.answersAs ?? prompt.model,
    preface,
    text,
    call,
    finish,
    used,
    usage: getReportedUsage(script, used),
    running: getUsageDirection(script),
    wantsUsage: prompt.wantsUsage,
    serviceTier: prompt.serviceTier,
    sse: prompt.sse,
  };
}

/** An answer without content, as broken providers send it. */
export function emptyAnswer(answer: MockAnswer): MockAnswer {
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

interface AnswerContent {
  /** Text before a call. */
  readonly preface?: string;
  readonly text: string;
  readonly call: MockToolCall | null;
  readonly finish: MockFinish;
}

interface AnswerTurn {
  readonly prompt: MockPrompt;
  readonly step: ToolStep | undefined;
  /** Used if the step has no text. */
  readonly reply: string;
}

function composeContent(script: MockBehavior, { prompt, step, reply }: AnswerTurn): AnswerContent {
  const { finish = "stop" } = script;
  if (finish === "blocked") return { text: "", call: null, finish };
  const call = createToolCall(step, prompt.tools);
  const room = computeMaxTokens(script, prompt);
  if (call !== null) return composeCall(call, step?.outputTokens ?? 0, room);
  const said = step !== undefined && "text" in step ? step.text : reply;
  const length = step?.outputTokens ?? script.outputTokens ?? 0;
  const text = prompt.schema === null ? padText(said, length) : formatJsonReply(said, prompt);
  return text.length > room ? truncateContent(text, room) : { text, call: null, finish };
}

/** A call is never truncated, because not every API format can express half of its arguments. The text before it may be. */
function composeCall(call: MockToolCall, outputTokens: number, room: number): AnswerContent {
  const text = call.script ?? JSON.stringify(call.arguments);
  const preface = makeFiller(outputTokens * CHARS_PER_TOKEN - text.length);
  return preface.length > room ? truncateContent(preface, room) : { preface, text, call, finish: "tool_calls" };
}

function truncateContent(text: string, room: number): AnswerContent {
  return { text: text.slice(0, room), call: null, finish: "length" };
}

/** The characters that the client allows. Reasoning is deducted first. */
function computeMaxTokens({ usage }: MockBehavior, { maxTokens }: MockPrompt): number {
  if (maxTokens === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, maxTokens - (usage?.reasoning ?? 0)) * CHARS_PER_TOKEN;
}

/** The reply itself if it is JSON, else a value of the requested shape that contains the reply. */
function formatJsonReply(reply: string, { schema }: MockPrompt): string {
  try {
    JSON.parse(reply);
    return reply;
  } catch {
    return JSON.stringify(generateValue({ type: "object", ...schema }, { text: reply, number: 1 }));
  }
}

function padText(text: string, tokens: number): string {
  const missing = tokens * CHARS_PER_TOKEN - text.length;
  return missing <= 0 ? text : text + ` ${makeFiller(missing)}`.slice(0, missing);
}

function getReportedUsage({ noUsage, usageQuirk }: MockBehavior, used: AnswerUsage): AnswerUsage | null {
  if (noUsage === true || usageQuirk === "missing") return null;
  return usageQuirk === "negative" ? { ...used, output: -1 - used.output } : used;
}

function getUsageDirection({ usageQuirk }: MockBehavior): "up" | "down" | null {
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
export function makeFiller(chars: number): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < chars; index++) {
    const sentence = makeSentence(index);
    parts.push(sentence);
    length += sentence.length;
  }
  return parts.join("").slice(0, Math.max(0, chars));
}

/** Contains its number twice, so that all parts differ from those of other sentences. */
function makeSentence(index: number): string {
  const [subject, verb, object] = [SUBJECTS, VERBS, OBJECTS].map((words) => words[index % words.length]);
  const mark = formatNumeral(index);
  return `${subject} (${mark}) ${verb} ${object} ${mark}. `;
}

/** Short words that a tokenizer counts as one token each, like most of a real answer. */
const DIGITS =
  "red oak sun map car key hat pen cup box dog cat sea sky ice air arm leg eye ear day way job law oil tea bag bus toy gas ant bee".split(
    " ",
  );

/** A number written in words, because agents may normalize digits when they look for loops. */
function formatNumeral(index: number): string {
  const last = DIGITS[index % DIGITS.length] ?? "";
  const rest = Math.floor(index / DIGITS.length);
  return rest < DIGITS.length ? `${DIGITS[rest]} ${last}` : `${formatNumeral(rest)} ${last}`;
}
