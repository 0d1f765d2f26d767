import { strip } from "./python-text.js";

type Relation = "less than" | "at least";

/** Longer texts make patterns that the regex engine rejects. */
const LONGEST_SEARCHED = 1000;
const TOO_LONG = `no longer than ${LONGEST_SEARCHED} characters`;

/** Reads the arguments of one instruction. Missing or invalid ones are added to `problems`, and a default is returned. */
export class InstructionArguments {
  readonly problems: string[] = [];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The official grader uses a random number for anything else. */
  count(name: string): number {
    const value = this.#values[name];
    if (typeof value === "number" && value >= 0) return value;
    return this.#problem(name, "a number of at least 0", 0);
  }

  relation(name: string): Relation {
    const value = this.#values[name];
    if (value === "less than" || value === "at least") return value;
    return this.#problem(name, '"less than" or "at least"', "at least");
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string" && strip(value) !== "") return strip(value);
    return this.#problem(name, "a text", " ");
  }

  character(name: string): string {
    const text = this.text(name);
    return [...text].length === 1 ? text : this.#problem(name, "a single character", " ");
  }

  oneOf(name: string, known: ReadonlySet<string>): string {
    const text = this.text(name);
    return known.has(text) ? text : this.#problem(name, `one of ${[...known].join(", ")}`, "");
  }

  searched(name: string): string {
    const text = this.text(name);
    return text.length <= LONGEST_SEARCHED ? text : this.#problem(name, TOO_LONG, " ");
  }

  allSearched(name: string): string[] {
    const value = this.#values[name];
    const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
    if (!isList) return this.#problem(name, "a list of texts", []);
    return value.every((item) => item.length <= LONGEST_SEARCHED) ? value : this.#problem(name, TOO_LONG, []);
  }

  refuse(name: string, wanted: string): void {
    this.#problem(name, wanted, null);
  }

  #problem<T>(name: string, wanted: string, standIn: T): T {
    const value = this.#values[name];
    const isMissing = value === undefined || value === null;
    this.problems.push(`${name} ${isMissing ? "is missing" : "is invalid"}: it must be ${wanted}`);
    return standIn;
  }
}

export function compares(count: number, relation: Relation, wanted: number): boolean {
  return relation === "less than" ? count < wanted : count >= wanted;
}
