import { looksHarmless } from "./harmless.js";
import { type ChangedLine, type FilePatch, parsePatch } from "./patch.js";
import { undoLine } from "./undo-line.js";

/** One line of a golden patch that can be undone by itself. */
export interface Omission {
  /** What was done with the line: an added one was left out, or a removed one was kept. */
  readonly kind: "left out" | "kept";
  readonly path: string;
  /** Of an added line in the golden file, of a removed one in the untouched file; from 1. */
  readonly line: number;
  /** Its line in the patch, from 1. */
  readonly patchLine: number;
  readonly text: string;
  /** True for a line that is empty or a comment: that graders do not notice it is as it should be. */
  readonly looksHarmless: boolean;
}

/** An omission that can be made. */
export interface UndoableLine extends Omission {
  /** Undoes the line in a folder that the whole patch was applied to. */
  readonly undoIn: (folder: string) => Promise<void>;
}

/** The omissions of a patch, and what in it has no lines that could be left out. */
export interface Omissions {
  readonly all: readonly UndoableLine[];
  /** Paths of files that are binary, only renamed or given another mode, links or modules. */
  readonly whole: readonly string[];
}

/**
 * Every single line that a patch adds or removes. Lines around them, which it leaves as they are, cannot be left out.
 * @example
 * const { all } = omissionsOf(patchText);
 * await all[0]?.undoIn(patchedFolder); // all but the first change is left
 */
export function omissionsOf(text: string): Omissions {
  const files = parsePatch(text);
  const hasLines = ({ isText, lines }: FilePatch) => isText && lines.length > 0;
  return {
    all: files.filter(hasLines).flatMap(({ path, lines }) => lines.map((line) => omissionOf(path, line))),
    whole: files.filter((file) => !hasLines(file)).map(({ path }) => path),
  };
}

function omissionOf(path: string, line: ChangedLine): UndoableLine {
  const { sign, text, oldBefore, newBefore, patchLine } = line;
  return {
    kind: sign === "+" ? "left out" : "kept",
    path,
    line: 1 + (sign === "+" ? newBefore : oldBefore),
    patchLine,
    text: text.replace(/\r$/, ""),
    looksHarmless: looksHarmless(path, text),
    undoIn: (folder) => undoLine(folder, path, line),
  };
}

/**
 * At most so many omissions, from all over the patch: those that say something first, harmless ones where room is left.
 * @example
 * chosenOf(omissionsOf(text).all, 50);
 */
export function chosenOf(all: readonly UndoableLine[], most: number): UndoableLine[] {
  const telling = spread(
    all.filter((one) => !one.looksHarmless),
    most,
  );
  const harmless = spread(
    all.filter((one) => one.looksHarmless),
    most - telling.length,
  );
  const chosen = new Set([...telling, ...harmless]);
  return all.filter((one) => chosen.has(one));
}

function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]).filter(
    (item) => item !== undefined,
  );
}
