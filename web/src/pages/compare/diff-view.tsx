import { useMemo } from "preact/hooks";
import { formatCount } from "../../ui/index.js";
import { Scrollable } from "../trial/text/scrollable.js";
import { TextBlocks } from "../trial/text/text-view.js";
import { Visible } from "../trial/text/visible.js";
import { DiffLines } from "../trial/timeline/diff-lines.js";
import {
  type DiffPiece,
  type DiffUnit,
  LONGEST_COMPARED,
  type SidePair,
  sideBySide,
  textDiff,
  unifiedLines,
} from "./text-diff.js";

interface DiffViewProps {
  a: string;
  b: string;
  unit: DiffUnit;
  isSideBySide: boolean;
}

/** How two outputs differ; both as they are where they are too different. */
export function DiffView({ a, b, unit, isSideBySide }: DiffViewProps) {
  const pieces = useMemo(() => textDiff(a, b, unit), [a, b, unit]);
  const longest = Math.max(a.length, b.length);
  return (
    <>
      {longest > LONGEST_COMPARED && (
        <p class="quiet">The first {formatCount(LONGEST_COMPARED)} characters of each are compared.</p>
      )}
      {pieces === null ? <Both a={a} b={b} /> : <Pieces pieces={pieces} unit={unit} isSideBySide={isSideBySide} />}
    </>
  );
}

function Both({ a, b }: { a: string; b: string }) {
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

function Pieces({ pieces, unit, isSideBySide }: { pieces: readonly DiffPiece[] } & Omit<DiffViewProps, "a" | "b">) {
  if (pieces.every(({ side }) => side === "both")) return <p class="quiet">They are the same.</p>;
  if (unit === "lines")
    return isSideBySide ? (
      <LinePairs pieces={pieces} />
    ) : (
      <DiffLines label="Both outputs" lines={unifiedLines(pieces)} />
    );
  if (!isSideBySide) return <Words label="Both outputs" pieces={pieces} />;
  return (
    <div class="diff-sides">
      <Words label="A" pieces={pieces.filter(({ side }) => side !== "b")} />
      <Words label="B" pieces={pieces.filter(({ side }) => side !== "a")} />
    </div>
  );
}

function Words({ label, pieces }: { label: string; pieces: readonly DiffPiece[] }) {
  return (
    <Scrollable class="diff-words" label={label}>
      {pieces.map(({ side, text }, place) => {
        const Tag = side === "both" ? "span" : side === "a" ? "del" : "ins";
        return (
          <Tag key={place}>
            <Visible text={text} />
          </Tag>
        );
      })}
    </Scrollable>
  );
}

const PAIRS_SHOWN = 2000;

function LinePairs({ pieces }: { pieces: readonly DiffPiece[] }) {
  const pairs = useMemo(() => sideBySide(pieces), [pieces]);
  return (
    <>
      <Scrollable class="diff-pairs" label="A and B line by line">
        {pairs.slice(0, PAIRS_SHOWN).map((pair, place) => (
          <LinePair key={place} pair={pair} />
        ))}
      </Scrollable>
      {pairs.length > PAIRS_SHOWN && (
        <p class="quiet">and {formatCount(pairs.length - PAIRS_SHOWN)} lines more: see them one below the other.</p>
      )}
    </>
  );
}

function LinePair({ pair: { a, b, isSame } }: { pair: SidePair }) {
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
  return line === null ? null : <Visible text={`${sign}${line}`} />;
}
