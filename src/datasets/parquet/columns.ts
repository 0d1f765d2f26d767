import { type FileMetaData, parquetSchema, type SchemaElement, type SchemaTree } from "hyparquet";
import { isListLike, isMapLike } from "hyparquet/src/schema.js";
import { createNoColumnError } from "./errors.js";

/** A column or a part of one, and its path in a row. */
export interface ColumnPart {
  readonly node: SchemaTree;
  readonly names: readonly string[];
}

/** Finds the column at a path such as "answers.text". A column whose name contains the dots comes first. */
export function findColumn(parent: SchemaTree, path: string): ColumnPart | null {
  const parts = listChildren(parent);
  const whole = parts.find(({ element }) => element.name === path);
  if (whole !== undefined) return { node: whole, names: [path] };
  for (const { part, rest } of matchPrefixes(parts, path)) {
    const found = findColumn(part, rest);
    if (found !== null) return { ...found, names: [part.element.name, ...found.names] };
  }
  return null;
}

/** Lists the paths that exist where a missing path ends. */
export function listSimilarPaths(parent: SchemaTree, path: string): readonly string[] {
  const parts = listChildren(parent);
  for (const { part, rest } of matchPrefixes(parts, path)) {
    const below = listSimilarPaths(part, rest);
    if (below.length > 0) return below.map((name) => `${part.element.name}.${name}`);
  }
  return parts.map(({ element }) => element.name);
}

/** Gets the value at a path; maps over the items of a list. */
export function getNestedValue(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => getNestedValue(item, names));
  if (typeof value !== "object" || value === null) return null;
  return getNestedValue((value as Readonly<Record<string, unknown>>)[name], rest);
}

/**
 * Reduces a file's metadata to columns or parts of columns: hyparquet only selects whole columns, but reads no more than its
 * metadata lists. Throws for an unknown path.
 */
export function selectColumns(metadata: FileMetaData, name: string, paths?: readonly string[]): FileMetaData {
  if (paths === undefined) return metadata;
  const root = parquetSchema(metadata);
  const chosen = new Set(
    paths.map((path) => {
      const part = findColumn(root, path);
      if (part === null) throw createNoColumnError(name, path, listSimilarPaths(root, path));
      return part.node;
    }),
  );
  const keptLeaves = listLeaves(root, chosen, false);
  return {
    ...metadata,
    schema: flattenSchema({ ...root, children: pruneNodes(root.children, chosen) }),
    row_groups: metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.filter((_, at) => keptLeaves[at]),
    })),
  };
}

/** Whether each leaf, in file order, is selected. */
function listLeaves(node: SchemaTree, chosen: ReadonlySet<SchemaTree>, isInside: boolean): boolean[] {
  const isChosen = isInside || chosen.has(node);
  return node.children.length === 0
    ? [isChosen]
    : node.children.flatMap((child) => listLeaves(child, chosen, isChosen));
}

/** Keeps selected nodes and their ancestors, without other children. */
function pruneNodes(nodes: readonly SchemaTree[], chosen: ReadonlySet<SchemaTree>): SchemaTree[] {
  return nodes.flatMap((node) => {
    if (chosen.has(node)) return node;
    const children = pruneNodes(node.children, chosen);
    return children.length === 0 ? [] : { ...node, children, element: toSchemaElement(node) };
  });
}

/** A group annotated as a list but not built as one would pass for a list once it has fewer children. */
function toSchemaElement(node: SchemaTree): SchemaElement {
  if (isListLike(node)) return node.element;
  const { converted_type: _, ...element } = node.element;
  return element;
}

function flattenSchema({ element, children }: SchemaTree): SchemaElement[] {
  const isLeaf = element.num_children === undefined;
  return [isLeaf ? element : { ...element, num_children: children.length }, ...children.flatMap(flattenSchema)];
}

/** Lists the named parts of a column. For a list, those of its items; a map has none, since its keys are values. */
function listChildren(node: SchemaTree): readonly SchemaTree[] {
  const [first] = node.children;
  // The parts of a variant are bytes that only make sense together.
  if (first === undefined || isMapLike(node) || node.element.logical_type?.type === "VARIANT") return [];
  if (!isListLike(node)) return node.children;
  return listChildren(first.children[0] ?? first);
}

function* matchPrefixes(parts: readonly SchemaTree[], path: string) {
  for (const part of parts) {
    const start = `${part.element.name}.`;
    if (path.startsWith(start)) yield { part, rest: path.slice(start.length) };
  }
}
