import { getOwn, UsageError } from "../../core/index.js";
import { hashSeed } from "../../stats/index.js";
import { PATTERN } from "./check-script.js";
import { FaultPlan, type FaultSubject } from "./faults.js";
import type { MockPrompt } from "./prompt.js";
import type { KnownAnswer, MockBehavior, MockScript, RateLimit, ReplyRule, ToolRule, ToolStep } from "./script.js";
import { drawRandom, Occurrences } from "./seeded-random.js";

/** A behavior with its state. */
export interface LiveBehavior {
  readonly script: MockBehavior;
  readonly replier: ReplyScript;
  readonly plans: ToolPlans;
  readonly faults: FaultPlan;
  readonly admission: Admission;
  /** Null if nothing is random, so that requests of a task need not be counted. */
  readonly arrivals: Occurrences | null;
}

/** Models and efforts share whatever they do not override: limits, counts, answers. */
export function createBehaviors(
  { models = {}, efforts = {}, ...base }: MockScript,
  now: () => number,
): (model: string, effort?: string | null) => LiveBehavior {
  const override = (common: LiveBehavior, all: Readonly<Record<string, MockBehavior>>) =>
    Object.fromEntries(Object.entries(all).map(([name, changes]) => [name, overrideBehavior(common, changes, now)]));
  const withEfforts = (common: LiveBehavior) => ({ common, byEffort: override(common, efforts) });
  const shared = withEfforts(startBehavior(base, now));
  const byModel = Object.fromEntries(
    Object.entries(override(shared.common, models)).map(([name, live]) => [name, withEfforts(live)]),
  );
  return (model, effort = null) => {
    const { common, byEffort } = getOwn(byModel, model) ?? shared;
    return (effort === null ? undefined : getOwn(byEffort, effort)) ?? common;
  };
}

function startBehavior(script: MockBehavior, now: () => number): LiveBehavior {
  const faults = new FaultPlan(script.faults ?? [], script.seed ?? 0);
  return {
    script,
    replier: new ReplyScript(script, createAnswerBook(script), new Occurrences()),
    plans: new ToolPlans(script),
    faults,
    admission: new Admission(script, now),
    arrivals: needsArrivals(script, faults) ? new Occurrences() : null,
  };
}

function overrideBehavior(common: LiveBehavior, changes: MockBehavior, now: () => number): LiveBehavior {
  const own = startBehavior({ ...common.script, ...changes }, now);
  const limitsItself = changes.rateLimit !== undefined || changes.maxConcurrent !== undefined;
  const failsItself = changes.faults !== undefined || changes.seed !== undefined;
  const faults = failsItself ? own.faults : common.faults;
  return { ...own, faults, admission: limitsItself ? own.admission : common.admission };
}

function createAnswerBook({ answers = [] }: MockBehavior): AnswerBook {
  if (typeof answers === "string") throw new UsageError(`The answers ${answers} were not loaded. Use startMock.`);
  return new AnswerBook(answers);
}

function needsArrivals({ latencyMs, batch }: MockBehavior, faults: FaultPlan): boolean {
  return faults.usesChance || typeof latencyMs === "object" || (batch !== false && batch?.errorRate !== undefined);
}

/** Time to the first byte; a step may have its own. */
export function chooseLatency(script: MockBehavior, subject: FaultSubject, step?: ToolStep): number {
  const { latencyMs = 0, seed = 0 } = script;
  const { model, task, arrival } = subject;
  if (step?.latencyMs !== undefined) return step.latencyMs;
  if (typeof latencyMs === "number") return latencyMs;
  const { min, max } = latencyMs;
  return min + (max - min) * drawRandom(seed, "latency", model, task, arrival);
}

interface ToolPlan {
  readonly steps: readonly ToolStep[];
  readonly fits: (prompt: MockPrompt) => boolean;
}

/** Finds the scripted step that answers a request. */
class ToolPlans {
  readonly #plans: readonly ToolPlan[];

  constructor({ tools = [] }: Pick<MockBehavior, "tools">) {
    const isRule = (one: ToolStep | ToolRule): one is ToolRule => "steps" in one;
    const all: readonly (ToolStep | ToolRule)[] = tools;
    const steps = all.filter((one): one is ToolStep => !isRule(one));
    this.#plans = steps.length > 0 ? [{ steps, fits: () => true }] : all.filter(isRule).map(createToolPlan);
  }

  /** Undefined if all steps are done, no rule matches, or no tool is offered: titles and summaries call no tools. */
  findStep(prompt: MockPrompt): ToolStep | undefined {
    if (prompt.tools.length === 0) return undefined;
    return this.#plans.find(({ fits }) => fits(prompt))?.steps[prompt.toolResults];
  }
}

/** Any user text may be the task, because agents add their own texts before and after it. */
function createToolPlan({ match, steps, model }: ToolRule): ToolPlan {
  const matches = createMatcher(match);
  return {
    steps,
    fits: (prompt) => (model ?? prompt.model) === prompt.model && prompt.userTexts.some(matches),
  };
}

/** Why a request was rejected, and when to retry. */
export interface AdmissionRefusal {
  readonly by: "rateLimit" | "maxConcurrent";
  readonly retryAfter: number | "http-date" | null;
}

