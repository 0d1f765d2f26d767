import { readFileSync } from "node:fs";
import { messageOf, UsageError } from "../../core/errors.js";
import { ownValue } from "../../core/shape.js";
import { hashSeed } from "../../stats/random.js";
import { chance, Occurrences } from "./chance.js";
import { PATTERN } from "./check-script.js";
import { FaultPlan, type FaultSubject } from "./faults.js";
import { asList, asObject, asText, type Json } from "./json.js";
import type { Prompt } from "./prompt.js";
import type { KnownAnswer, MockBehaviour, MockScript, RateLimit, ReplyRule, ToolRule, ToolStep } from "./script.js";

/** A behaviour with all that it needs to remember. */
export interface LiveBehaviour {
  readonly script: MockBehaviour;
  readonly replier: Replier;
  readonly plans: ToolPlans;
  readonly faults: FaultPlan;
  readonly admission: Admission;
  /** Null when nothing is left to chance, so that the requests of a task need not be counted. */
  readonly arrivals: Occurrences | null;
}

/** Finds the behaviour for a model. What a model does not change it shares with all the others: limits, counts, answers. */
export function behavioursOf(
  { models = {}, ...base }: MockScript,
  now: () => number,
): (model: string) => LiveBehaviour {
  const common = bringAlive(base, now);
  const own = Object.entries(models).map(([name, changes]) => [name, changed(common, changes, now)] as const);
  const byModel = Object.fromEntries(own);
  return (model) => ownValue(byModel, model) ?? common;
}

function bringAlive(script: MockBehaviour, now: () => number): LiveBehaviour {
  const faults = new FaultPlan(script.faults ?? [], script.seed ?? 0);
  return {
    script,
    replier: new Replier(script, bookOf(script), new Occurrences()),
    plans: new ToolPlans(script),
    faults,
    admission: new Admission(script, now),
    arrivals: needsArrivals(script, faults) ? new Occurrences() : null,
  };
}

function changed(common: LiveBehaviour, changes: MockBehaviour, now: () => number): LiveBehaviour {
  const own = bringAlive({ ...common.script, ...changes }, now);
  const limitsItself = changes.rateLimit !== undefined || changes.maxConcurrent !== undefined;
  const failsItself = changes.faults !== undefined || changes.seed !== undefined;
  const faults = failsItself ? own.faults : common.faults;
  return { ...own, faults, admission: limitsItself ? own.admission : common.admission };
}

function bookOf({ answers = [] }: MockBehaviour): AnswerBook {
  return new AnswerBook(typeof answers === "string" ? readAnswers(answers) : answers);
}

function needsArrivals({ latencyMs }: MockBehaviour, faults: FaultPlan): boolean {
  return faults.usesChance || typeof latencyMs === "object";
}

/** How long a request waits for its first byte; a step may have a time of its own. */
export function latencyOf(script: MockBehaviour, subject: FaultSubject, step?: ToolStep): number {
  const { latencyMs = 0, seed = 0 } = script;
  const { model, task, arrival } = subject;
  if (step?.latencyMs !== undefined) return step.latencyMs;
  if (typeof latencyMs === "number") return latencyMs;
  const { min, max } = latencyMs;
  return min + (max - min) * chance(seed, "latency", model, task, arrival);
}

interface Plan {
  readonly steps: readonly ToolStep[];
  readonly fits: (prompt: Prompt) => boolean;
}

/** Finds the step of a script that a request is to be answered with. */
class ToolPlans {
  readonly #plans: readonly Plan[];

  constructor({ tools = [] }: Pick<MockBehaviour, "tools">) {
    const isRule = (one: ToolStep | ToolRule): one is ToolRule => "steps" in one;
    const all: readonly (ToolStep | ToolRule)[] = tools;
    const steps = all.filter((one): one is ToolStep => !isRule(one));
    this.#plans = steps.length > 0 ? [{ steps, fits: () => true }] : all.filter(isRule).map(planOf);
  }

  /** Undefined when all steps are done, no rule fits, or no tool is on offer: for a title or a summary no tool is called. */
  stepFor(prompt: Prompt): ToolStep | undefined {
    if (prompt.tools.length === 0) return undefined;
    return this.#plans.find(({ fits }) => fits(prompt))?.steps[prompt.toolResults];
  }
}

