import { isAbsolute, relative, sep } from "node:path";

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
