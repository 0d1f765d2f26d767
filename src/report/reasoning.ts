import type { EvalRow } from "../core/index.js";
import { formatNumber, formatShare, type SystemLine } from "./format.js";
import type { TableColumn } from "./markdown.js";
import { SYSTEM_COLUMN } from "./table-columns.js";

/** The reasoning of one system. */
interface ReasoningFigures {
  readonly trials: number;
  readonly reasoning: number;
  readonly output: number;
}

export const REASONING_TEXT = "Reasoning tokens, which are part of the output: means over trials that report them.";

/** Columns with the reasoning tokens of each system; null if no row reports any. */
export function createReasoningColumns(rows: readonly EvalRow[]): TableColumn<SystemLine>[] | null {
  const figures = sumReasoning(rows);
  if (![...figures.values()].some(({ reasoning }) => reasoning > 0)) return null;
  const show = (cell: (own: ReasoningFigures) => string) => (line: SystemLine) => {
    const own = figures.get(line.system);
    return own === undefined ? "–" : cell(own);
  };
  return [
    SYSTEM_COLUMN,
    { title: "reasoning", align: "right", cell: show(({ reasoning, trials }) => formatNumber(reasoning / trials, 1)) },
    { title: "output", align: "right", cell: show(({ output, trials }) => formatNumber(output / trials, 1)) },
    {
      title: "share",
      align: "right",
      cell: show(({ reasoning, output }) => formatShare(output === 0 ? null : reasoning / output)),
    },
  ];
}

/** By system, over trials that report them. */
export function sumReasoning(rows: readonly EvalRow[]): Map<string, ReasoningFigures> {
  const sums = new Map<string, ReasoningFigures>();
  for (const { system, usage } of rows) {
    if (usage?.reasoning === undefined) continue;
    const { trials, reasoning, output } = sums.get(system) ?? { trials: 0, reasoning: 0, output: 0 };
    sums.set(system, {
      trials: trials + 1,
      reasoning: reasoning + usage.reasoning,
      output: output + usage.output,
    });
  }
  return sums;
}
