import type { DetectLanguage } from "./detect-language.js";
import { stripSpaces } from "./python-text.js";

type CountRelation = "less than" | "at least";

/** Longer texts make patterns that the regex engine rejects. */
const MAX_KEYWORD_CHARS = 1000;
const TOO_LONG = `no longer than ${MAX_KEYWORD_CHARS} characters`;

/** Reads the arguments of one instruction. Missing or invalid ones are added to `problems`, and a default is returned. */
export class InstructionArguments {
  readonly problems: string[] = [];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The official grader uses a random number for anything else. */
  readCount(name: string): number {
    const value = this.#values[name];
    if (typeof value === "number" && value >= 0) return value;
    return this.#reject(name, "a number of at least 0", 0);
  }

  readRelation(name: string): CountRelation {
    const value = this.#values[name];
    if (value === "less than" || value === "at least") return value;
    return this.#reject(name, '"less than" or "at least"', "at least");
  }

  readText(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string" && stripSpaces(value) !== "") return stripSpaces(value);
    return this.#reject(name, "a text", " ");
  }

  readCharacter(name: string): string {
    const text = this.readText(name);
    return [...text].length === 1 ? text : this.#reject(name, "a single character", " ");
  }

  readOneOf(name: string, known: ReadonlySet<string>): string {
    const text = this.readText(name);
    return known.has(text) ? text : this.#reject(name, `one of ${[...known].join(", ")}`, "");
  }

  readKeyword(name: string): string {
    const text = this.readText(name);
    return text.length <= MAX_KEYWORD_CHARS ? text : this.#reject(name, TOO_LONG, " ");
  }

  readKeywords(name: string): string[] {
    const value = this.#values[name];
    const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
    if (!isList) return this.#reject(name, "a list of texts", []);
    return value.every((item) => item.length <= MAX_KEYWORD_CHARS) ? value : this.#reject(name, TOO_LONG, []);
  }

  addProblem(name: string, wanted: string): void {
    this.#reject(name, wanted, null);
  }

  #reject<T>(name: string, wanted: string, standIn: T): T {
    const value = this.#values[name];
    const isMissing = value === undefined || value === null;
    this.problems.push(`${name} ${isMissing ? "is missing" : "is invalid"}: it must be ${wanted}`);
    return standIn;
  }
}

export function hasRelation(count: number, relation: CountRelation, wanted: number): boolean {
  return relation === "less than" ? count < wanted : count >= wanted;
}

/** Whether a non-blank response follows the instruction. */
export type InstructionCheck = (response: string, detect: DetectLanguage) => boolean;

type InstructionRule = (given: InstructionArguments) => InstructionCheck;

export type InstructionRules = Readonly<Record<string, InstructionRule>>;
