/** A part of a Markdown text. HTML is text, and links and images are never followed. */
export type MarkdownBlock =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "list"; isOrdered: boolean; start: number; items: readonly MarkdownItem[] }
  | { kind: "quote"; blocks: readonly MarkdownBlock[] }
  | { kind: "table"; head: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: "rule" };

interface MarkdownItem {
  text: string;
  /** Lists inside of the item. */
  blocks: readonly MarkdownBlock[];
}

/** Deeper nesting is text: it is unreadable anyway, and hostile text must not exhaust the stack. */
const MAX_DEPTH = 6;

/**
 * Splits Markdown as models write it into blocks. Takes linear time on any text.
 * @example
 * parseMarkdown("# A\ntext"); // [{ kind: "heading", level: 1, text: "A" }, { kind: "paragraph", text: "text" }]
 */
export function parseMarkdown(text: string): MarkdownBlock[] {
  return new BlockParser(text.replace(/\r\n?/g, "\n").split("\n"), 0).parse();
}

/** Whether a text has marks that would be drawn differently from plain text. */
export function hasMarkdown(text: string): boolean {
  return /^ {0,3}(?:#{1,6} \S|```|~~~|> |[-*+] \S|\d{1,9}[.)] \S|\|.*\|)|\*\*\S|`[^`\n]+`|\]\(/m.test(text);
}

/**
 * A text without the marks of Markdown, for excerpts of a few lines; other texts are unchanged.
 * @example
 * stripMarkdown("**1731**\n\n- *from then* on"); // "1731\n• from then on"
 */
export function stripMarkdown(text: string): string {
  return hasMarkdown(text) && !/^\s*[[{]/.test(text) ? joinBlocks(parseMarkdown(text)) : text;
}

function joinBlocks(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(readBlock).filter(Boolean).join("\n");
}

function readBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return joinSpans(parseSpans(block.text));
    case "code":
      return block.text;
    case "list":
      return block.items
        .flatMap(({ text, blocks }, place) => [
          `${block.isOrdered ? `${block.start + place}.` : "•"} ${joinSpans(parseSpans(text))}`,
          ...(blocks.length === 0 ? [] : [joinBlocks(blocks)]),
        ])
        .join("\n");
    case "quote":
      return joinBlocks(block.blocks);
    case "table":
      return [block.head, ...block.rows]
        .map((cells) => cells.map((cell) => joinSpans(parseSpans(cell))).join(" · "))
        .join("\n");
    case "rule":
      return "";
  }
}

function joinSpans(spans: readonly MarkdownSpan[]): string {
  return spans.map((span) => ("spans" in span ? joinSpans(span.spans) : span.text)).join("");
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const FENCE = /^ {0,12}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const RULE = /^ {0,3}(?:-[ \t]*-[ \t]*-[-\t ]*|\*[ \t]*\*[ \t]*\*[*\t ]*|_[ \t]*_[ \t]*_[_\t ]*)$/;
const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9})[.)])[ \t]+(.*)$/;
const QUOTE = /^ {0,3}>[ ]?/;

class BlockParser {
  readonly #lines: readonly string[];
  readonly #depth: number;
  #at = 0;

  constructor(lines: readonly string[], depth: number) {
    this.#lines = lines;
    this.#depth = depth;
  }

  parse(): MarkdownBlock[] {
    const blocks: MarkdownBlock[] = [];
    while (this.#at < this.#lines.length) {
      if (this.#line().trim() === "") this.#at++;
      else blocks.push(this.#parseBlock());
    }
    return blocks;
  }

  #line(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? "";
  }

  #parseBlock(): MarkdownBlock {
    const line = this.#line();
    const fence = FENCE.exec(line);
    if (fence !== null) return this.#parseCode(fence[1] ?? "", fence[2] ?? "");
    const heading = HEADING.exec(line);
    if (heading !== null) {
      this.#at++;
      return { kind: "heading", level: heading[1]?.length ?? 1, text: stripClosingMarks(heading[2] ?? "") };
    }
    if (RULE.test(line)) {
      this.#at++;
      return { kind: "rule" };
    }
    if (this.#depth < MAX_DEPTH && QUOTE.test(line)) return this.#parseQuote();
    if (this.#depth < MAX_DEPTH && ITEM.test(line)) return this.#parseList();
    return this.#isTableHead() ? this.#parseTable() : this.#parseParagraph();
  }

  /** A block that is never closed goes on to the end. */
  #parseCode(fence: string, language: string): MarkdownBlock {
    const lines: string[] = [];
    const indent = this.#line().length - this.#line().trimStart().length;
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      const closing = line.trim();
      if (closing.startsWith(fence) && isOnly(closing, fence[0] ?? "`")) {
        this.#at++;
        break;
      }
      lines.push(removeIndent(line, indent));
    }
    return { kind: "code", language: language.trim(), text: lines.join("\n") };
  }