/** Applies the rate limit and the concurrency limit. */
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

  /** Null if the request is admitted; then it must be released. */
  enter(): AdmissionRefusal | null {
    if (this.#open >= this.#maxOpen) return { by: "maxConcurrent", retryAfter: null };
    const refusal = this.#limit === null ? null : this.#takeToken(this.#limit);
    if (refusal === null) this.#open += 1;
    return refusal;
  }

  release(): void {
    this.#open -= 1;
  }

  #takeToken({ requests, perMs, retryAfter }: RateLimit): AdmissionRefusal | null {
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

interface ScriptedReply {
  readonly text: string;
  readonly succeeded: boolean;
}

class ReplyScript {
  readonly #behaviour: MockBehavior;
  readonly #book: AnswerBook;
  readonly #attempts: Occurrences;
  readonly #rules: readonly { readonly rule: ReplyRule; readonly matches: (text: string) => boolean }[];

  constructor(behaviour: MockBehavior, book: AnswerBook, attempts: Occurrences) {
    this.#behaviour = behaviour;
    this.#book = book;
    this.#attempts = attempts;
    const rules = Array.isArray(behaviour.reply) ? (behaviour.reply as readonly ReplyRule[]) : [];
    this.#rules = rules.map((rule) => ({ rule, matches: createMatcher(rule.match) }));
  }

  findKnownAnswer({ userText, texts }: MockPrompt): KnownAnswer | null {
    return this.#behaviour.answers === undefined ? null : this.#book.find(userText, texts);
  }

  reply(prompt: MockPrompt, known: KnownAnswer | null): ScriptedReply {
    const right = known?.answer ?? this.#findScriptedReply(prompt);
    if (this.#succeeds(prompt, known?.question ?? prompt.userText)) return { text: right, succeeded: true };
    return { text: this.#book.pickWrongAnswer(right, this.#behaviour.seed ?? 0), succeeded: false };
  }

  /** An agent's success is decided once per conversation, with the first turn. */
  #succeeds({ model, toolResults }: MockPrompt, task: string): boolean {
    const rate = getSuccessRate(this.#behaviour, model);
    if (rate >= 1 || toolResults > 0) return true;
    return drawRandom(this.#behaviour.seed ?? 0, "success", model, task, this.#attempts.next(model, task)) < rate;
  }

  #findScriptedReply({ userText, model }: MockPrompt): string {
    const { reply, finish } = this.#behaviour;
    const fallback = finish === "refusal" ? DEFAULT_REFUSAL : DEFAULT_REPLY;
    if (typeof reply === "string") return fillReply(reply, userText);
    const fitting = this.#rules.find(({ rule, matches }) => (rule.model ?? model) === model && matches(userText));
    return fitting === undefined ? fallback : fillReply(fitting.rule.reply, userText);
  }
}

function getSuccessRate({ successRate = 1 }: MockBehavior, model: string): number {
  return typeof successRate === "number" ? successRate : (getOwn(successRate, model) ?? 1);
}

function fillReply(reply: string, userText: string): string {
  return reply === "echo" ? userText : reply;
}

/** Questions are indexed by this many leading characters, because a prompt is searched for thousands of them. */
const PREFIX_LENGTH = 16;

/** Questions with known answers. */
export class AnswerBook {
  readonly #entries: readonly KnownAnswer[];
  readonly #byText = new Map<string, KnownAnswer[]>();
  /** Questions by prefix, for each prefix length. */
  readonly #byPrefix = new Map<number, Map<string, string[]>>();

  constructor(entries: readonly KnownAnswer[]) {
    this.#entries = entries;
    for (const entry of entries) this.#add(entry);
  }

  /** Finds the last question in the last user text, else in any text. */
  find(userText: string, texts: readonly string[]): KnownAnswer | null {
    const question = this.#findQuestion(userText) ?? this.#findQuestion(texts.join("\n"));
    const entries = question === null ? undefined : this.#byText.get(question);
    if (entries === undefined) return null;
    const inContext = ({ context }: KnownAnswer) =>
      context !== undefined && context !== "" && texts.some((text) => text.includes(context));
    return (entries.length > 1 ? entries.find(inContext) : undefined) ?? entries[0] ?? null;
  }

  /** The answer to another question: plausible but wrong. */
  pickWrongAnswer(right: string, seed: number): string {
    const start = hashSeed(seed, "wrong", right) % Math.max(1, this.#entries.length);
    for (let step = 0; step < this.#entries.length; step++) {
      const other = this.#entries[(start + step) % this.#entries.length]?.answer;
      if (other !== undefined && !hasOverlap(other, right)) return other;
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
    const prefix = question.slice(0, PREFIX_LENGTH);
    const group = this.#byPrefix.get(prefix.length) ?? new Map<string, string[]>();
    this.#byPrefix.set(prefix.length, group);
    group.set(prefix, [...(group.get(prefix) ?? []), question]);
  }

  /** The question that ends last in the text; the longer one if two end together. */
  #findQuestion(text: string): string | null {
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

/** A text that contains the right answer would be graded as right. */
function hasOverlap(a: string, b: string): boolean {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()];
  return one.includes(other) || other.includes(one);
}

/** Matches texts that contain the given text, or a regular expression written as `/…/flags`. */
function createMatcher(match: string): (text: string) => boolean {
  const [, source, flags = ""] = PATTERN.exec(match) ?? [];
  if (source === undefined) return (text) => text.includes(match);
  // A global or sticky expression would keep its position between calls.
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ""));
  return (text) => pattern.test(text);
}
