import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

/** One line of a golden patch that can be reverted by itself. */
export interface Omission {
  /** An added line is left out, a removed line is kept. */
  readonly kind: "left out" | "kept";
  readonly path: string;
  /** Line number from 1: of an added line in the golden file, of a removed one in the untouched file. */
  readonly line: number;
  /** Line number in the patch, from 1. */
  readonly patchLine: number;
  readonly text: string;
  /** True for an empty line or a comment, which graders need not notice. */
  readonly looksHarmless: boolean;
}

export interface RevertibleLine extends Omission {
  /** Reverts the line in a folder to which the whole patch was applied. */
  readonly undoIn: (folder: string) => Promise<void>;
}

/** The omissions of a patch, and the files without lines to leave out. */
export interface PatchOmissions {
  readonly all: readonly RevertibleLine[];
  /** Paths of files that are binary, only renamed, only given another mode, links or submodules. */
  readonly whole: readonly string[];
}

/**
 * Lists every line that a patch adds or removes. Context lines cannot be left out.
 * @example
 * const { all } = listOmissions(patchText);
 * await all[0]?.undoIn(patchedFolder); // all but the first change is left
 */
export function listOmissions(text: string): PatchOmissions {
  const files = parsePatch(text);
  const hasLines = ({ isText, lines }: FilePatch) => isText && lines.length > 0;
  return {
    all: files.filter(hasLines).flatMap(({ path, lines }) => lines.map((line) => toOmission(path, line))),
    whole: files.filter((file) => !hasLines(file)).map(({ path }) => path),
  };
}

function toOmission(path: string, line: ChangedLine): RevertibleLine {
  const { sign, text, oldBefore, newBefore, patchLine } = line;
  return {
    kind: sign === "+" ? "left out" : "kept",
    path,
    line: 1 + (sign === "+" ? newBefore : oldBefore),
    patchLine,
    text: text.replace(/\r$/, ""),
    looksHarmless: isLikelyHarmless(path, text),
    undoIn: (folder) => revertLine(folder, path, line),
  };
}

/**
 * Chooses omissions from all over the patch: relevant lines first, harmless ones if room is left.
 * @example
 * chooseOmissions(listOmissions(text).all, 50);
 */
export function chooseOmissions(all: readonly RevertibleLine[], most: number): RevertibleLine[] {
  const telling = pickEvenly(
    all.filter((one) => !one.looksHarmless),
    most,
  );
  const harmless = pickEvenly(
    all.filter((one) => one.looksHarmless),
    most - telling.length,
  );
  const chosen = new Set([...telling, ...harmless]);
  return all.filter((one) => chosen.has(one));
}

function pickEvenly<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]).filter(
    (item) => item !== undefined,
  );
}

/** Reverts one line of an applied patch: removes an added line, or restores a removed one, even in a deleted file. */
async function revertLine(folder: string, path: string, { sign, text, isUnended, newBefore }: ChangedLine) {
  const file = join(folder, path);
  // Works on bytes, so that the encoding of other lines does not matter.
  const golden = await readFile(file, "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = golden.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (sign === "+") lines.splice(newBefore, 1);
  else lines.splice(newBefore, 0, Buffer.from(isUnended ? text : `${text}\n`).toString("latin1"));
  // Only the last line of a file can lack a line break.
  const ended = lines.map((line, i) => (i < lines.length - 1 && !line.endsWith("\n") ? `${line}\n` : line));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, ended.join(""), "latin1");
}

/** File extensions by comment syntax. */
const SLASH_COMMENTS =
  "c cc cpp cs css cts cxx dart go gradle h hpp java js jsx kt kts less m mjs mts cjs php proto rs scala scss swift ts tsx";
const HASH_COMMENTS =
  "bash cfg cmake conf coffee dockerfile ex exs gitignore graphql jl makefile mk nix pl pm php ps1 py r rb sh tcl tf toml yaml yml zsh";
const DASH_COMMENTS = "ada elm hs lua sql vhdl";
const TAG_COMMENTS = "htm html markdown md svg vue xml";
const OTHER_COMMENTS = { ";": "asm clj el ini lisp scm", "%": "erl tex" };

