import { OUTCOMES } from "../../core/row.js";
import { CARD_FIGURES, type CardFigure, type RunCard, type SystemCard } from "./contract.js";

/** Creates a system card for tests: the given figures, all others not measured. */
export function createSystemCard(
  system: string,
  figures: Partial<Record<CardFigure, number>> = {},
  other: Partial<SystemCard> = {},
): SystemCard {
  const none = Object.fromEntries(CARD_FIGURES.map((figure) => [figure, null])) as Record<CardFigure, null>;
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as SystemCard["outcomes"];
  return {
    system,
    harness: null,
    model: null,
    figures: { ...none, ...figures },
    k: 1,
    outcomes: { ...outcomes, pass: 5, fail: 5 },
    categories: {},
    costUsd: null,
    ...other,
  };
}

/** Creates a finished run on one dataset, for tests. */
export function createRunCard(id: string, known: Partial<RunCard> = {}): RunCard {
  return {
    id,
    title: `Run ${id}`,
    createdAt: "2026-11-01T12:00:00Z",
    status: "complete",
    command: "run",
    planned: 10,
    done: 10,
    datasets: [{ name: "qa", examples: 10, fingerprint: "f1" }],
    tags: [],
    runTags: [],
    systems: [],
    costUsd: null,
    unpricedSystems: 0,
    wallSeconds: null,
    threshold: 0.7,
    parent: null,
    problem: null,
    ...known,
  };
}
