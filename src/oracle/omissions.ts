import { looksHarmless } from "./harmless.js";
import { type FilePatch, parsePatch } from "./patch.js";
import { type LinePlace, undoLine } from "./undo-line.js";

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

/** An omission, and the patch that does everything else. */
export interface PatchWithout extends Omission {
  /** Made when it is asked for: as many patches as they have lines are much. */
  readonly patch: () => string;
}

/** The omissions of a patch, and what in it has no lines that could be left out. */
export interface Omissions {
  readonly all: readonly PatchWithout[];
  /** Paths of files that are binary, only renamed or given another mode, links or modules. */
  readonly whole: readonly string[];
}

/** Links and modules are one thing, though a patch writes them as a line. */
const NO_TEXT = /^(?:new file mode|deleted file mode|index \S+|new mode) (?:120000|160000)$/;

/**
 * Every single line that a patch adds or removes. Lines around them, which it leaves as they are, cannot be left out.
 * @example
 * const { all } = omissionsOf(patchText);
 * all[0]?.patch(); // the patch without its first change
 */
export function omissionsOf(text: string): Omissions {
  const files = parsePatch(text);
  const hasLines = (file: FilePatch) => file.hunks.length > 0 && !file.head.some((line) => NO_TEXT.test(line));
  return {
    all: files.flatMap((file, index) => (hasLines(file) ? omissionsIn(files, index) : [])),
    whole: files.filter((file) => !hasLines(file)).map(({ path }) => path),
  };
}

function omissionsIn(files: readonly FilePatch[], file: number): PatchWithout[] {
  const { hunks = [] } = files[file] ?? {};
  return hunks.flatMap((_, hunk) => omissionsInHunk(files, { file, hunk }));
}

function omissionsInHunk(files: readonly FilePatch[], { file, hunk }: Omit<LinePlace, "line">): PatchWithout[] {
  const { path = "", hunks = [] } = files[file] ?? {};
  const { oldBefore = 0, newBefore = 0, lines = [] } = hunks[hunk] ?? {};
  const found: PatchWithout[] = [];
  let [old, now] = [oldBefore, newBefore];
  for (const [line, { sign, text, patchLine }] of lines.entries()) {
    if (sign !== "+") old += 1;
    if (sign !== "-") now += 1;
    if (sign === " ") continue;
    found.push({
      kind: sign === "+" ? "left out" : "kept",
      path,
      line: sign === "+" ? now : old,
      patchLine,
      text: text.replace(/\r$/, ""),
      looksHarmless: looksHarmless(path, text),
      patch: () => undoLine(files, { file, hunk, line }),
    });
  }
  return found;
}

/**
 * At most so many omissions, from all over the patch: those that say something first, harmless ones where room is left.
 * @example
 * chosenOf(omissionsOf(text).all, 50);
 */
export function chosenOf(all: readonly PatchWithout[], most: number): PatchWithout[] {
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
