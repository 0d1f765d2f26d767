import { EXIT, type RunVerdict } from "../core/index.js";
import { createLayout, type Layout } from "./layout.js";
import { type TableColumn, toOneLine } from "./markdown.js";

/**
 * Names and messages come from files, programs and models: in a pull request they must be text, not markup, links or
 * mentions. A bar after a backslash would still end a cell, so signs are written as character references.
 */
export function escapeMarkdown(text: string): string {
  return toOneLine(text)
    .replace(/(?:@|#|www\.|\bGH-)(?=\w)|:(?=\/\/)/gi, (sign) => `${sign}\u200b`)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[`|~*]|\$(?!\d)|^#/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/\](?=[([:])/g, "&#93;");
}

const MARKDOWN = createLayout();

/** Draws Markdown in which every text is text. */
export const COMMENT_LAYOUT: Layout = {
  heading: (text, level) => MARKDOWN.heading(escapeMarkdown(text), level),
  text: escapeMarkdown,
  bullets: (lines) => MARKDOWN.bullets(lines.map(escapeMarkdown)),
  command: (label, command) => MARKDOWN.command(label, escapeMarkdown(command)),
  table: <T>(columns: readonly TableColumn<T>[], items: readonly T[]) =>
    MARKDOWN.table(
      columns.map((column) => ({ ...column, cell: (item: T) => escapeMarkdown(column.cell(item)) })),
      items,
    ),
};

/**
 * The first line of a comment, by which a later run finds and updates it. Invisible when rendered.
 * @example
 * formatCommentMarker("needle: 5 systems"); // "<!-- assay:needle%3A 5 systems -->"
 */
export function formatCommentMarker(title: string): string {
  // A lone surrogate cannot be encoded.
  const text = Buffer.from(toOneLine(title)).toString();
  return `<!-- assay:${encodeURIComponent(text).replaceAll("%20", " ")} -->`;
}

/** `### ✅ title: all gates passed`. Green only if gates were passed, and red exactly if the exit code is not 0. */
export function formatHeadline(title: string, { exitCode, words }: RunVerdict, gates: number): string {
  const sign = exitCode !== EXIT.fine ? "❌" : gates === 0 ? "⚪" : "✅";
  return `### ${sign} ${escapeMarkdown(title)}: ${escapeMarkdown(words)}`;
}

/** GitHub rejects longer comments. */
const MAX_COMMENT_CHARS = 65_536;

/** Shortens Markdown at the end of a line, and says so. */
export function cutComment(text: string, most = MAX_COMMENT_CHARS): string {
  if (text.length <= most) return text;
  const notice = "\n\n**This report was cut because it is too long.** The whole report is stored with the run.\n";
  // Room for the ends of folded sections.
  const head = text.slice(0, most - notice.length - 100);
  const kept = head.slice(0, Math.max(0, head.lastIndexOf("\n")));
  const open = kept.split("<details>").length - kept.split("</details>").length;
  return `${kept}${"\n\n</details>".repeat(Math.max(0, Math.min(open, 5)))}${notice}`;
}
