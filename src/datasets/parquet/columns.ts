import { type FileMetaData, parquetSchema, type SchemaElement, type SchemaTree } from "hyparquet";
import { isListLike, isMapLike } from "hyparquet/src/schema.js";
import { noColumn } from "./problems.js";

/** A column, or something inside of one, and the names that lead to it in a row. */
export interface ColumnPart {
  readonly node: SchemaTree;
  readonly names: readonly string[];
}

/** Finds what a path such as "answers.text" leads to. A name that holds the dots itself comes first. */
export function findColumn(parent: SchemaTree, path: string): ColumnPart | null {
  const parts = listParts(parent);
  const whole = parts.find(({ element }) => element.name === path);
  if (whole !== undefined) return { node: whole, names: [path] };
  for (const { part, rest } of matchPrefixes(parts, path)) {
    const found = findColumn(part, rest);
    if (found !== null) return { ...found, names: [part.element.name, ...found.names] };
  }
  return null;
}

/** Lists the paths that exist where a missing one stops leading anywhere. */
export function listPathsNear(parent: SchemaTree, path: string): readonly string[] {
  const parts = listParts(parent);
  for (const { part, rest } of matchPrefixes(parts, path)) {
    const below = listPathsNear(part, rest);
    if (below.length > 0) return below.map((name) => `${part.element.name}.${name}`);
  }
  return parts.map(({ element }) => element.name);
}

/** Gets the value that names lead to; from a list, the list of what they lead to in each item. */
export function getValue(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => getValue(item, names));
  if (typeof value !== "object" || value === null) return null;
  return getValue((value as Readonly<Record<string, unknown>>)[name], rest);
}

/**
 * Cuts a file's metadata down to columns, or parts of columns: hyparquet itself only chooses among whole columns, but
 * reads no more than its metadata names. Throws for a path that is not there.
 */
export function selectColumns(metadata: FileMetaData, name: string, paths?: readonly string[]): FileMetaData {
  if (paths === undefined) return metadata;
  const root = parquetSchema(metadata);
  const chosen = new Set(
    paths.map((path) => {
      const part = findColumn(root, path);
      if (part === null) throw noColumn(name, path, listPathsNear(root, path));
      return part.node;
    }),
  );
  const keptLeaves = listLeaves(root, chosen, false);
  return {
    ...metadata,
    schema: flatten({ ...root, children: cutNodes(root.children, chosen) }),
    row_groups: metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.filter((_, at) => keptLeaves[at]),
    })),
  };
}

/** Tells for each leaf, in the order of the file, whether it is chosen. */
function listLeaves(node: SchemaTree, chosen: ReadonlySet<SchemaTree>, isInside: boolean): boolean[] {
  const isChosen = isInside || chosen.has(node);
  return node.children.length === 0
    ? [isChosen]
    : node.children.flatMap((child) => listLeaves(child, chosen, isChosen));
}

/** Keeps the nodes that are chosen or lead to such, each without its other children. */
function cutNodes(nodes: readonly SchemaTree[], chosen: ReadonlySet<SchemaTree>): SchemaTree[] {
  return nodes.flatMap((node) => {
    if (chosen.has(node)) return node;
    const children = cutNodes(node.children, chosen);
    return children.length === 0 ? [] : { ...node, children, element: keepShape(node) };
  });
}

/** A group that says it is a list, and is not built as one, would pass for a list once it has fewer parts. */
function keepShape(node: SchemaTree): SchemaElement {
  if (isListLike(node)) return node.element;
  const { converted_type: _, ...element } = node.element;
  return element;
}

function flatten({ element, children }: SchemaTree): SchemaElement[] {
  const isLeaf = element.num_children === undefined;
  return [isLeaf ? element : { ...element, num_children: children.length }, ...children.flatMap(flatten)];
}

/** Lists the named parts of a column. Those of a list are the parts of its items, and a map has none: its keys are values. */
function listParts(node: SchemaTree): readonly SchemaTree[] {
  const [first] = node.children;
  // The parts of a variant are bytes that only make sense together.
  if (first === undefined || isMapLike(node) || node.element.logical_type?.type === "VARIANT") return [];
  if (!isListLike(node)) return node.children;
  return listParts(first.children[0] ?? first);
}

function* matchPrefixes(parts: readonly SchemaTree[], path: string) {
  for (const part of parts) {
    const start = `${part.element.name}.`;
    if (path.startsWith(start)) yield { part, rest: path.slice(start.length) };
  }
}
