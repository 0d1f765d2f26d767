import type { TokenCost } from "../../../../src/report/dashboard/contract.js";
import { type Axis, linearAxis } from "../axes/axis.js";
import { countTick, dollarsTick } from "../axes/ticks.js";
import { type BarRows, rowsFor } from "../bars/rows.js";
import { stacked } from "../bars/stack.js";
import { ticksAcross } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import {
  amountOf,
  factsOf,
  formatAmount,
  isBilledOtherwise,
  type PartName,
  partsOf,
  totalOf,
  type Unit,
} from "./words.js";

export interface TokenCostLayout {
  rows: BarRows;
  x: Axis;
  parts: readonly { readonly id: string; readonly name: PartName; readonly box: Box }[];
  totals: readonly { readonly system: string; readonly text: string; readonly x: number; readonly y: number }[];
  /** What was billed where the classes do not add up to it. */
  bills: readonly { readonly system: string; readonly x: number; readonly top: number; readonly bottom: number }[];
  marks: readonly Mark[];
}

/** A bar for each system, its classes one after the other. */
export function layoutTokenCosts(costs: readonly TokenCost[], unit: Unit, width: number): TokenCostLayout {
  const rows = rowsFor(
    costs.map(({ system }) => system),
    { width, band: costs.length > 12 ? 14 : 22, after: 76 },
  );
  const bills = unit === "dollars" ? costs.filter(isBilledOtherwise) : [];
  const values = [...costs.map((cost) => totalOf(cost, unit)), ...bills.map(({ costUsd }) => costUsd)];
  const x = linearAxis({
    values,
    include: [0],
    reach: [rows.left, rows.right],
    text: unit === "dollars" ? dollarsTick : countTick,
    count: ticksAcross(rows, 90),
  });
  const bars = costs.flatMap((cost, index) =>
    barOf(cost, { unit, x, top: rows.rows[index]?.top ?? 0, band: rows.rows[index]?.band ?? 0 }),
  );
  return {
    rows,
    x,
    parts: bars.map(({ id, name, box }) => ({ id, name, box })),
    totals: costs.map((cost, index) =>
      totalAt(cost, { unit, x, top: (rows.rows[index]?.top ?? 0) + (rows.rows[index]?.band ?? 0) / 2 + 4, band: 0 }),
    ),
    bills: bills.map(({ system, costUsd }) => {
      const row = rows.rows.find((candidate) => candidate.system === system);
      return {
        system,
        x: x.place(costUsd ?? 0),
        top: (row?.top ?? 0) - 2,
        bottom: (row?.top ?? 0) + (row?.band ?? 0) + 2,
      };
    }),
    marks: bars.map(({ mark }) => mark),
  };
}

interface Row {
  unit: Unit;
  x: Axis;
  top: number;
  band: number;
}

function barOf(cost: TokenCost, { unit, x, top, band }: Row) {
  if (totalOf(cost, unit) === null) return [];
  const parts = partsOf(cost, unit);
  const byName = new Map(parts.map((part) => [part.name, part]));
  return stacked(parts.map((part) => [part.name, amountOf(part, unit)] as const)).flatMap(({ name, from, to }) => {
    const part = byName.get(name);
    if (part === undefined) return [];
    const box: Box = { x: x.place(from), y: top, width: Math.max(x.place(to) - x.place(from), 0.5), height: band };
    const id = JSON.stringify([cost.system, name]);
    const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const mark: Mark = {
      id,
      series: cost.system,
      ...place,
      box,
      ...factsOf(cost, part, unit),
      picked: { system: cost.system },
    };
    return [{ id, name, box, mark }];
  });
}

function totalAt(cost: TokenCost, { unit, x, top }: Row) {
  const total = totalOf(cost, unit);
  const shownTotal = unit === "dollars" ? (cost.costUsd ?? total) : total;
  const end = Math.max(total ?? 0, unit === "dollars" ? (shownTotal ?? 0) : 0);
  const text = total === null ? "not known" : formatAmount(shownTotal, unit);
  return { system: cost.system, text, x: x.place(total === null ? 0 : end) + 6, y: top };
}
