import type { Answer, MockFinish } from "./answer.js";
import type { LiveBehaviour } from "./behaviour.js";
import type { Prompt } from "./prompt.js";
import { valueFor } from "./schema-value.js";
import type { KnownAnswer, MockBehaviour } from "./script.js";
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

/** Makes the answer to a prompt. */
export function compose({ script, replier }: LiveBehaviour, { wire, prompt, known, index, at }: Question): Answer {
  const { text, call, finish } = contentOf(script, prompt, replier.reply(prompt, known));
  const used = usageOf(script, prompt, { sent: tokensIn(text), tells: wire.tells });
  return {
    id: `mock${index}`,
    created: Math.floor(at / 1000),
    model: prompt.model,
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

/** The answer without anything in it, as broken providers send it. */
export function emptied(answer: Answer): Answer {
  const nothing = <T extends AnswerUsage | null>(usage: T): T => usage && { ...usage, output: 0, reasoning: 0 };
  return {
    ...answer,
    text: "",
    call: null,
    finish: "empty",
    used: nothing(answer.used),
    usage: nothing(answer.usage),
  };
}

interface Content {
  readonly text: string;
  readonly call: ToolCall | null;
  readonly finish: MockFinish;
}

/** An agent that fails its task says so at once, without having done anything. */
function contentOf(script: MockBehaviour, prompt: Prompt, reply: { text: string; succeeded: boolean }): Content {
  const { tools = [], finish = "stop" } = script;
  if (finish === "blocked") return { text: "", call: null, finish };
  const step = reply.succeeded ? tools[prompt.toolResults] : undefined;
  const call = callFor(step, prompt.tools);
  // A call is never cut off: half of its arguments could not be written in every dialect.
  if (call !== null) return { text: JSON.stringify(call.arguments), call, finish: "tool_calls" };
  const said = step !== undefined && "text" in step && prompt.tools.length > 0 ? step.text : reply.text;
  const text = prompt.schema === null ? padded(said, script) : asJson(said, prompt);
  const room = roomFor(script, prompt);
  return text.length > room
    ? { text: text.slice(0, room), call: null, finish: "length" }
    : { text, call: null, finish };
}

/** The characters that the client allows. Reasoning comes first and takes its share. */
function roomFor({ usage }: MockBehaviour, { maxTokens }: Prompt): number {
  if (maxTokens === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, maxTokens - (usage?.reasoning ?? 0)) * CHARS_PER_TOKEN;
}

/** The reply itself when it is JSON, else a value of the shape that was asked for with the reply in it. */
function asJson(reply: string, { schema }: Prompt): string {
  try {
    JSON.parse(reply);
    return reply;
  } catch {
    return JSON.stringify(valueFor({ type: "object", ...schema }, { text: reply, number: 1 }));
  }
}

const FILLER = "and so on, as one would expect of a text that only has to be long, ";

function padded(text: string, { outputTokens = 0 }: MockBehaviour): string {
  const missing = outputTokens * CHARS_PER_TOKEN - text.length;
  if (missing <= 0) return text;
  return text + ` ${FILLER.repeat(Math.ceil(missing / FILLER.length))}`.slice(0, missing);
}

function reported({ noUsage, usageQuirk }: MockBehaviour, used: AnswerUsage): AnswerUsage | null {
  if (noUsage === true || usageQuirk === "missing") return null;
  return usageQuirk === "negative" ? { ...used, output: -1 - used.output } : used;
}

function runningOf({ usageQuirk }: MockBehaviour): "up" | "down" | null {
  if (usageQuirk === "cumulative") return "up";
  return usageQuirk === "decreasing" ? "down" : null;
}
