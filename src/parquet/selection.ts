import type { SchemaElement, SchemaTree } from "hyparquet";
import type { Layout, Leaf } from "./layout.js";
import type { Library } from "./library.js";
import { findPart, pathsNear } from "./parts.js";
import { noColumn } from "./problems.js";

/** What is read of a file: leaves, and the columns as far as they lead to them. */
export interface Selection {
  readonly leaves: readonly Leaf[];
  readonly columns: readonly SchemaTree[];
}

interface SelectedFile {
  readonly name: string;
  readonly library: Library;
  readonly layout: Layout;
}

/** Columns by name, and parts of columns by path; all columns unless given. Throws for one that is not there. */
export function select(file: SelectedFile, paths?: readonly string[]): Selection {
  const { leaves, root } = file.layout;
  if (paths === undefined) return { leaves, columns: root.children };
  const chosen = new Set(paths.map((path) => nodeAt(file, path)));
  return {
    leaves: leaves.filter(({ nodes }) => nodes.some((node) => chosen.has(node))),
    columns: cutAll(file.library, root.children, chosen),
  };
}

function nodeAt({ name, library, layout }: SelectedFile, path: string): SchemaTree {
  const part = findPart(library, layout.root, path);
  if (part === null) throw noColumn(name, path, pathsNear(library, layout.root, path));
  return part.node;
}

/** The nodes that are chosen or lead to such, each without its other children. */
function cutAll(library: Library, nodes: readonly SchemaTree[], chosen: ReadonlySet<SchemaTree>): SchemaTree[] {
  return nodes.flatMap((node) => {
    if (chosen.has(node)) return node;
    const children = cutAll(library, node.children, chosen);
    return children.length === 0 ? [] : { ...node, children, element: elementOf(library, node) };
  });
}

/** A group that says it is a list, and is not built as one, would pass for a list once it has fewer parts. */
function elementOf(library: Library, node: SchemaTree): SchemaElement {
  if (library.isListLike(node)) return node.element;
  const { converted_type: _, ...element } = node.element;
  return element;
}
