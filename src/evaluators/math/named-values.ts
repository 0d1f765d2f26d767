import { isName } from "./chain.js";
import { isList, split } from "./shape.js";

/** Values that are said of different names, in the order of the names where they are letters. */
export interface NamedValues {
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/** What `x=1,y=2` or `x,y=1,2` says; null for other lists. In `x=1,x=2` and `x_1=1,x_2=2` the names tell nothing apart. */
export function namedValuesOf(text: string): NamedValues | null {
  if (!text.includes("=") || !isList(text)) return null;
  const pairs = pairsOf(text);
  const areNamed = pairs.every(({ name, value }) => name !== "" && isName(name) && value !== "");
  if (!areNamed || new Set(pairs.map(({ name }) => withoutIndex(name))).size < pairs.length) return null;
  if (pairs.every(({ name }) => name.length === 1)) pairs.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { names: pairs.map(({ name }) => name), values: pairs.map(({ value }) => value) };
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

function pairsOf(text: string): Pair[] {
  const [names = "", values = "", ...more] = split(text, "=");
  const [left, right] = [split(names, ","), split(values, ",")];
  if (more.length === 0 && left.length === right.length) {
    return left.map((name, at) => ({ name, value: right[at] ?? "" }));
  }
  return split(text, ",").map((part) => {
    const sides = split(part, "=");
    return { name: sides.length > 1 ? (sides[0] ?? "") : "", value: sides.at(-1) ?? "" };
  });
}

function withoutIndex(name: string): string {
  return name.replace(/_\{?\w{1,3}\}?|'/, "");
}

/** The values of two answers side by side: by name where both name the same, else in order; null for different numbers. */
export function pairedValues(gold: NamedValues, given: NamedValues): readonly string[] | null {
  if (gold.names.length !== given.names.length) return null;
  const byName = gold.names.map((name) => given.values[given.names.indexOf(name)]);
  const named = byName.filter((value) => value !== undefined);
  return named.length === gold.names.length ? named : given.values;
}
