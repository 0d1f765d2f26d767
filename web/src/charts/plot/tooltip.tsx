import type { Mark } from "./mark.js";

interface TooltipProps {
  id: string;
  mark: Mark;
  width: number;
  height: number;
  canPick: boolean;
}

const TOOLTIP_GAP = 14;
const MAX_TOOLTIP_WIDTH = 320;

/** What is known of a mark, beside it, towards the side that has more room. */
export function Tooltip({ id, mark, width, height, canPick }: TooltipProps) {
  return (
    <div class="tooltip" role="tooltip" id={id} style={computeTooltipStyle(mark, width, height)}>
      <strong dir="auto">{mark.title}</strong>
      <dl>
        {mark.facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {canPick && mark.selection !== undefined && <p>Click or press Enter for the rows behind it.</p>}
    </div>
  );
}

function computeTooltipStyle({ x, y }: Mark, width: number, height: number) {
  const isLeft = x > width / 2;
  const room = (isLeft ? x : width - x) - TOOLTIP_GAP;
  return {
    maxWidth: `${Math.round(Math.min(Math.max(room, 150), MAX_TOOLTIP_WIDTH))}px`,
    ...(isLeft ? { right: `${Math.round(width - x + TOOLTIP_GAP)}px` } : { left: `${Math.round(x + TOOLTIP_GAP)}px` }),
    ...(y > height / 2
      ? { bottom: `${Math.round(height - y + TOOLTIP_GAP)}px` }
      : { top: `${Math.round(y + TOOLTIP_GAP)}px` }),
  };
}
