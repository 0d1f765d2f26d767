import type { TargetedKeyboardEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  groupRequests,
  type RequestBlock,
  type TimelineEntry,
  type TurnBlock,
} from "../../../../src/report/dashboard/steps.js";
import { formatCount, formatDollars, formatPlural, formatShare, revealLine } from "../../ui/index.js";

const ROW_HEIGHT = 24;
const ROW_GAP = 2;
/** Narrower blocks have no room for a letter. */
const MIN_LABEL_SHARE = 0.025;

interface FlameGraphProps {
  entries: readonly TimelineEntry[];
  onPick: (place: number) => void;
}

/** What each model request cost, in order: wider means more expensive. A pick leads to its step. */
export function FlameGraph({ entries, onPick }: FlameGraphProps) {
  const flame = useMemo(() => layOutFlame(groupRequests(entries)), [entries]);
  const [current, setCurrent] = useState(0);
  const [isUsed, setUsed] = useState(false);
  if (flame === null) return null;
  const { blocks, unit, total, hasTurns } = flame;
  const format = unit === "usd" ? formatDollars : (value: number) => `${formatCount(value)} tokens`;
  const move = (event: TargetedKeyboardEvent<SVGGElement>, index: number) => {
    if (event.key === "Enter" || event.key === " ") onPick(blocks[index]?.place ?? 0);
    const next = findNextBlock(event.key, index, blocks.length);
    if (next !== null) focusBlock(event.currentTarget.ownerSVGElement, next);
    if (next !== null || event.key === " ") event.preventDefault();
  };
  const shown = isUsed ? blocks[Math.min(current, blocks.length - 1)] : undefined;
  return (
    <figure class="flame">
      <figcaption>
        {unit === "usd" ? "Cost" : "Tokens"} by step: <b>{format(total)}</b> in{" "}
        {formatPlural(blocks.filter(({ depth }) => depth === 1).length, "model request")}
        {blocks.some(({ isAfterPass }) => isAfterPass) && ", striped after the first passing state"}
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG group has no element of its own. */}
      <svg
        role="group"
        aria-label={`${unit === "usd" ? "Cost" : "Tokens"} by step. Arrow keys move, Enter goes to the step.`}
        height={(hasTurns ? 2 : 1) * (ROW_HEIGHT + ROW_GAP)}
        onMouseLeave={() => setUsed(false)}
      >
        <defs>
          <pattern id="flame-after" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="flame-stripe" width="2" height="6" />
          </pattern>
        </defs>
        {blocks.map((block, index) => (
          // biome-ignore lint/a11y/useSemanticElements: a button cannot be inside of an SVG.
          <g
            key={index}
            role="button"
            data-block={index}
            class={`flame-block flame-${block.depth}`}
            tabIndex={index === Math.min(current, blocks.length - 1) ? 0 : -1}
            aria-label={describeBlock(block, total, format)}
            onClick={() => onPick(block.place)}
            onKeyDown={(event) => move(event, index)}
            onFocus={() => {
              setCurrent(index);
              setUsed(true);
            }}
            onMouseEnter={() => {
              setCurrent(index);
              setUsed(true);
            }}
          >
            <FlameRect block={block} hasTurns={hasTurns} />
          </g>
        ))}
      </svg>
      <p class="flame-readout quiet" aria-hidden="true">
        {shown === undefined
          ? "Hover over a block to see its cost; click to go to its step."
          : describeBlock(shown, total, format)}
      </p>
    </figure>
  );
}

function FlameRect({ block, hasTurns }: { block: FlameBlock; hasTurns: boolean }) {
  const y = block.depth === 0 || !hasTurns ? 0 : ROW_HEIGHT + ROW_GAP;
  const area = { x: `${block.start * 100}%`, width: `${block.share * 100}%`, y, height: ROW_HEIGHT };
  return (
    <>
      <rect {...area} class="flame-area" />
      {block.isAfterPass && <rect {...area} fill="url(#flame-after)" class="flame-after" />}
      {block.share >= MIN_LABEL_SHARE && (
        <svg {...area} aria-hidden="true">
          <text x="4" y={ROW_HEIGHT / 2} dominant-baseline="central">
            {revealLine(block.name)}
          </text>
        </svg>
      )}
    </>
  );
}

function describeBlock({ name, value, share }: FlameBlock, total: number, format: (value: number) => string): string {
  const part = total > 0 && share < 1 ? ` (${formatShare(value / total)})` : "";
  return `${revealLine(name)}: ${format(value)}${part}`;
}

function findNextBlock(key: string, index: number, count: number): number | null {
  if (key === "ArrowRight" || key === "ArrowDown") return Math.min(count - 1, index + 1);
  if (key === "ArrowLeft" || key === "ArrowUp") return Math.max(0, index - 1);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

function focusBlock(svg: SVGSVGElement | null, index: number): void {
  svg?.querySelector<SVGGElement>(`[data-block="${index}"]`)?.focus();
}

interface FlameBlock {
  readonly name: string;
  readonly place: number;
  /** 0 for turns, 1 for requests. */
  readonly depth: 0 | 1;
  readonly value: number;
  /** From 0 to 1 of the width. */
  readonly start: number;
  readonly share: number;
  readonly isAfterPass: boolean;
}

interface Flame {
  readonly blocks: readonly FlameBlock[];
  readonly unit: "usd" | "tokens";
  readonly total: number;
  readonly hasTurns: boolean;
}

/**
 * Lays out requests side by side below their turns, as wide as their cost; by tokens unless every request has a cost.
 * Null with fewer than two requests, of which there would be nothing to compare.
 */
export function layOutFlame(turns: readonly TurnBlock[]): Flame | null {
  const requests = turns.flatMap((turn) => turn.requests);
  const isPriced = requests.every(({ costUsd }) => costUsd !== null) && requests.some(({ costUsd }) => costUsd !== 0);
  const getValue = ({ costUsd, tokens }: RequestBlock) => Math.max(0, (isPriced ? costUsd : tokens) ?? 0);
  const total = requests.reduce((sum, request) => sum + getValue(request), 0);
  if (requests.length < 2 || total <= 0) return null;
  const hasTurns = turns.some(({ name }) => name !== "");
  let at = 0;
  const blocks = turns.flatMap(({ name, place, requests: own }): FlameBlock[] => {
    const turnStart = at / total;
    const below = own.map((request): FlameBlock => {
      const value = getValue(request);
      const block = { ...request, depth: 1 as const, value, start: at / total, share: value / total };
      at += value;
      return block;
    });
    const value = below.reduce((sum, block) => sum + block.value, 0);
    const isAfterPass = below.every((block) => block.isAfterPass);
    const turn = { name, place, depth: 0 as const, value, start: turnStart, share: value / total, isAfterPass };
    return hasTurns ? [turn, ...below] : below;
  });
  return { blocks, unit: isPriced ? "usd" : "tokens", total, hasTurns };
}
