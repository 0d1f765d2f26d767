import { diffLines, diffWordsWithSpace } from "diff";

/** A piece of two texts: in both, in A alone, or in B alone. */
export interface DiffPiece {
  readonly side: "both" | "a" | "b";
  readonly text: string;
}

export type DiffUnit = "words" | "lines";

/** Two texts that have little in common take very long to compare, and the result would help nobody. */
const DIFF_LIMITS = { timeout: 150, maxEditLength: 3000 };
/** Longer texts are cut before they are compared. */
export const MAX_COMPARED_LENGTH = 200_000;

/**
 * How two texts differ; null when they are too different to say in a moment.
 * @example
 * diffTexts("a b", "a c", "words"); // [{ side: "both", text: "a " }, { side: "a", text: "b" }, { side: "b", text: "c" }]
 */
export function diffTexts(a: string, b: string, unit: DiffUnit): DiffPiece[] | null {
  const [ofA, ofB] = [a.slice(0, MAX_COMPARED_LENGTH), b.slice(0, MAX_COMPARED_LENGTH)];
  const changes = unit === "words" ? diffWordsWithSpace(ofA, ofB, DIFF_LIMITS) : diffLines(ofA, ofB, DIFF_LIMITS);
  if (changes === undefined) return null;
  return changes.map((change) => ({ side: getDiffSide(change), text: change.value }));
}

function getDiffSide({ added, removed }: { added: boolean; removed: boolean }): DiffPiece["side"] {
  if (added) return "b";
  return removed ? "a" : "both";
}

/** A line of each side that stand next to each other; null where the other side has a line more. */
export interface DiffLinePair {
  readonly a: string | null;
  readonly b: string | null;
  readonly isSame: boolean;
}

/** Lines of a diff next to each other: what was replaced stands beside what replaced it. */
export function pairDiffLines(pieces: readonly DiffPiece[]): DiffLinePair[] {
  const pairs: DiffLinePair[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const [piece, next] = [pieces[i], pieces[i + 1]];
    if (piece === undefined) break;
    const lines = splitLines(piece.text);
    if (piece.side === "both") pairs.push(...lines.map((line) => ({ a: line, b: line, isSame: true })));
    else if (piece.side === "a" && next?.side === "b") {
      pairs.push(...pairLines(lines, splitLines(next.text)));
      i++;
    } else pairs.push(...(piece.side === "a" ? pairLines(lines, []) : pairLines([], lines)));
  }
  return pairs;
}

/** The same as lines with a leading `+`, `-` or space. */
export function listUnifiedLines(pieces: readonly DiffPiece[]): string[] {
  const signs = { both: " ", a: "-", b: "+" };
  return pieces.flatMap(({ side, text }) => splitLines(text).map((line) => `${signs[side]}${line}`));
}

function pairLines(a: readonly string[], b: readonly string[]): DiffLinePair[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => ({
    a: a[i] ?? null,
    b: b[i] ?? null,
    isSame: false,
  }));
}

function splitLines(text: string): string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
