import { type Fields, fieldsOf } from "../../models/dialects/fields.js";
import type { AgentFigures } from "../adapter.js";
import { countOf } from "../own-figures.js";

export const NO_FIGURES: AgentFigures = { usage: null, costUsd: null, isPartial: false };

/** Requests that failed are not in the figures of a run that `isBroken`. Input includes what was cached; what is neither input nor output of the total is thinking, billed as output. */
export function figuresOf(stats: Fields | null, isBroken: boolean): AgentFigures {
  if (stats === null) return NO_FIGURES;
  const prompt = countOf(stats.input_tokens);
  const said = countOf(stats.output_tokens);
  const cacheRead = Math.min(countOf(stats.cached), prompt);
  const reasoning = Math.max(0, countOf(stats.total_tokens) - prompt - said);
  const usage = { input: prompt - cacheRead, output: said + reasoning, cacheRead, reasoning };
  return { usage, costUsd: null, isPartial: isBroken };
}

/** The model that did it all; null when there were several, or none. */
export function onlyModel(stats: Fields | null): string | null {
  const models = Object.keys(fieldsOf(stats?.models) ?? {});
  return models.length === 1 ? (models[0] ?? null) : null;
}
