import { nearest } from "../../core/suggest.js";

const MOST_LISTED = 12;

/**
 * End of a message about a missing file: the most similar file, and a list.
 * @example
 * describeSimilarFiles("tset.jsonl", ["test.jsonl"]); // ' Did you mean "test.jsonl"? It has: test.jsonl.'
 */
export function similarFiles(path: string, known: readonly string[]): string {
  const guess = nearest(path, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return `${hint}${whatIsThere(known)}`;
}

/** Lists the files of a repository in a sentence, data files only if there are any. */
export function whatIsThere(known: readonly string[]): string {
  if (known.length === 0) return " It has no files.";
  const data = known.filter((path) => !/(?:^|\/)(?:\.git\w*|README\.md)$/.test(path));
  const listed = (data.length === 0 ? known : data).toSorted();
  const more = listed.length > MOST_LISTED ? ` and ${listed.length - MOST_LISTED} more` : "";
  return ` It has: ${listed.slice(0, MOST_LISTED).join(", ")}${more}.`;
}
