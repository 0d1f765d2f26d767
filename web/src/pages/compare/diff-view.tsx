import { diffLines, diffWordsWithSpace } from "diff";
import { useMemo } from "preact/hooks";
import { DiffLines, formatCount, RevealedText, Scrollable, TextBlocks } from "../../ui/index.js";

interface DiffViewProps {
  a: string;
  b: string;
  unit: DiffUnit;
  isSideBySide: boolean;
}

/** The difference of two outputs, or both outputs where they differ too much. */
export function DiffView({ a, b, unit, isSideBySide }: DiffViewProps) {
  const pieces = useMemo(() => diffTexts(a, b, unit), [a, b, unit]);
  const longest = Math.max(a.length, b.length);
  return (
    <>
      {longest > MAX_COMPARED_LENGTH && (
        <p class="quiet">The first {formatCount(MAX_COMPARED_LENGTH)} characters of each are compared.</p>
      )}
      {pieces === null ? (
        <BothTexts a={a} b={b} />
      ) : (
        <DiffPieces pieces={pieces} unit={unit} isSideBySide={isSideBySide} />
      )}
    </>
  );
}

function BothTexts({ a, b }: { a: string; b: string }) {
  return (
    <>
      <p class="quiet">The outputs differ too much to mark each change.</p>
      <div class="diff-sides">
        <TextBlocks label="A" text={a} isWrapped />
        <TextBlocks label="B" text={b} isWrapped />
      </div>
    </>
  );
}

function DiffPieces({ pieces, unit, isSideBySide }: { pieces: readonly DiffPiece[] } & Omit<DiffViewProps, "a" | "b">) {
  if (pieces.every(({ side }) => side === "both")) return <p class="quiet">The outputs are identical.</p>;
  if (unit === "lines")
    return isSideBySide ? (
      <LinePairs pieces={pieces} />
    ) : (
      <DiffLines label="Both outputs" lines={listUnifiedLines(pieces)} />
    );
  if (!isSideBySide) return <WordDiff label="Both outputs" pieces={pieces} />;
  return (
    <div class="diff-sides">
      <WordDiff label="A" pieces={pieces.filter(({ side }) => side !== "b")} />
      <WordDiff label="B" pieces={pieces.filter(({ side }) => side !== "a")} />
    </div>
  );
}

function WordDiff({ label, pieces }: { label: string; pieces: readonly DiffPiece[] }) {
  return (
    <Scrollable class="diff-words" label={label}>
      {pieces.map(({ side, text }, place) => {
        const Tag = side === "both" ? "span" : side === "a" ? "del" : "ins";
        return (
          <Tag key={place}>
            <RevealedText text={text} />
          </Tag>
        );
      })}
    </Scrollable>
  );
}

const MAX_LINE_PAIRS = 2000;

function LinePairs({ pieces }: { pieces: readonly DiffPiece[] }) {
  const pairs = useMemo(() => pairDiffLines(pieces), [pieces]);
  return (
    <>
      <Scrollable class="diff-pairs" label="A and B line by line">
        {pairs.slice(0, MAX_LINE_PAIRS).map((pair, place) => (
          <LinePair key={place} pair={pair} />
        ))}
      </Scrollable>
      {pairs.length > MAX_LINE_PAIRS && (
        <p class="quiet">and {formatCount(pairs.length - MAX_LINE_PAIRS)} lines more: see them one below the other.</p>
      )}
    </>
  );
}

function LinePair({ pair: { a, b, isSame } }: { pair: DiffLinePair }) {
  return (
    <>
      <div class={`diff-line${isSame || a === null ? "" : " diff-removed"}`}>
        <LineText line={a} sign={isSame ? " " : "-"} />
      </div>
      <div class={`diff-line${isSame || b === null ? "" : " diff-added"}`}>
        <LineText line={b} sign={isSame ? " " : "+"} />
      </div>
    </>
  );
}

function LineText({ line, sign }: { line: string | null; sign: string }) {
  return line === null ? null : <RevealedText text={`${sign}${line}`} />;
}

interface DiffPiece {
  readonly side: "both" | "a" | "b";
  readonly text: string;
}

type DiffUnit = "words" | "lines";

/** Texts with little in common take very long to compare, for a useless result. */
const DIFF_LIMITS = { timeout: 150, maxEditLength: 3000 };
/** Longer texts are truncated before they are compared. */
const MAX_COMPARED_LENGTH = 200_000;

/**
 * The difference of two texts; null when they differ too much to compare quickly.
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

/** Lines next to each other; null where the other side has an additional line. */
interface DiffLinePair {
  readonly a: string | null;
  readonly b: string | null;
  readonly isSame: boolean;
}

/** Removed lines are next to the lines that replaced them. */
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

/** Lines with a leading `+`, `-` or space. */
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
