import { readFileSync } from "node:fs";
import { messageOf, UsageError } from "../../core/errors.js";
import { hashSeed } from "../../stats/random.js";
import { asList, asObject, asText, type Json } from "./json.js";
import type { KnownAnswer } from "./script.js";

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
