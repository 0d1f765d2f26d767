import type { SchemaTree } from "hyparquet";
import type { Library } from "./library.js";

/** A column, or something inside of one, and the names that lead to it in a row. */
export interface Part {
  readonly node: SchemaTree;
  readonly names: readonly string[];
}

type Shapes = Pick<Library, "isListLike" | "isMapLike">;

/**
 * The parts of a column that have a name in the file. Those of a list are the parts of its items, and a map has none:
 * its keys are values.
 */
function partsOf(shapes: Shapes, node: SchemaTree): readonly SchemaTree[] {
  const [first] = node.children;
  if (first === undefined || shapes.isMapLike(node) || isVariant(node)) return [];
  if (!shapes.isListLike(node)) return node.children;
  const [item] = first.children;
  return partsOf(shapes, item ?? first);
}

/** What a path such as "answers.text" leads to. A name that holds the dots itself comes before names with dots between. */
export function findPart(shapes: Shapes, parent: SchemaTree, path: string): Part | null {
  const parts = partsOf(shapes, parent);
  const whole = parts.find(({ element }) => element.name === path);
  if (whole !== undefined) return { node: whole, names: [path] };
  for (const { part, rest } of beginnings(parts, path)) {
    const found = findPart(shapes, part, rest);
    if (found !== null) return { ...found, names: [part.element.name, ...found.names] };
  }
  return null;
}

/** The paths that there are where a missing one stops leading anywhere. */
export function pathsNear(shapes: Shapes, parent: SchemaTree, path: string): readonly string[] {
  const parts = partsOf(shapes, parent);
  for (const { part, rest } of beginnings(parts, path)) {
    const below = pathsNear(shapes, part, rest);
    if (below.length > 0) return below.map((name) => `${part.element.name}.${name}`);
  }
  return parts.map(({ element }) => element.name);
}

/** The value that names lead to; from a list, the list of what they lead to in each item. */
export function valueAlong(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => valueAlong(item, names));
  if (typeof value !== "object" || value === null) return null;
  return valueAlong((value as Readonly<Record<string, unknown>>)[name], rest);
}

function* beginnings(parts: readonly SchemaTree[], path: string) {
  for (const part of parts) {
    const start = `${part.element.name}.`;
    if (path.startsWith(start)) yield { part, rest: path.slice(start.length) };
  }
}

/** Its parts are bytes that only make sense together. */
function isVariant({ element }: SchemaTree): boolean {
  return element.logical_type?.type === "VARIANT";
}
