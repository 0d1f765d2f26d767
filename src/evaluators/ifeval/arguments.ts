import { strip } from "./python-text.js";

/** How a count must compare with the number that was asked for. */
type Relation = "less than" | "at least";

/** Much longer texts make a pattern that the engine refuses. */
const LONGEST_SEARCHED = 1000;
const TOO_LONG = `no longer than ${LONGEST_SEARCHED} characters`;

/** The arguments of one instruction. What is missing or wrong is noted in `problems`, and a stand-in is given back. */
export class InstructionArguments {
  readonly problems: string[] = [];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** A number from 0 on. The official grader takes a random one for any other. */
  count(name: string): number {
    const value = this.#values[name];
    if (typeof value === "number" && value >= 0) return value;
    return this.#problem(name, "a number from 0 on", 0);
  }

  relation(name: string): Relation {
    const value = this.#values[name];
    if (value === "less than" || value === "at least") return value;
    return this.#problem(name, '"less than" or "at least"', "at least");
  }

  /** A text without the white space around it. */
  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string" && strip(value) !== "") return strip(value);
    return this.#problem(name, "a text", " ");
  }

  /** A text that is one character long. */
  character(name: string): string {
    const text = this.text(name);
    return [...text].length === 1 ? text : this.#problem(name, "a single character", " ");
  }

  /** A text that is one of these. */
  oneOf(name: string, known: ReadonlySet<string>): string {
    const text = this.text(name);
    return known.has(text) ? text : this.#problem(name, `one of ${[...known].join(", ")}`, "");
  }

  /** A text that is looked for in responses. */
  searched(name: string): string {
    const text = this.text(name);
    return text.length <= LONGEST_SEARCHED ? text : this.#problem(name, TOO_LONG, " ");
  }

  /** A list of texts that are looked for in responses. */
  allSearched(name: string): string[] {
    const value = this.#values[name];
    const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
    if (!isList) return this.#problem(name, "a list of texts", []);
    return value.every((item) => item.length <= LONGEST_SEARCHED) ? value : this.#problem(name, TOO_LONG, []);
  }

  /** Notes that an argument is not what it must be. */
  refuse(name: string, wanted: string): void {
    this.#problem(name, wanted, null);
  }

  #problem<T>(name: string, wanted: string, standIn: T): T {
    const value = this.#values[name];
    const isMissing = value === undefined || value === null;
    this.problems.push(`${name} ${isMissing ? "is missing" : "is not what it must be"}: it must be ${wanted}`);
    return standIn;
  }
}

/** Whether the count compares with the number as asked. */
export function compares(count: number, relation: Relation, wanted: number): boolean {
  return relation === "less than" ? count < wanted : count >= wanted;
}
