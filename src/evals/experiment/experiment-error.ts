import { isAbsolute, relative, sep } from "node:path";
import { AssayError } from "../../core/index.js";
import type { FileProblem, KeyPath, YamlTree } from "../../utils/index.js";

/** An experiment that cannot be run as its file describes it. The message has a line for each problem. */
export class ExperimentError extends AssayError {
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[], options: { cause?: unknown } = {}) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    super("EXPERIMENT", sorted.map((problem) => formatProblemLine(file, problem)).join("\n"), options);
    this.problems = sorted;
  }
}

function formatProblemLine(file: string, { line, column, text }: FileProblem): string {
  return `${formatRelativePath(file)}:${line}:${column}: ${text}`;
}

export interface ExperimentProblem {
  readonly path: KeyPath;
  /** True when the problem is the key at the end of the path, not its value. */
  readonly isAtKey?: boolean;
  readonly text: string;
}

export function locateProblem(tree: YamlTree, { path, isAtKey = false, text }: ExperimentProblem): FileProblem {
  return { ...(isAtKey ? tree.locateKey(path) : tree.locate(path)), text };
}

/**
 * Formats a path for messages: relative to the working directory if it is inside of it, otherwise unchanged.
 * @example
 * formatRelativePath("/home/me/project/evals/eval.yaml"); // "evals/eval.yaml" in /home/me/project
 */
export function formatRelativePath(path: string): string {
  const seen = relative(process.cwd(), path);
  const isOutside = seen === "" || seen === ".." || seen.startsWith(`..${sep}`) || isAbsolute(seen);
  return isOutside ? path : seen;
}
