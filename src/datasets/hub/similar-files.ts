import { findClosestName } from "../../core/suggest.js";

const MAX_LISTED_FILES = 12;

/**
 * End of a message about a missing file: the most similar file, and a list.
 * @example
 * describeSimilarFiles("tset.jsonl", ["test.jsonl"]); // ' Did you mean "test.jsonl"? It has: test.jsonl.'
 */
export function describeSimilarFiles(path: string, known: readonly string[]): string {
  const guess = findClosestName(path, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return `${hint}${describeFiles(known)}`;
}

/** Lists the files of a repository in a sentence, data files only if there are any. */
export function describeFiles(known: readonly string[]): string {
  if (known.length === 0) return " It has no files.";
  const data = known.filter((path) => !/(?:^|\/)(?:\.git\w*|README\.md)$/.test(path));
  const listed = (data.length === 0 ? known : data).toSorted();
  const more = listed.length > MAX_LISTED_FILES ? ` and ${listed.length - MAX_LISTED_FILES} more` : "";
  return ` It has: ${listed.slice(0, MAX_LISTED_FILES).join(", ")}${more}.`;
}
