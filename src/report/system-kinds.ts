import type { EvalRow, Summary } from "../core/index.js";
import { listAgentSystems } from "../core/index.js";
import { getMeasured, type SystemKind } from "./format.js";

/** A system whose outputs are longer than this many times its inputs answers; it does not compress. */
const MAX_EXPANSION = 2;

/** True if tokens in and out say something about the system. */
export function sendsTokensOn(kind: SystemKind = "compressor"): boolean {
  return kind === "compressor" || kind === "memory";
}

/** Agents name themselves in their rows, models report usage, and memories measure what they retrieve. */
export function findSystemKinds(
  rows: readonly EvalRow[],
  summary: Readonly<Record<string, Summary>>,
): Map<string, SystemKind> {
  const agents = listAgentSystems(rows);
  const models = new Set<string>();
  for (let i = 0; i < rows.length; i++) {
    const { system, usage } = rows[i] as EvalRow;
    if (usage !== null) models.add(system);
  }
  return new Map(
    Object.entries(summary).map(([system, own]) => {
      if (agents.has(system)) return [system, "agent"];
      if (Object.hasOwn(own, "mean_context_tokens")) return [system, "memory"];
      if (models.has(system)) return [system, "model"];
      return [system, (getMeasured(own, "compression_ratio") ?? 0) < 1 - MAX_EXPANSION ? "other" : "compressor"];
    }),
  );
}
