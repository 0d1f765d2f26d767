import { replaceControlCharacters } from "./format.js";

/** The assumed width of a terminal in columns. */
export const TERMINAL_WIDTH = 100;

export interface BlockOptions {
  /** Columns of each line. */
  readonly width: number;
  /** Maximum number of lines, plus one that says how long the text is. */
  readonly maxLines: number;
  /** Show the whole text. */
  readonly isFull: boolean;
}

/**
 * Wraps a text for a terminal, at spaces where possible, without control characters, and cut with a note on its length.
 * @example
 * wrapText("one two three", { width: 8, maxLines: 9, isFull: false }); // ["one two", "three"]
 */
export function wrapText(text: string, { width, maxLines, isFull }: BlockOptions): string[] {
  // Twice the columns, because a character may take two code units; the rest would not be shown.
  const head = isFull ? text : text.slice(0, 2 * maxLines * (width + 1));
  const plain = replaceControlCharacters(head).replaceAll("\t", "  ").trimEnd();
  const lines = plain.split("\n").flatMap((line) => wrapLine(line.trimEnd(), width));
  if (isFull) return lines;
  if (lines.length <= maxLines && text.trimEnd().length <= head.length) return lines;
  return [...lines.slice(0, maxLines), `… ${text.length.toLocaleString("en")} characters in all: --full`];
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  for (let fit = countFittingUnits(rest, width); fit < rest.length; fit = countFittingUnits(rest, width)) {
    const at = findBreak(rest, fit);
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** The last space with text before it, otherwise where the line is full. */
function findBreak(text: string, fit: number): number {
  const space = text.lastIndexOf(" ", fit);
  return space > 0 && text.slice(0, space).trim() !== "" ? space : fit;
}

/** At least one character, so that wrapping ends. */
function countFittingUnits(text: string, width: number): number {
  if (text.length <= width / 2) return text.length;
  let columns = 0;
  let at = 0;
  for (const character of text) {
    columns += countColumns(character);
    if (columns > width && at > 0) return at;
    at += character.length;
  }
  return at;
}

const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Makes the character before it an emoji, which most terminals then draw two columns wide. */
const EMOJI_SELECTOR = "\ufe0f";

/** Never fewer than a terminal takes. It may be more for emoji that are joined into one, which many do not join. */
function countColumns(character: string): number {
  if (character < "\u0300" || character === EMOJI_SELECTOR) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

export function measureColumns(line: string): number {
  let columns = 0;
  for (const character of line) columns += countColumns(character);
  return columns;
}

/** The start of a line that takes no more columns than this. */
export function cutColumns(line: string, width: number): string {
  if (measureColumns(line) <= width) return line;
  return width <= 0 ? "" : line.slice(0, countFittingUnits(line, width));
}

/**
 * Puts a prefix before the first line and indents the others.
 * @example
 * indentHanging("says  ", ["one", "two"]); // ["says  one", "      two"]
 */
export function indentHanging(before: string, lines: readonly string[]): string[] {
  const indent = " ".repeat(measureColumns(before));
  const [first = "", ...others] = lines;
  return [`${before}${first}`, ...others.map((line) => `${indent}${line}`)].map((line) => line.trimEnd());
}
