/** One line of a hunk: there before and after, added, or removed. */
export interface HunkLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
  /** True for the last line of a file that ends without a line break. */
  readonly isUnended: boolean;
  /** Its line in the patch, from 1. */
  readonly patchLine: number;
}

/** A stretch of a file, before and after. */
export interface Hunk {
  /** Lines of the file that come before it, in the untouched file and in the patched one. */
  readonly oldBefore: number;
  readonly newBefore: number;
  /** What stands behind the numbers in its header. */
  readonly title: string;
  readonly lines: readonly HunkLine[];
}

/** What a patch does to one file. */
export interface FilePatch {
  /** Of the patched file, or of the untouched one where it is deleted. */
  readonly path: string;
  /** Its lines before the two names; empty in a patch that is not by git. */
  readonly head: readonly string[];
  /** What stands behind `---` and `+++`; null for what has no lines: binary contents, a mode, a mere renaming. */
  readonly names: readonly [from: string, to: string] | null;
  readonly hunks: readonly Hunk[];
  /** All of it as it was given. */
  readonly raw: readonly string[];
}

/** Stands for the file that is not there, before it is made or after it is deleted. */
export const NO_FILE = "/dev/null";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

/**
 * Takes a patch apart, file by file. What stands around it, such as the words of a commit, is passed over. Whether it
 * applies is for git to say.
 * @example
 * parsePatch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")[0]?.path; // "x"
 */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = startsFile(lines, at) ? endOfFile(lines, at) : at + 1;
    if (startsFile(lines, at)) files.push(fileOf(lines, at, end));
    at = end;
  }
  return files;
}

function startsFile(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith("diff --git ") === true || hasNames(lines, at);
}

/** Two names and a hunk: a line that was removed may begin like a name, too, but stands in a hunk. */
function hasNames(lines: readonly string[], at: number): boolean {
  const isName = lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true;
  return isName && HUNK.test(lines[at + 2] ?? "");
}

function endOfFile(lines: readonly string[], start: number): number {
  const names = namesOf(lines, start);
  if (names === null) return nextTitle(lines, start + 1);
  let at = names + 2;
  while (HUNK.test(lines[at] ?? "")) at = endOfHunk(lines, at);
  return at;
}

/** Where the two names of a file stand; null when it has none. */
function namesOf(lines: readonly string[], start: number): number | null {
  const end = nextTitle(lines, start + 1);
  for (let at = start; at < end; at++) if (hasNames(lines, at)) return at;
  return null;
}

function nextTitle(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]?.startsWith("diff --git ") !== true) at += 1;
  return at;
}

/** The numbers say how long it is, so that nothing in it is taken for something else. */
function endOfHunk(lines: readonly string[], start: number): number {
  let [before, after] = countsOf(lines[start] ?? "");
  let at = start + 1;
  for (; (before > 0 || after > 0) && at < lines.length; at++) {
    const sign = lines[at]?.[0] ?? " ";
    if (sign === "\\") continue;
    if (sign !== "+") before -= 1;
    if (sign !== "-") after -= 1;
  }
  return lines[at]?.startsWith("\\") === true ? at + 1 : at;
}

function countsOf(header: string): [before: number, after: number] {
  const [, , before = "1", , after = "1"] = HUNK.exec(header) ?? [];
  return [Number(before), Number(after)];
}

function fileOf(lines: readonly string[], start: number, end: number): FilePatch {
  const raw = lines.slice(start, end);
  const at = namesOf(lines, start);
  if (at === null) return { path: titlePath(raw[0] ?? ""), head: raw, names: null, hunks: [], raw };
  const names = [(lines[at] ?? "").slice(4), (lines[at + 1] ?? "").slice(4)] as const;
  const path = pathOf(nameOf(names[1]) === NO_FILE ? names[0] : names[1]);
  return { path, head: lines.slice(start, at), names, hunks: hunksOf(lines, at + 2, end), raw };
}

function hunksOf(lines: readonly string[], from: number, end: number): Hunk[] {
  const hunks: Hunk[] = [];
  for (let at = from; at < end; at = endOfHunk(lines, at)) hunks.push(hunkOf(lines, at));
  return hunks;
}

function hunkOf(lines: readonly string[], start: number): Hunk {
  const header = lines[start] ?? "";
  const [, oldStart = "0", , newStart = "0", , title = ""] = HUNK.exec(header) ?? [];
  const [before, after] = countsOf(header);
  return {
    // A hunk without lines on one side names the line before it.
    oldBefore: Number(oldStart) - (before === 0 ? 0 : 1),
    newBefore: Number(newStart) - (after === 0 ? 0 : 1),
    title,
    lines: linesOf(lines, start + 1, endOfHunk(lines, start)),
  };
}

function linesOf(lines: readonly string[], from: number, end: number): HunkLine[] {
  const found: HunkLine[] = [];
  for (let at = from; at < end; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("\\")) continue;
    // Some programs take the space from a line that holds nothing else.
    const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
    const isUnended = at + 1 < end && lines[at + 1]?.startsWith("\\") === true;
    found.push({ sign, text: line.slice(1), isUnended, patchLine: at + 1 });
  }
  return found;
}

/** Without the time that may stand behind it. */
export function nameOf(name: string): string {
  return name.replace(/\t.*$/s, "").replace(/\r$/, "");
}

/** For people: without quotes and the folder that git puts before it. */
function pathOf(name: string): string {
  return unquoted(nameOf(name)).replace(/^[^/]*\//, "");
}

/** Of a file without lines, where names that hold spaces cannot be told apart for certain. */
function titlePath(title: string): string {
  const names = title.slice("diff --git ".length);
  const same = /^a\/(.+) b\/\1$/.exec(names)?.[1];
  return same ?? pathOf(names.split(" ").at(-1) ?? names);
}

/** Git quotes names that are not plain, byte by byte. */
function unquoted(name: string): string {
  const inner = /^"(.*)"$/s.exec(name)?.[1];
  if (inner === undefined) return name;
  const bytes = inner.replace(/\\([0-7]{3}|.)/gs, (_, code: string) => {
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code);
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
