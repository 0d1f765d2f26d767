import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A fenced block of a Markdown page: ` ```sh no-run ` has the language "sh" and the info "no-run". */
export interface CodeBlock {
  language: string;
  info: string;
  text: string;
  /** Line of the opening fence, counted from 1. */
  line: number;
}

const FENCE = /^```(\S*) *(.*)$/;

export function parseBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: CodeBlock | null = null;
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = FENCE.exec(line);
    if (fence !== null && open === null) {
      open = { language: fence[1] ?? "", info: fence[2] ?? "", text: "", line: index + 1 };
    } else if (fence !== null && open !== null) {
      blocks.push(open);
      open = null;
    } else if (open !== null) {
      open.text += `${line}\n`;
    }
  }
  return blocks;
}

/** The page without its fenced blocks. */
export function stripCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, "");
}

/** Cells of all table rows in a text, without separator rows; a bar written as `\|` stays in its cell. */
export function parseTableRows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[-:| ]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf("|"))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/**
 * The lines and tables that a page shows and a command did not print. A shown table may leave out rows and columns of
 * the printed one.
 */
export function findUnprinted(shown: string, printed: string): string[] {
  const tables = splitParagraphs(printed).map(parseTableRows);
  return splitParagraphs(shown).flatMap((paragraph) => {
    if (!paragraph.startsWith("|")) return paragraph.split("\n").filter((line) => !printed.includes(line));
    return tables.some((table) => hasTable(table, parseTableRows(paragraph))) ? [] : [paragraph];
  });
}

function splitParagraphs(text: string): string[] {
  return text.split(/\n{2,}/).map((paragraph) => paragraph.trim());
}

function hasTable([titles = [], ...rows]: string[][], [columns = [], ...shown]: string[][]): boolean {
  if (!columns.every((column) => titles.includes(column))) return false;
  const printed = rows.map((row) => columns.map((column) => row[titles.indexOf(column)]).join("|"));
  return shown.every((row) => printed.includes(row.join("|")));
}

/** The output that comments in a script promise, without white space; consecutive lines are joined. */
export function listPromisedOutput(script: string): string[] {
  const comments = script.match(/(?:^\/\/ .+\n)+/gm) ?? [];
  return comments
    .map((comment) => comment.replace(/^\/\/ /gm, "").replace(/\s/g, ""))
    .filter((text) => /^[[{\d'"]/.test(text));
}

/** Links of a page to missing files of the repository. */
export function findBrokenLinks(root: string, page: string): string[] {
  const prose = stripCode(readFileSync(join(root, page), "utf8"));
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !isResolvable(root, page, target));
}

function isResolvable(root: string, page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || listHeadings(readFileSync(file, "utf8")).includes(anchor);
}

/** The anchors of a page's headings. */
function listHeadings(markdown: string): string[] {
  return [...stripCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}
