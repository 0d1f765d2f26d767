import { diffArrays } from "diff";
import { type Arguments, fileIn, objectOf } from "../tool-gist.js";
import { patchLines } from "./timeline-patch.js";
import { cutText } from "./trial-cut.js";

/** What various tools call the text that was there, the one that takes its place, and that of a whole file. */
const BEFORE = ["old_string", "oldString", "old_str", "oldText"];
const AFTER = ["new_string", "newString", "new_str", "newText", "new_source"];
const WHOLE = ["content", "file_text", "contents"];

const LONG_TEXT = 20_000;
/** Lines that are compared one by one, of one edit and of a whole timeline; the rest is shown as replaced. */
const MOST_COMPARED = 400;
const MOST_COMPARED_IN_ALL = 20_000;
/** Characters of all edits of a timeline; those after them are not shown. */
const MOST_SHOWN = 2_000_000;
const NOT_SHOWN = [" (not shown: the edits before it fill the page)"];

/** Shows what calls of tools do to files, within what one timeline may take. */
export class EditDiffs {
  #left = MOST_COMPARED_IN_ALL;
  #room = MOST_SHOWN;

  /** The lines of an edit, each with a leading `+`, `-` or space; null for a call that edits nothing. */
  of(given: unknown): readonly string[] | null {
    const lines = this.#linesOf(given);
    if (lines === null) return null;
    this.#room -= lines.reduce((sum, { length }) => sum + length + 1, 0);
    return this.#room < 0 ? NOT_SHOWN : lines;
  }

  #linesOf(given: unknown): readonly string[] | null {
    const known = objectOf(given);
    const patched = patchLines(known ?? given, LONG_TEXT);
    if (patched !== null || known === null) return patched;
    const diffs = [known, ...editsIn(known)].flatMap((edit) => this.#edit(edit) ?? []);
    if (diffs.length > 0) return diffs.flatMap((lines, index) => (index === 0 ? lines : [" …", ...lines]));
    const written = fileIn(known) === null ? null : textIn(known, WHOLE);
    return written === null ? null : linesOf(written).map((line) => `+${line}`);
  }

  #edit(edit: Arguments): [string[]] | null {
    const before = textIn(edit, BEFORE);
    const after = textIn(edit, AFTER);
    return before === null && after === null ? null : [this.#diff(linesOf(before ?? ""), linesOf(after ?? ""))];
  }

  #diff(before: readonly string[], after: readonly string[]): string[] {
    const count = before.length + after.length;
    if (count > MOST_COMPARED || count > this.#left)
      return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
    this.#left -= count;
    return diffArrays([...before], [...after]).flatMap(({ added, removed, value }) => {
      const sign = added ? "+" : removed ? "-" : " ";
      return value.map((line) => sign + line);
    });
  }
}

function editsIn({ edits }: Arguments): Arguments[] {
  const given: readonly unknown[] = Array.isArray(edits) ? edits : [];
  return given.map(objectOf).filter((edit) => edit !== null);
}

function textIn(known: Arguments, names: readonly string[]): string | null {
  const text = names.map((name) => known[name]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : null;
}

/** Without the line end of the last; none of an empty text. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const kept = cutText(text, LONG_TEXT);
  const lines = kept.replace(/\n$/, "").split("\n");
  return kept.length === text.length ? lines : [...lines, `… ${text.length - kept.length} more characters`];
}
