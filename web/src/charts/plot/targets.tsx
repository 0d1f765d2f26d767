import { useMemo } from "preact/hooks";
import { describeMark, type Mark } from "./mark.js";

interface MarkTargetsProps {
  marks: readonly Mark[];
  /** The one that the tab key leads to. */
  current: number;
  canPick: boolean;
  tipId: string;
  /** The id of the mark whose tooltip is open. */
  shown: string | null;
}

/** What is focused and heard in place of the marks; invisible but for a ring, and no part of a downloaded picture. */
export function MarkTargets({ marks, current, canPick, tipId, shown }: MarkTargetsProps) {
  const targets = useMemo(
    () =>
      marks.map((mark, index) => (
        <g
          key={mark.id}
          class={mark.id === shown ? "target shown" : "target"}
          data-mark={index}
          tabindex={index === current ? 0 : -1}
          role={canPick && mark.selection !== undefined ? "button" : "img"}
          aria-label={describeMark(mark)}
          aria-describedby={mark.id === shown ? tipId : undefined}
        >
          <FocusRing mark={mark} />
        </g>
      )),
    [marks, current, canPick, tipId, shown],
  );
  return <g class="targets">{targets}</g>;
}

function FocusRing({ mark: { x, y, box } }: { mark: Mark }) {
  if (box === undefined) return <circle cx={x} cy={y} r={11} />;
  return <rect x={box.x} y={box.y} width={Math.max(box.width, 1)} height={Math.max(box.height, 1)} rx={2} />;
}
