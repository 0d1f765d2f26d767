import { UsageError } from "../../core/index.js";
import type { RawTags } from "./spec-schema.js";

export type Tags = Readonly<Record<string, string>>;

/** Converts tags to strings: a name alone is true, and several values are joined by commas. */
export function parseTags(given: RawTags | undefined): Tags {
  if (given === undefined) return {};
  if (Array.isArray(given)) return Object.fromEntries(given.map((name) => [name, "true"]));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value].flat().map(String).join(",")]));
}

/**
 * Whether tags meet all filters: `area=js`, `!area=js`, `slow`, `!slow`. Commas mean any of: `area=js,ts`, `slow,area=js`;
 * after a value, an entry without `=` is another value of the same tag, and `!area=js,ts` means neither.
 * @example
 * matchesTags({ area: "js", slow: "true" }, ["area=js,ts", "!slow"]); // false
 */
export function matchesTags(tags: Tags, filters: readonly string[]): boolean {
  return filters.every((filter) => parseConditions(filter).some((condition) => matchesCondition(condition, tags)));
}

interface Condition {
  readonly isNot: boolean;
  readonly name: string;
  /** Null when only the name must be present. */
  readonly values: string[] | null;
}

function parseConditions(filter: string): Condition[] {
  const conditions: Condition[] = [];
  for (const part of filter.split(",").map((each) => each.trim())) {
    const values = conditions.at(-1)?.values;
    const isValue = values !== undefined && values !== null && !part.startsWith("!") && !part.includes("=");
    if (isValue) values.push(part);
    else conditions.push(parseCondition(part, filter));
  }
  return conditions;
}

function parseCondition(part: string, filter: string): Condition {
  const [, not, name = "", value] = /^(!?)([^=]*)(?:=(.*))?$/s.exec(part) ?? [];
  if (name.trim() === "")
    throw new UsageError(`The tag filter "${filter}" names no tag. Write area=js, !area=js, slow or !slow.`);
  return { isNot: not === "!", name: name.trim(), values: value === undefined ? null : [value.trim()] };
}

function matchesCondition({ isNot, name, values }: Condition, tags: Tags): boolean {
  const tag = Object.hasOwn(tags, name) ? tags[name] : undefined;
  const has = tag?.split(",").map((each) => each.trim()) ?? [];
  const isMet =
    values === null
      ? tag !== undefined && tag !== "false"
      : values.some((value) => value === tag || has.includes(value));
  return isMet !== isNot;
}
