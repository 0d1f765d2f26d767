import { ARIA_HIDDEN } from "../plot/unheard.js";
import type { BarRows } from "./rows.js";

/** The names of the rows. */
export function BarNames({ rows: { rows, left } }: { rows: BarRows }) {
  return (
    <g class="names" {...ARIA_HIDDEN}>
      {rows.map(({ system, name, nameX, nameY }) => (
        <text key={system} x={nameX} y={nameY} text-anchor={nameX < left ? "end" : "start"}>
          {name}
        </text>
      ))}
    </g>
  );
}
