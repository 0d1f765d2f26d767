import type { Language } from "../../exec/index.js";

const PYTHON_NAMED = /^(?:async[ \t]+def|def|class)[ \t]+(\w+)/;
const PYTHON_ASSIGNED = /^(\w+)[ \t]*(?::[^=]*)?=(?!=)/;
const PYTHON_IMPORTED = /^(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(.+)$/;
const MULTILINE_IMPORT = /^from[ \t]+[\w.]+[ \t]+import[ \t]*\([^()]*\)/gm;
const JAVASCRIPT_NAMED =
  /^(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function\b[ \t]*\*?|class|const|let|var)[ \t]+([\w$]+)/;
const JAVASCRIPT_EXPORTED = /^(?:module\.)?exports\.([\w$]+)[ \t]*=/;

/** A name defined at the top level of a program. */
interface Definition {
  name: string;
  /** False for the result of a statement, such as one that shows how a function is used. */
  isLasting: boolean;
  isImported?: boolean;
}

/** Finds top-level definitions by how their lines begin. */
export function findDefinitions(code: string, language: Language): Definition[] {
  const ofLine = language === "python" ? parsePythonDefinitions : parseJavaScriptDefinitions;
  const text = language === "python" ? code.replace(MULTILINE_IMPORT, (found) => found.replaceAll("\n", " ")) : code;
  return text.split("\n").flatMap((line) => (/^\s/.test(line) ? [] : ofLine(line)));
}

/** Without imported names. */
export function listDefinedNames(code: string, language: Language): Set<string> {
  const own = findDefinitions(code, language).filter(({ isImported }) => isImported !== true);
  return new Set(own.map(({ name }) => name));
}

export function findIdentifiers(code: string): Set<string> {
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

function parsePythonDefinitions(line: string): Definition[] {
  const named = PYTHON_NAMED.exec(line)?.[1];
  if (named !== undefined) return [{ name: named, isLasting: true }];
  const imported = PYTHON_IMPORTED.exec(line)?.[1];
  if (imported !== undefined)
    return parseImportedNames(imported).map((name) => ({ name, isLasting: true, isImported: true }));
  const assigned = PYTHON_ASSIGNED.exec(line)?.[1];
  return assigned === undefined ? [] : [{ name: assigned, isLasting: isConstantName(assigned) }];
}

function parseImportedNames(list: string): string[] {
  return list
    .split(",")
    .map(
      (part) =>
        part
          .trim()
          .split(/[ \t]+/)
          .at(-1) ?? "",
    )
    .map((name) => (name.split(".")[0] ?? "").replace(/[()]/g, ""))
    .filter((name) => name !== "");
}

function parseJavaScriptDefinitions(line: string): Definition[] {
  const name = JAVASCRIPT_NAMED.exec(line)?.[1] ?? JAVASCRIPT_EXPORTED.exec(line)?.[1];
  if (name === undefined) return [];
  const isValue = /^(?:const|let|var)\b/.test(line) && !/=>|\bfunction\b|\bclass\b|\brequire\b/.test(line);
  return [{ name, isLasting: !isValue || isConstantName(name) }];
}

function isConstantName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}

export interface CodeBlock {
  /** The text after the opening fence in lower case, usually a language. */
  info: string;
  code: string;
}

const FENCE = /^([ \t]{0,20})(`{3,40}|~{3,40})[ \t]{0,20}([\w+#.-]{0,40})(.*)$/;
/** A fence after text on the same line; it opens a block only if it names a language. */
const TRAILING_FENCE = /^[^`~]{1,400}[ \t:](`{3,40})([a-z][\w+#.-]{0,40})[ \t]{0,20}$/i;
const QUOTED_FENCE = /^ {0,3}>[ \t]{0,4}(?=```|~~~)/;
const QUOTE = /^ {0,3}> ?/;

interface OpenBlock {
  /** In a block quote, each line begins with ">". */
  isQuoted: boolean;
  indent: string;
  fence: string;
  info: string;
  lines: string[];
}

type Fence = Omit<OpenBlock, "lines">;

/** Finds fenced blocks. An unclosed block runs to the end. */
export function findCodeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: OpenBlock | null = null;
  for (const line of text.split("\n")) {
    const fence: Fence | null = parseFence(line) ?? (open === null ? parseTrailingFence(line) : null);
    if (open === null) {
      open = fence === null ? null : { ...fence, lines: [] };
    } else if (fence === null || !isClosingFence(fence, open)) {
      open.lines.push(stripIndent(open.isQuoted ? line.replace(QUOTE, "") : line, open.indent));
    } else {
      blocks.push(toCodeBlock(open));
      // A fence with a language opens a block even if the previous block was never closed.
      open = fence.info === "" ? null : { ...fence, lines: [] };
    }
  }
  return open === null ? blocks : [...blocks, toCodeBlock(open)];
}

/** The text before a first fence without a language, which may close a block that the prompt opened. */
export function getTextBeforeBareFence(text: string): string | null {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => (parseFence(line) ?? parseTrailingFence(line)) !== null);
  return at === -1 || parseFence(lines[at] ?? "")?.info !== "" ? null : lines.slice(0, at).join("\n");
}

function parseFence(line: string): Fence | null {
  if (!line.includes("```") && !line.includes("~~~")) return null;
  const isQuoted = QUOTED_FENCE.test(line);
  const [, indent = "", fence, info = "", rest = ""] =
    FENCE.exec(isQuoted ? line.replace(QUOTED_FENCE, "") : line) ?? [];
  return fence === undefined || rest.includes("`") ? null : { isQuoted, indent, fence, info: info.toLowerCase() };
}

function parseTrailingFence(line: string): Fence | null {
  if (!line.includes("```")) return null;
  const [, fence, info = ""] = TRAILING_FENCE.exec(line) ?? [];
  return fence === undefined ? null : { isQuoted: false, indent: "", fence, info: info.toLowerCase() };
}

function isClosingFence(fence: Fence, open: OpenBlock): boolean {
  // A fence that is indented like code is part of the code, for example in a docstring.
  return fence.fence.startsWith(open.fence) && fence.indent.length < open.indent.length + 4;
}

function stripIndent(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line;
}

function toCodeBlock({ info, lines }: OpenBlock): CodeBlock {
  return { info, code: lines.join("\n") };
}
