import { estimateTextWidth } from "../names.js";
import type { Tick } from "./axis.js";

/** How far texts may reach beyond the area, in pixels. */
const MAX_OVERHANG = 12;
const MIN_TICK_GAP = 6;

/** Where texts may stand: from the end of what is there already, to a little beyond the right end of the area. */
interface TickRoom {
  from: number;
  right: number;
}

/** The texts of ticks that do not run into the one before; those at an edge are moved in. */
export function selectReadableTicks(ticks: readonly Tick[], { from, right }: TickRoom): Tick[] {
  const kept: Tick[] = [];
  let end = from;
  for (const { at, text } of [...ticks].sort((a, b) => a.at - b.at)) {
    const half = estimateTextWidth(text) / 2;
    const place = Math.min(Math.max(at, half), right + MAX_OVERHANG - half);
    if (text === "" || place - half < end) continue;
    end = place + half + MIN_TICK_GAP;
    kept.push({ at: place, text });
  }
  return kept;
}
