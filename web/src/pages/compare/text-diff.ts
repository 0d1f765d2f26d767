import { diffLines, diffWordsWithSpace } from "diff";

/** A piece of two texts: in both, in A alone, or in B alone. */
export interface DiffPiece {
  readonly side: "both" | "a" | "b";
  readonly text: string;
}

export type DiffUnit = "words" | "lines";

/** Two texts that have little in common take very long to compare, and the result would help nobody. */
const LIMITS = { timeout: 150, maxEditLength: 3000 };
/** Longer texts are cut before they are compared. */
export const LONGEST_COMPARED = 200_000;

/**
 * How two texts differ; null when they are too different to say in a moment.
 * @example
 * textDiff("a b", "a c", "words"); // [{ side: "both", text: "a " }, { side: "a", text: "b" }, { side: "b", text: "c" }]
 */
export function textDiff(a: string, b: string, unit: DiffUnit): DiffPiece[] | null {
  const [ofA, ofB] = [a.slice(0, LONGEST_COMPARED), b.slice(0, LONGEST_COMPARED)];
  const changes = unit === "words" ? diffWordsWithSpace(ofA, ofB, LIMITS) : diffLines(ofA, ofB, LIMITS);
  if (changes === undefined) return null;
  return changes.map((change) => ({ side: sideOf(change), text: change.value }));
}

function sideOf({ added, removed }: { added: boolean; removed: boolean }): DiffPiece["side"] {
  if (added) return "b";
  return removed ? "a" : "both";
}

/** A line of each side that stand next to each other; null where the other side has a line more. */
export interface SidePair {
  readonly a: string | null;
  readonly b: string | null;
  readonly isSame: boolean;
}

/** Lines of a diff next to each other: what was replaced stands beside what replaced it. */
export function sideBySide(pieces: readonly DiffPiece[]): SidePair[] {
  const pairs: SidePair[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const [piece, next] = [pieces[i], pieces[i + 1]];
    if (piece === undefined) break;
    const lines = linesOf(piece.text);
    if (piece.side === "both") pairs.push(...lines.map((line) => ({ a: line, b: line, isSame: true })));
    else if (piece.side === "a" && next?.side === "b") {
      pairs.push(...beside(lines, linesOf(next.text)));
      i++;
    } else pairs.push(...(piece.side === "a" ? beside(lines, []) : beside([], lines)));
  }
  return pairs;
}

/** The same as lines with a leading `+`, `-` or space. */
export function unifiedLines(pieces: readonly DiffPiece[]): string[] {
  const signs = { both: " ", a: "-", b: "+" };
  return pieces.flatMap(({ side, text }) => linesOf(text).map((line) => `${signs[side]}${line}`));
}

function beside(a: readonly string[], b: readonly string[]): SidePair[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => ({
    a: a[i] ?? null,
    b: b[i] ?? null,
    isSame: false,
  }));
}

function linesOf(text: string): string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
