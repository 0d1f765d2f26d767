import type { TokenCost } from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLinearAxis } from "../axes/axis.js";
import { formatCountTick, formatDollarTick } from "../axes/ticks.js";
import { type BarRows, computeBarRows } from "../bars/rows.js";
import { stackParts } from "../bars/stack.js";
import { computeTickCount } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import {
  type CostPartName,
  type CostUnit,
  computeTotal,
  describeCostPart,
  formatAmount,
  getAmount,
  isBilledLess,
  listCostParts,
} from "./words.js";

export interface TokenCostLayout {
  rows: BarRows;
  x: Axis;
  parts: readonly { readonly id: string; readonly name: CostPartName; readonly box: Box }[];
  totals: readonly { readonly system: string; readonly text: string; readonly x: number; readonly y: number }[];
  /** What was billed where the classes do not add up to it. */
  bills: readonly { readonly system: string; readonly x: number; readonly top: number; readonly bottom: number }[];
  marks: readonly Mark[];
}

/** A bar for each system, its classes one after the other. */
export function computeTokenCostLayout(costs: readonly TokenCost[], unit: CostUnit, width: number): TokenCostLayout {
  const rows = computeBarRows(
    costs.map(({ system }) => system),
    { width, band: costs.length > 12 ? 14 : 22, after: 76 },
  );
  const bills = unit === "dollars" ? costs.filter(isBilledLess) : [];
  const values = [...costs.map((cost) => computeTotal(cost, unit)), ...bills.map(({ costUsd }) => costUsd)];
  const x = createLinearAxis({
    values,
    include: [0],
    range: [rows.left, rows.right],
    text: unit === "dollars" ? formatDollarTick : formatCountTick,
    count: computeTickCount(rows, 90),
  });
  const bars = costs.flatMap((cost, index) =>
    placeCostParts(cost, { unit, x, top: rows.rows[index]?.top ?? 0, band: rows.rows[index]?.band ?? 0 }),
  );
  return {
    rows,
    x,
    parts: bars.map(({ id, name, box }) => ({ id, name, box })),
    totals: costs.map((cost, index) =>
      placeTotal(cost, { unit, x, top: (rows.rows[index]?.top ?? 0) + (rows.rows[index]?.band ?? 0) / 2 + 4, band: 0 }),
    ),
    bills: bills.map(({ system, costUsd }) => {
      const row = rows.rows.find((candidate) => candidate.system === system);
      return {
        system,
        x: x.toPixel(costUsd ?? 0),
        top: (row?.top ?? 0) - 2,
        bottom: (row?.top ?? 0) + (row?.band ?? 0) + 2,
      };
    }),
    marks: bars.map(({ mark }) => mark),
  };
}

interface TokenCostRow {
  unit: CostUnit;
  x: Axis;
  top: number;
  band: number;
}

function placeCostParts(cost: TokenCost, { unit, x, top, band }: TokenCostRow) {
  if (computeTotal(cost, unit) === null) return [];
  const parts = listCostParts(cost, unit);
  const byName = new Map(parts.map((part) => [part.name, part]));
  return stackParts(parts.map((part) => [part.name, getAmount(part, unit)] as const)).flatMap(({ name, from, to }) => {
    const part = byName.get(name);
    if (part === undefined) return [];
    const box: Box = {
      x: x.toPixel(from),
      y: top,
      width: Math.max(x.toPixel(to) - x.toPixel(from), 0.5),
      height: band,
    };
    const id = JSON.stringify([cost.system, name]);
    const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const mark: Mark = {
      id,
      series: cost.system,
      ...place,
      box,
      ...describeCostPart(cost, part, unit),
      selection: { system: cost.system },
    };
    return [{ id, name, box, mark }];
  });
}

function placeTotal(cost: TokenCost, { unit, x, top }: TokenCostRow) {
  const total = computeTotal(cost, unit);
  const shownTotal = unit === "dollars" ? (cost.costUsd ?? total) : total;
  const end = Math.max(total ?? 0, unit === "dollars" ? (shownTotal ?? 0) : 0);
  const text = total === null ? "not known" : formatAmount(shownTotal, unit);
  return { system: cost.system, text, x: x.toPixel(total === null ? 0 : end) + 6, y: top };
}
