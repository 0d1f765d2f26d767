import { widthOf } from "../names.js";
import type { Tick } from "./axis.js";

/** How far texts may reach beyond the area, in pixels. */
const EDGE = 12;
const GAP = 6;

/** Where texts may stand: from the end of what is there already, to a little beyond the right end of the area. */
interface Room {
  from: number;
  right: number;
}

/** The texts of ticks that do not run into the one before; those at an edge are moved in. */
export function readable(ticks: readonly Tick[], { from, right }: Room): Tick[] {
  const kept: Tick[] = [];
  let end = from;
  for (const { at, text } of [...ticks].sort((a, b) => a.at - b.at)) {
    const half = widthOf(text) / 2;
    const place = Math.min(Math.max(at, half), right + EDGE - half);
    if (text === "" || place - half < end) continue;
    end = place + half + GAP;
    kept.push({ at: place, text });
  }
  return kept;
}
