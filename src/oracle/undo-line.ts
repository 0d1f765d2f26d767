import { type FilePatch, type Hunk, type HunkLine, NO_FILE, nameOf } from "./patch.js";

/** A line of a patch that does something: which file, which hunk, which line of it. */
export interface LinePlace {
  readonly file: number;
  readonly hunk: number;
  readonly line: number;
}

/**
 * The patch that does all but one thing: an added line is left out, a removed one stays. Empty when nothing is left of it.
 * @example
 * undoLine(parsePatch(text), { file: 0, hunk: 0, line: 3 });
 */
export function undoLine(files: readonly FilePatch[], place: LinePlace): string {
  const texts = files.map((file, index) => (index === place.file ? fileWithout(file, place) : file.raw).join("\n"));
  const left = texts.filter((text) => text !== "");
  return left.length === 0 ? "" : `${left.join("\n")}\n`;
}

function fileWithout(file: FilePatch, { hunk: at, line }: LinePlace): string[] {
  const { names } = file;
  if (names === null) return [...file.raw];
  const undone = file.hunks.map((hunk, index) => (index === at ? { ...hunk, lines: without(hunk.lines, line) } : hunk));
  const hunks = renumbered(undone).filter(({ lines }) => lines.some(({ sign }) => sign !== " "));
  const head = headOf(file, names, hunks);
  if (hunks.length === 0) return head.length > 1 ? head : [];
  return [...head, `--- ${names[0]}`, `+++ ${isKept(names, hunks) ? names[0] : names[1]}`, ...hunks.flatMap(hunkText)];
}

function without(lines: readonly HunkLine[], at: number): HunkLine[] {
  const undone = lines.flatMap((line, index) => {
    if (index !== at) return [line];
    return line.sign === "-" ? [{ ...line, sign: " " as const }] : [];
  });
  return ended(undone);
}

/** Only the last line of a file can be without a line break: one that is the last no longer gets one. */
function ended(lines: readonly HunkLine[]): HunkLine[] {
  const last = lines.findLastIndex(({ sign }) => sign !== "-");
  return lines.flatMap((line, index) => {
    if (!line.isUnended || line.sign === "-" || index === last) return [line];
    const added = { ...line, sign: "+" as const, isUnended: false };
    return line.sign === "+" ? [added] : [{ ...line, sign: "-" as const }, added];
  });
}

/** Lines that are more or fewer move what comes after them. */
function renumbered(hunks: readonly Hunk[]): Hunk[] {
  let shift: number | null = null;
  return hunks.map((hunk) => {
    const newBefore: number = shift === null ? hunk.newBefore : hunk.oldBefore + shift;
    shift = newBefore - hunk.oldBefore + count(hunk, "-") - count(hunk, "+");
    return { ...hunk, newBefore };
  });
}

/** How many lines it has on one side: all but those that are only on the other. */
function count({ lines }: Hunk, other: "+" | "-"): number {
  return lines.filter(({ sign }) => sign !== other).length;
}

/** True when a file that was deleted has a line left. */
function isKept([, to]: readonly [string, string], hunks: readonly Hunk[]): boolean {
  return nameOf(to) === NO_FILE && (hunks.length === 0 || hunks.some((hunk) => count(hunk, "-") > 0));
}

const CONTENT_IDS = /^index /;
const DELETION = /^deleted file mode /;

/** The ids of contents are no longer those; a file that has a line left is not deleted. */
function headOf({ head }: FilePatch, names: readonly [string, string], hunks: readonly Hunk[]): string[] {
  const whole = head.length === 0 ? gitHead(names) : head;
  const isDropped = (line: string) => CONTENT_IDS.test(line) || (isKept(names, hunks) && DELETION.test(line));
  return whole.filter((line) => !isDropped(line));
}

/** A patch that is not by git cannot tell an empty file from none. */
function gitHead([from, to]: readonly [string, string]): string[] {
  const isNew = nameOf(from) === NO_FILE;
  const isDeleted = nameOf(to) === NO_FILE;
  const title = `diff --git ${nameOf(isNew ? to : from)} ${nameOf(isDeleted ? from : to)}`;
  const mode = [...(isNew ? ["new file mode 100644"] : []), ...(isDeleted ? ["deleted file mode 100644"] : [])];
  return [title, ...mode];
}

function hunkText(hunk: Hunk): string[] {
  const before = range(hunk.oldBefore, count(hunk, "+"));
  const after = range(hunk.newBefore, count(hunk, "-"));
  return [`@@ -${before} +${after} @@${hunk.title}`, ...hunk.lines.flatMap(lineText)];
}

function range(linesBefore: number, length: number): string {
  return `${linesBefore + (length === 0 ? 0 : 1)},${length}`;
}

function lineText({ sign, text, isUnended }: HunkLine): string[] {
  return [`${sign}${text}`, ...(isUnended ? ["\\ No newline at end of file"] : [])];
}
