import { ownValue } from "../../core/own-value.js";
import type { AnswerBook } from "./answer-book.js";
import { chance, type Occurrences } from "./chance.js";
import { matcher } from "./matcher.js";
import type { Prompt } from "./prompt.js";
import type { KnownAnswer, MockBehaviour, ReplyRule } from "./script.js";

const DEFAULT_REPLY = "This is a scripted answer from assay mock.";
const DEFAULT_REFUSAL = "I am sorry, but I cannot help with that.";

/** What is answered, and whether that is right. */
export interface Reply {
  readonly text: string;
  readonly succeeded: boolean;
}

/** Decides what a prompt is answered with. */
export class Replier {
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