/** Any text of the user may be the task: agents put texts of their own before and after it. */
function planOf({ match, steps, model }: ToolRule): Plan {
  const matches = matcher(match);
  return {
    steps,
    fits: (prompt) => (model ?? prompt.model) === prompt.model && prompt.userTexts.some(matches),
  };
}

/** Why a request was turned away, and when it may come again. */
export interface Refusal {
  readonly by: "rateLimit" | "maxConcurrent";
  readonly retryAfter: number | "http-date" | null;
}

/** Turns away what comes too fast or too much at a time. */
export class Admission {
  readonly #limit: RateLimit | null;
  readonly #maxOpen: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #open = 0;

  constructor(limits: { rateLimit?: RateLimit; maxConcurrent?: number }, now: () => number) {
    this.#limit = limits.rateLimit ?? null;
    this.#maxOpen = limits.maxConcurrent ?? Number.POSITIVE_INFINITY;
    this.#now = now;
    this.#tokens = this.#limit?.requests ?? 0;
    this.#filledAt = now();
  }

  /** Null when the request is let in; it must be released in the end. */
  enter(): Refusal | null {
    if (this.#open >= this.#maxOpen) return { by: "maxConcurrent", retryAfter: null };
    const refusal = this.#limit === null ? null : this.#take(this.#limit);
    if (refusal === null) this.#open += 1;
    return refusal;
  }

  release(): void {
    this.#open -= 1;
  }

  #take({ requests, perMs, retryAfter }: RateLimit): Refusal | null {
    const now = this.#now();
    this.#tokens = Math.min(requests, this.#tokens + ((now - this.#filledAt) * requests) / perMs);
    this.#filledAt = now;
    if (this.#tokens < 1) {
      const waitMs = ((1 - this.#tokens) * perMs) / requests;
      return { by: "rateLimit", retryAfter: retryAfter ?? Math.ceil(waitMs / 1000) };
    }
    this.#tokens -= 1;
    return null;
  }
}

const DEFAULT_REPLY = "This is a scripted answer from assay mock.";
const DEFAULT_REFUSAL = "I am sorry, but I cannot help with that.";

/** What is answered, and whether that is right. */
interface Reply {
  readonly text: string;
  readonly succeeded: boolean;
}

/** Decides what a prompt is answered with. */
class Replier {
  readonly #behaviour: MockBehaviour;
  readonly #book: AnswerBook;
  readonly #attempts: Occurrences;
  readonly #rules: readonly { readonly rule: ReplyRule; readonly matches: (text: string) => boolean }[];

  constructor(behaviour: MockBehaviour, book: AnswerBook, attempts: Occurrences) {
    this.#behaviour = behaviour;
    this.#book = book;
    this.#attempts = attempts;
    const rules = Array.isArray(behaviour.reply) ? (behaviour.reply as readonly ReplyRule[]) : [];
    this.#rules = rules.map((rule) => ({ rule, matches: matcher(rule.match) }));
  }

  /** The entry of the book that the prompt asks for. */
  known({ userText, texts }: Prompt): KnownAnswer | null {
    return this.#behaviour.answers === undefined ? null : this.#book.find(userText, texts);
  }

  reply(prompt: Prompt, known: KnownAnswer | null): Reply {
    const right = known?.answer ?? this.#scripted(prompt);
    if (this.#succeeds(prompt, known?.question ?? prompt.userText)) return { text: right, succeeded: true };
    return { text: this.#book.wrongAnswer(right, this.#behaviour.seed ?? 0), succeeded: false };
  }

  /** An agent's task is tried once a conversation, with the first turn. */
  #succeeds({ model, toolResults }: Prompt, task: string): boolean {
    const rate = rateOf(this.#behaviour, model);
    if (rate >= 1 || toolResults > 0) return true;
    return chance(this.#behaviour.seed ?? 0, "success", model, task, this.#attempts.next(model, task)) < rate;
  }

  #scripted({ userText, model }: Prompt): string {
    const { reply, finish } = this.#behaviour;
    const fallback = finish === "refusal" ? DEFAULT_REFUSAL : DEFAULT_REPLY;
    if (typeof reply === "string") return worded(reply, userText);
    const fitting = this.#rules.find(({ rule, matches }) => (rule.model ?? model) === model && matches(userText));
    return fitting === undefined ? fallback : worded(fitting.rule.reply, userText);
  }
}

function rateOf({ successRate = 1 }: MockBehaviour, model: string): number {
  return typeof successRate === "number" ? successRate : (ownValue(successRate, model) ?? 1);
}

function worded(reply: string, userText: string): string {
  return reply === "echo" ? userText : reply;
}

/** Questions are looked up by so many of their first characters, because a prompt is searched for thousands of them. */
const PREFIX = 16;

/** The questions a mock knows the answers to. */
export class AnswerBook {
  readonly #entries: readonly KnownAnswer[];
  readonly #byText = new Map<string, KnownAnswer[]>();
  /** Questions by their first characters, for each length that occurs. */
  readonly #byPrefix = new Map<number, Map<string, string[]>>();

  constructor(entries: readonly KnownAnswer[]) {
    this.#entries = entries;
    for (const entry of entries) this.#add(entry);
  }

  /** The entry whose question a prompt asks: the last one in its last user text, else in any of its texts. */
  find(userText: string, texts: readonly string[]): KnownAnswer | null {
    const question = this.#questionIn(userText) ?? this.#questionIn(texts.join("\n"));
    const entries = question === null ? undefined : this.#byText.get(question);
    if (entries === undefined) return null;
    const inContext = ({ context }: KnownAnswer) =>
      context !== undefined && context !== "" && texts.some((text) => text.includes(context));
    return (entries.length > 1 ? entries.find(inContext) : undefined) ?? entries[0] ?? null;
  }

  /** The answer to another question, which is wrong and does not look it. */
  wrongAnswer(right: string, seed: number): string {
    const start = hashSeed(seed, "wrong", right) % Math.max(1, this.#entries.length);
    for (let step = 0; step < this.#entries.length; step++) {
      const other = this.#entries[(start + step) % this.#entries.length]?.answer;
      if (other !== undefined && !overlaps(other, right)) return other;
    }
    return "I am not sure, but I do not think this can be said for certain.";
  }

  #add(entry: KnownAnswer): void {
    const { question } = entry;
    const same = this.#byText.get(question);
    if (same !== undefined) {
      same.push(entry);
      return;
    }
    this.#byText.set(question, [entry]);
    const prefix = question.slice(0, PREFIX);
    const group = this.#byPrefix.get(prefix.length) ?? new Map<string, string[]>();
    this.#byPrefix.set(prefix.length, group);
    group.set(prefix, [...(group.get(prefix) ?? []), question]);
  }

  /** Of all questions in the text the one that ends last; a longer one wins over its own end. */
  #questionIn(text: string): string | null {
    if (this.#byText.has(text)) return text;
    let found: string | null = null;
    let foundEnd = -1;
    for (const [length, group] of this.#byPrefix) {
      for (let at = 0; at + length <= text.length; at++) {
        for (const question of group.get(text.slice(at, at + length)) ?? []) {
          const end = at + question.length;
          const later = end > foundEnd || (end === foundEnd && question.length > (found?.length ?? 0));
          if (later && text.startsWith(question, at)) [found, foundEnd] = [question, end];
        }
      }
    }
    return found;
  }
}

/** A text that holds the right answer would be graded as right. */
function overlaps(a: string, b: string): boolean {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()];
  return one.includes(other) || other.includes(one);
}

/** Reads questions and answers from a JSONL file of examples; rows that ask or answer nothing are left out. */
export function readAnswers(path: string): KnownAnswer[] {
  const entries = readText(path)
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : entryOf(rowOf(line, `${path}:${index + 1}`))));
  if (entries.length > 0) return entries;
  throw new UsageError(`${path} has no row with both a question and an answer. Give a JSONL file that has them.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`The answers ${path} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

function rowOf(line: string, at: string): Json {
  try {
    return asObject(JSON.parse(line));
  } catch (cause) {
    throw new UsageError(`${at} is not valid JSON (${messageOf(cause)}). Each line must be one example.`, { cause });
  }
}

function entryOf({ question, answer, answers, context }: Json): KnownAnswer[] {
  const right = typeof answer === "number" ? String(answer) : asText(answer ?? asList(answers)[0]);
  if (asText(question) === "" || right === "") return [];
  return [{ question: asText(question), answer: right, ...(typeof context === "string" && { context }) }];
}

/** Tells texts that match: those that hold the text given, or that a regular expression written as `/…/flags` finds. */
function matcher(match: string): (text: string) => boolean {
  const [, source, flags = ""] = PATTERN.exec(match) ?? [];
  if (source === undefined) return (text) => text.includes(match);
  // A global or sticky expression would remember where it stopped.
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ""));
  return (text) => pattern.test(text);
}
