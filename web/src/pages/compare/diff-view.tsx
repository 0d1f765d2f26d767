import { useMemo } from "preact/hooks";
import { formatCount } from "../../ui/index.js";
import { Scrollable } from "../trial/text/scrollable.js";
import { TextBlocks } from "../trial/text/text-view.js";
import { RevealedText } from "../trial/text/visible.js";
import { DiffLines } from "../trial/timeline/diff-lines.js";
import {
  type DiffLinePair,
  type DiffPiece,
  type DiffUnit,
  diffTexts,
  listUnifiedLines,
  MAX_COMPARED_LENGTH,
  pairDiffLines,
} from "./text-diff.js";

interface DiffViewProps {
  a: string;
  b: string;
  unit: DiffUnit;
  isSideBySide: boolean;
}

/** How two outputs differ; both as they are where they are too different. */
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
      <p class="quiet">They differ too much to be compared piece by piece.</p>
      <div class="diff-sides">
        <TextBlocks label="A" text={a} isWrapped />
        <TextBlocks label="B" text={b} isWrapped />
      </div>
    </>
  );
}

function DiffPieces({ pieces, unit, isSideBySide }: { pieces: readonly DiffPiece[] } & Omit<DiffViewProps, "a" | "b">) {
  if (pieces.every(({ side }) => side === "both")) return <p class="quiet">They are the same.</p>;
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
