import { isAbsolute, relative, sep } from "node:path";

/**
 * A path as messages name it: from the working folder on for what lies in it, as it is for all else.
 * @example
 * fromHere("/home/me/project/evals/eval.yaml"); // "evals/eval.yaml" in /home/me/project
 */
export function fromHere(path: string): string {
  const seen = relative(process.cwd(), path);
  const isOutside = seen === "" || seen === ".." || seen.startsWith(`..${sep}`) || isAbsolute(seen);
  return isOutside ? path : seen;
}
