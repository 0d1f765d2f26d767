/** A piece of code between fences. */
export interface CodeBlock {
  /** What stands behind the opening fence, in lower case: most often a language. */
  info: string;
  code: string;
}

const FENCE = /^([ \t]{0,20})(`{3,40}|~{3,40})[ \t]{0,20}([\w+#.-]{0,40})(.*)$/;

interface OpenBlock {
  indent: string;
  fence: string;
  info: string;
  lines: string[];
}

/** The fenced blocks of a text. One that is never closed goes on to the end. */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: OpenBlock | null = null;
  for (const line of text.split("\n")) {
    const fence = fenceOf(line);
    if (open === null) {
      open = fence === null ? null : { ...fence, lines: [] };
    } else if (fence === null || !endsBlock(fence, open)) {
      open.lines.push(withoutIndent(line, open.indent));
    } else {
      blocks.push(finished(open));
      // A fence with a language opens a block, even where the one before was never closed.
      open = fence.info === "" ? null : { ...fence, lines: [] };
    }
  }
  return open === null ? blocks : [...blocks, finished(open)];
}

/** The text before a first fence without a language: it may close a block that the prompt had opened. */
export function beforeBareFence(text: string): string | null {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => fenceOf(line) !== null);
  return at === -1 || fenceOf(lines[at] ?? "")?.info !== "" ? null : lines.slice(0, at).join("\n");
}

function fenceOf(line: string): Omit<OpenBlock, "lines"> | null {
  const [, indent = "", fence, info = "", rest = ""] = FENCE.exec(line) ?? [];
  return fence === undefined || rest.includes("`") ? null : { indent, fence, info: info.toLowerCase() };
}

function endsBlock(fence: Omit<OpenBlock, "lines">, open: OpenBlock): boolean {
  return fence.fence.startsWith(open.fence);
}

function withoutIndent(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line;
}

function finished({ info, lines }: OpenBlock): CodeBlock {
  return { info, code: lines.join("\n") };
}
