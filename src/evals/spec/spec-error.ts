import { AssayError } from "../../core/errors.js";
import type { FileProblem } from "../../utils/files/yaml-tree.js";

/** An eval file with something wrong in it: the message has a line for each problem. */
export class SpecError extends AssayError {
  readonly file: string;
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    const sorted = inOrder(problems);
    super("SPEC", sorted.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
    this.file = file;
    this.problems = sorted;
  }
}

/** Problems in the order of the file, each once. */
export function inOrder(problems: readonly FileProblem[]): FileProblem[] {
  const known = new Map(problems.map((problem) => [`${problem.line}:${problem.column}:${problem.text}`, problem]));
  return [...known.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}