const LINE_COMMENTS: readonly (readonly [names: ReadonlySet<string>, comment: RegExp])[] = [
  [parseExtensions(SLASH_COMMENTS), /^(?:\/\/|\/\*(?:(?!\*\/).)*(?:\*\/)?$|\*\/$|\*(?:\s(?!\s*\{)|$))/],
  // A shebang line is not a comment.
  [parseExtensions(HASH_COMMENTS), /^#(?!!)/],
  [parseExtensions(DASH_COMMENTS), /^--/],
  [parseExtensions(TAG_COMMENTS), /^<!--(?:(?!-->).)*(?:-->)?$/],
  [parseExtensions(OTHER_COMMENTS[";"]), /^;/],
  [parseExtensions(OTHER_COMMENTS["%"]), /^%/],
];

function parseExtensions(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/**
 * True for a line that most likely changes nothing: blank, or a comment. Only the start of the line is checked, so
 * later lines of a block comment may be missed.
 * @example
 * isLikelyHarmless("src/add.ts", "  // adds two numbers"); // true
 */
export function isLikelyHarmless(path: string, line: string): boolean {
  const text = line.trim();
  if (text === "") return true;
  const name = posix.basename(path).toLowerCase();
  const end = name.slice(name.lastIndexOf(".") + 1);
  return LINE_COMMENTS.some(([names, comment]) => names.has(end) && comment.test(text));
}

/** One line that a patch adds or removes. */
interface ChangedLine {
  readonly sign: "+" | "-";
  readonly text: string;
  /** True for the last line of a file without a line break at its end. */
  readonly isUnended: boolean;
  /** Number of lines before it in the untouched file and in the patched file. */
  readonly oldBefore: number;
  readonly newBefore: number;
  /** Line number in the patch, from 1. */
  readonly patchLine: number;
}

interface FilePatch {
  /** Of the patched file, or of the untouched one if it is deleted. */
  path: string;
  /** False for links and submodules, which a patch writes as a line. */
  isText: boolean;
  /** Empty for binary files, mode changes and pure renames. */
  readonly lines: ChangedLine[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const LINK_OR_SUBMODULE_MODE = /^(?:new file mode|deleted file mode|index \S+|new mode) (?:120000|160000)$/;

/**
 * Splits a patch into files and ignores surrounding text such as commit messages. Whether it applies is left to git.
 * @example
 * parsePatch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")[0]?.path; // "x"
 */
function parsePatch(text: string): FilePatch[] {
  const lines = text.split("\n");
  const files: FilePatch[] = [];
  let file: FilePatch | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isTitle = line.startsWith("diff --git ");
    const names = readPatchNames(lines, at);
    if (isTitle || (names !== null && (file === null || file.lines.length > 0))) {
      file = { path: isTitle ? readTitlePath(line) : "", isText: true, lines: [] };
      files.push(file);
    }
    if (file !== null && names !== null) {
      file.path = names.to === "/dev/null" ? stripGitPrefix(names.from) : stripGitPrefix(names.to);
      at = readHunks(lines, at + 2, file.lines) - 1;
    } else if (file !== null && LINK_OR_SUBMODULE_MODE.test(line)) file.isText = false;
  }
  return files;
}

/** Requires two names and a hunk: a mail signature may look like a name, too. */
function readPatchNames(lines: readonly string[], at: number): { from: string; to: string } | null {
  const [from = "", to = "", hunk = ""] = lines.slice(at, at + 3);
  if (!from.startsWith("--- ") || !to.startsWith("+++ ") || !HUNK.test(hunk)) return null;
  return { from: readFileName(from.slice(4)), to: readFileName(to.slice(4)) };
}

/** Adds the changes of all hunks and returns where they end. Headers say how long each hunk is. */
function readHunks(lines: readonly string[], from: number, found: ChangedLine[]): number {
  let at = from;
  for (let header = HUNK.exec(lines[at] ?? ""); header !== null; header = HUNK.exec(lines[at] ?? "")) {
    const [oldCount, newCount] = [Number(header[2] ?? 1), Number(header[4] ?? 1)];
    // A hunk without lines on one side names the line before it.
    const [oldStart, newStart] = [Number(header[1]) - Math.min(1, oldCount), Number(header[3]) - Math.min(1, newCount)];
    let [oldBefore, newBefore] = [oldStart, newStart];
    at += 1;
    for (; (oldBefore < oldStart + oldCount || newBefore < newStart + newCount) && at < lines.length; at++) {
      const line = lines[at] ?? "";
      if (line.startsWith("\\")) continue;
      // Some programs strip the space from an otherwise empty line.
      const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
      const isUnended = lines[at + 1]?.startsWith("\\") === true;
      if (sign !== " ") found.push({ sign, text: line.slice(1), isUnended, oldBefore, newBefore, patchLine: at + 1 });
      if (sign !== "+") oldBefore += 1;
      if (sign !== "-") newBefore += 1;
    }
    if (lines[at]?.startsWith("\\") === true) at += 1;
  }
  return at;
}

/** Without the timestamp that may follow. */
function readFileName(name: string): string {
  return unquoteGitName(name.replace(/\t.*$/s, "").replace(/\r$/, ""));
}

/** Without git's a/ or b/ prefix. */
function stripGitPrefix(name: string): string {
  return name.replace(/^[^/]*\//, "");
}

/** For a file without hunks, names with spaces cannot be split reliably. */
function readTitlePath(title: string): string {
  const names = title.slice("diff --git ".length);
  const same = /^a\/(.+) b\/\1$/.exec(names)?.[1];
  return same ?? stripGitPrefix(readFileName(names.split(" ").at(-1) ?? names));
}

/** Git quotes unusual names byte by byte. */
function unquoteGitName(name: string): string {
  const inner = /^"(.*)"$/s.exec(name)?.[1];
  if (inner === undefined) return name;
  const bytes = inner.replace(/\\([0-7]{3}|.)/gs, (_, code: string) => {
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code);
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
