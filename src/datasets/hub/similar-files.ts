import { nearest } from "../../core/suggest.js";

const MOST_LISTED = 12;

/**
 * The end of a message about a file that is not there: the one that was probably meant, and what there is.
 * @example
 * similarFiles("tset.jsonl", ["test.jsonl"]); // ' Did you mean "test.jsonl"? It has: test.jsonl.'
 */
export function similarFiles(path: string, known: readonly string[]): string {
  const guess = nearest(path, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return `${hint}${whatIsThere(known)}`;
}

/** The files of a repository in a sentence, data before what describes it. */
export function whatIsThere(known: readonly string[]): string {
  if (known.length === 0) return " It has no files.";
  const data = known.filter((path) => !/(?:^|\/)(?:\.git\w*|README\.md)$/.test(path));
  const listed = (data.length === 0 ? known : data).toSorted();
  const more = listed.length > MOST_LISTED ? ` and ${listed.length - MOST_LISTED} more` : "";
  return ` It has: ${listed.slice(0, MOST_LISTED).join(", ")}${more}.`;
}
