/** One line that a patch adds or removes. */
export interface ChangedLine {
  readonly sign: "+" | "-";
  readonly text: string;
  /** True for the last line of a file that ends without a line break. */
  readonly isUnended: boolean;
  /** Lines of the untouched file, and of the patched one, that come before it. */
  readonly oldBefore: number;
  readonly newBefore: number;
  /** Its line in the patch, from 1. */
  readonly patchLine: number;
}

/** What a patch does to one file. */
export interface FilePatch {
  /** Of the patched file, or of the untouched one where it is deleted. */
  path: string;
  /** False for links and modules: they are one thing, though a patch writes them as a line. */
  isText: boolean;
  /** Empty for binary contents, a mode, a mere renaming. */
  readonly lines: ChangedLine[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NO_TEXT = /^(?:new file mode|deleted file mode|index \S+|new mode) (?:120000|160000)$/;

/**
 * Takes a patch apart, file by file. What stands around it, such as the words of a commit, is skipped. Whether it
 * applies is for git to say.
 * @example
 * parsePatch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")[0]?.path; // "x"
 */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.split("\n");
  const files: FilePatch[] = [];
  let file: FilePatch | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isTitle = line.startsWith("diff --git ");
    const names = readNames(lines, at);
    if (isTitle || (names !== null && (file === null || file.lines.length > 0))) {
      file = { path: isTitle ? readTitlePath(line) : "", isText: true, lines: [] };
      files.push(file);
    }
    if (file !== null && names !== null) {
      file.path = names.to === "/dev/null" ? stripPrefix(names.from) : stripPrefix(names.to);
      at = readHunks(lines, at + 2, file.lines) - 1;
    } else if (file !== null && NO_TEXT.test(line)) file.isText = false;
  }
  return files;
}

/** Two names and a hunk: the signature of a mail may begin like a name, too. */
function readNames(lines: readonly string[], at: number): { from: string; to: string } | null {
  const [from = "", to = "", hunk = ""] = lines.slice(at, at + 3);
  if (!from.startsWith("--- ") || !to.startsWith("+++ ") || !HUNK.test(hunk)) return null;
  return { from: readName(from.slice(4)), to: readName(to.slice(4)) };
}

/** Adds the changes of all hunks; gives where they end. The numbers in a header say how long its hunk is. */
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
      // Some programs take the space from a line that holds nothing else.
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

/** Without the time that may stand behind it. */
function readName(name: string): string {
  return unquote(name.replace(/\t.*$/s, "").replace(/\r$/, ""));
}

/** Without the folder that git puts before it. */
function stripPrefix(name: string): string {
  return name.replace(/^[^/]*\//, "");
}

/** Of a file without lines, where names that hold spaces cannot be told apart for certain. */
function readTitlePath(title: string): string {
  const names = title.slice("diff --git ".length);
  const same = /^a\/(.+) b\/\1$/.exec(names)?.[1];
  return same ?? stripPrefix(readName(names.split(" ").at(-1) ?? names));
}

/** Git quotes names that are not plain, byte by byte. */
function unquote(name: string): string {
  const inner = /^"(.*)"$/s.exec(name)?.[1];
  if (inner === undefined) return name;
  const bytes = inner.replace(/\\([0-7]{3}|.)/gs, (_, code: string) => {
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code);
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
