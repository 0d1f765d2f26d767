import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { orderOfRound } from "./order.js";
import { isPlanned, type Plan, rowIndex, type TrialPlace } from "./plan.js";
import type { Wiring } from "./wiring.js";

/** One planned trial, ready to run. */
export interface Trial {
  readonly index: number;
  readonly system: System;
  readonly systemIndex: number;
  readonly example: Example;
  readonly exampleIndex: number;
  readonly trial: number;
  readonly wiring: Wiring;
}

/**
 * The planned trials of some systems in the order they are admitted: every task once before any task twice, each round in a seeded
 * shuffle, so that a run stopped half-way is still a balanced sample. Examples of one group stand together in each round.
 * Workers share one such sequence; an aborted signal ends it.
 */
export function* admissions(
  plan: Plan,
  systems: readonly number[],
  { isDone, signal }: { isDone: (index: number) => boolean; signal: AbortSignal },
): Generator<Trial, void> {
  for (let trial = 0; trial < plan.trials; trial++) {
    for (const pair of orderOfRound(plan, systems.length, trial)) {
      if (signal.aborted) return;
      const systemIndex = systems[pair % systems.length] ?? 0;
      const admitted = trialOf(plan, { systemIndex, exampleIndex: Math.floor(pair / systems.length), trial });
      if (admitted !== null && !isDone(admitted.index)) yield admitted;
    }
  }
}

/** The trial that stands at a place of the result; null when the plan has none there. */
export function trialAt(plan: Plan, index: number): Trial | null {
  const pair = Math.floor(index / plan.trials);
  const exampleIndex = pair % plan.examples.length;
  const systemIndex = Math.floor(pair / plan.examples.length);
  return trialOf(plan, { systemIndex, exampleIndex, trial: index % plan.trials });
}

function trialOf(plan: Plan, place: TrialPlace): Trial | null {
  const { systemIndex, exampleIndex, trial } = place;
  const system = plan.systems[systemIndex];
  const example = plan.examples[exampleIndex];
  const wiring = plan.wirings[plan.wiringOf[exampleIndex] ?? 0];
  if (system === undefined || example == null || wiring === undefined || !isPlanned(plan, place)) return null;
  const index = rowIndex(plan, systemIndex, exampleIndex, trial);
  return { index, system, systemIndex, example, exampleIndex, trial, wiring };
}
