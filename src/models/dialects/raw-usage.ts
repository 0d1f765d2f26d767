import { describe } from "../../core/shape.js";
import { type Fields, fieldsOf } from "./fields.js";

/** No model takes or gives so many tokens in one answer: such a number is a mistake, and would be billed. */
const MOST_TOKENS = 100_000_000;

/** Reads the counts of a provider's usage object, and remembers the first that makes no sense. */
export class RawUsage {
  /** What is wrong with it; null while nothing is. */
  wrong: string | null = null;
  readonly fields: Fields;

  constructor(fields: Fields) {
    this.fields = fields;
  }

  /** A count, undefined when it is not there. `within` names the object that holds it. */
  count(name: string, within?: string): number | undefined {
    const fields = within === undefined ? this.fields : fieldsOf(this.fields[within]);
    const value = fields?.[name];
    if (value === undefined || value === null) return undefined;
    if (isCount(value)) return value;
    this.wrong ??= `${name} is ${describe(value)}`;
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
}

/** The sum of the numbers that are there; undefined when none is. */
export function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
