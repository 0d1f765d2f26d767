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