  #parseQuote(): MarkdownBlock {
    const lines: string[] = [];
    for (; this.#at < this.#lines.length && QUOTE.test(this.#line()); this.#at++)
      lines.push(this.#line().replace(QUOTE, ""));
    return { kind: "quote", blocks: new BlockParser(lines, this.#depth + 1).parse() };
  }

  #parseList(): MarkdownBlock {
    const [, indent = "", bullet, number] = ITEM.exec(this.#line()) ?? [];
    const isOrdered = bullet === undefined;
    const items: MarkdownItem[] = [];
    for (;;) {
      const item = ITEM.exec(this.#line());
      if (item === null || measureIndent(item[1]) > measureIndent(indent) + 1) break;
      if (measureIndent(item[1]) < measureIndent(indent) || (item[2] === undefined) !== isOrdered) break;
      this.#at++;
      items.push(this.#parseItem(item[4] ?? "", measureIndent(indent)));
      this.#skipBlankBeforeItem();
    }
    return { kind: "list", isOrdered, start: Number(number ?? 1), items };
  }

  /** The text, and indented lines below it. */
  #parseItem(first: string, indent: number): MarkdownItem {
    const text = [first];
    const inner: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      const isDeeper = measureIndent(line) > indent + 1;
      if (line.trim() === "" && measureIndent(this.#line(1)) > indent + 1 && this.#line(1).trim() !== "") {
        inner.push("");
        continue;
      }
      if (line.trim() === "" || !isDeeper) break;
      if (inner.length === 0 && !ITEM.test(line) && !FENCE.test(line)) text.push(line.trim());
      else inner.push(line);
    }
    return { text: text.join("\n"), blocks: inner.length === 0 ? [] : new BlockParser(inner, this.#depth + 1).parse() };
  }

  #skipBlankBeforeItem(): void {
    if (this.#line().trim() === "" && ITEM.test(this.#line(1))) this.#at++;
  }

  #isTableHead(): boolean {
    return this.#line().includes("|") && isTableRule(this.#line(1)) && this.#at + 1 < this.#lines.length;
  }

  #parseTable(): MarkdownBlock {
    const head = splitCells(this.#line());
    const rows: string[][] = [];
    for (this.#at += 2; this.#at < this.#lines.length && this.#line().includes("|"); this.#at++)
      rows.push(splitCells(this.#line()));
    return { kind: "table", head, rows };
  }

  #parseParagraph(): MarkdownBlock {
    const lines = [this.#line().trimEnd()];
    for (this.#at++; this.#at < this.#lines.length && !this.#startsBlock(); this.#at++)
      lines.push(this.#line().trimEnd());
    return { kind: "paragraph", text: lines.join("\n") };
  }

  #startsBlock(): boolean {
    const line = this.#line();
    if (line.trim() === "" || FENCE.test(line) || HEADING.test(line)) return true;
    return this.#depth < MAX_DEPTH && (QUOTE.test(line) || ITEM.test(line));
  }
}

/** `## Title ##` ends with marks that are not part of the title. */
function stripClosingMarks(text: string): string {
  const trimmed = text.trimEnd();
  let end = trimmed.length;
  while (trimmed[end - 1] === "#") end--;
  return end === 0 || trimmed[end - 1] === " " ? trimmed.slice(0, end).trimEnd() : trimmed;
}

function isOnly(text: string, mark: string): boolean {
  for (const letter of text) if (letter !== mark) return false;
  return true;
}

function measureIndent(text = ""): number {
  let width = 0;
  for (const letter of text) {
    if (letter === " ") width += 1;
    else if (letter === "\t") width += 4;
    else break;
  }
  return width;
}

function removeIndent(line: string, indent: number): string {
  let start = 0;
  while (start < indent && line[start] === " ") start++;
  return line.slice(start);
}

function isTableRule(line: string): boolean {
  const cells = splitCells(line);
  return line.includes("-") && line.includes("|") && cells.every((cell) => /^:?-+:?$/.test(cell));
}

/** A pipe in code or after a backslash is part of a cell only with the backslash, as in other readers. */
function splitCells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A part of a line. */
export type MarkdownSpan =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "struck"; spans: readonly MarkdownSpan[] }
  | { kind: "link" | "image"; text: string; address: string };

const MARKS = [
  { mark: "**", kind: "strong" },
  { mark: "__", kind: "strong" },
  { mark: "~~", kind: "struck" },
  { mark: "*", kind: "em" },
  { mark: "_", kind: "em" },
] as const;

/** Bounded repetitions, so that an open bracket is given up soon. */
const LINK =
  /!?\[([^[\]\n]{0,500})\]\(([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?)(?:\s+"[^"\n]{0,200}")?\)/y;

/**
 * Splits a line or paragraph into spans. Takes linear time on any text.
 * @example
 * parseSpans("a **b**"); // [{ kind: "text", text: "a " }, { kind: "strong", spans: [{ kind: "text", text: "b" }] }]
 */
export function parseSpans(text: string, depth = 0): MarkdownSpan[] {
  const spans: MarkdownSpan[] = [];
  const finder = new CloseFinder(text);
  let plain = "";
  const add = (span: MarkdownSpan) => {
    if (plain !== "") spans.push({ kind: "text", text: plain });
    plain = "";
    spans.push(span);
  };
  for (let at = 0; at < text.length; ) {
    const found = depth >= MAX_DEPTH ? null : readSpan(text, at, { finder, depth });
    if (found !== null) {
      add(found.span);
      at = found.end;
    } else if (text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
    } else {
      const length = countRepeats(text, at);
      plain += text.slice(at, at + length);
      at += length;
    }
  }
  if (plain !== "") spans.push({ kind: "text", text: plain });
  return spans;
}

/** A run of the same mark that opens nothing is skipped as a whole. */
function countRepeats(text: string, at: number): number {
  const letter = text[at] ?? "";
  if (!"*_`~".includes(letter)) return 1;
  let end = at + 1;
  while (text[end] === letter) end++;
  return end - at;
}

interface SpanContext {
  finder: CloseFinder;
  depth: number;
}

interface FoundSpan {
  span: MarkdownSpan;
  end: number;
}

function readSpan(text: string, at: number, context: SpanContext): FoundSpan | null {
  const letter = text[at] ?? "";
  if (letter === "`") return readCode(text, at, context.finder);
  if (letter === "[" || (letter === "!" && text[at + 1] === "[")) return readLink(text, at);
  return "*_~".includes(letter) ? readMarked(text, at, context) : null;
}

function readCode(text: string, at: number, finder: CloseFinder): FoundSpan | null {
  const mark = "`".repeat(countRepeats(text, at));
  const start = at + mark.length;
  const end = finder.findCode(mark, start);
  if (end === null) return null;
  const code = text.slice(start, end);
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return { span: { kind: "code", text: isPadded ? code.slice(1, -1) : code }, end: end + mark.length };
}

function readLink(text: string, at: number): FoundSpan | null {
  LINK.lastIndex = at;
  const link = LINK.exec(text);
  if (link === null) return null;
  const kind = text[at] === "!" ? "image" : "link";
  return { span: { kind, text: link[1] ?? "", address: link[2] ?? "" }, end: at + link[0].length };
}

function readMarked(text: string, at: number, { finder, depth }: SpanContext): FoundSpan | null {
  for (const { mark, kind } of MARKS) {
    if (!text.startsWith(mark, at) || /\s|^$/.test(text[at + mark.length] ?? "")) continue;
    // An underscore inside of a word is part of a name.
    if (mark[0] === "_" && /\w/.test(text[at - 1] ?? "")) continue;
    const end = finder.findMark(mark, at + mark.length + 1);
    if (end === null) continue;
    const inner = text.slice(at + mark.length, end);
    return { span: { kind, spans: parseSpans(inner, depth + 1) }, end: end + mark.length };
  }
  return null;
}

/** Finds closing marks, and remembers them: searching again from every opening mark would take quadratic time. */
class CloseFinder {
  readonly #text: string;
  readonly #next = new Map<string, { from: number; at: number | null }>();

  constructor(text: string) {
    this.#text = text;
  }

  findMark(mark: string, from: number): number | null {
    return this.#find(mark, from, (at) => this.#closes(mark, at));
  }

  findCode(mark: string, from: number): number | null {
    return this.#find(mark, from, (at) => this.#text[at - 1] !== "`" && this.#text[at + mark.length] !== "`");
  }

  #find(mark: string, from: number, isClose: (at: number) => boolean): number | null {
    const known = this.#next.get(mark);
    if (known !== undefined && known.from <= from && (known.at === null || known.at >= from)) return known.at;
    let at = this.#text.indexOf(mark, from);
    while (at >= 0 && !isClose(at)) at = this.#text.indexOf(mark, at + 1);
    this.#next.set(mark, { from, at: at < 0 ? null : at });
    return at < 0 ? null : at;
  }

  #closes(mark: string, at: number): boolean {
    if (/\s/.test(this.#text[at - 1] ?? " ")) return false;
    const next = this.#text[at + mark.length] ?? "";
    if (mark[0] === "_" && /\w/.test(next)) return false;
    // Of three marks the last ones close the outer span.
    return mark.length === 2 ? next !== mark[0] : next !== mark && this.#text[at - 1] !== mark;
  }
}
