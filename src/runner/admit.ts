import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";
import { type Plan, rowIndex } from "./plan.js";
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
 * The planned trials in the order they are admitted: every task once before any task twice, each round in a seeded
 * shuffle, so that a run stopped half-way is still a balanced sample. Workers share one such sequence; an aborted
 * signal ends it.
 */
export function* admissions(
  plan: Plan,
  isDone: (index: number) => boolean,
  signal: AbortSignal,
): Generator<Trial, void> {
  const pairs = plan.systems.length * plan.examples.length;
  for (let trial = 0; trial < plan.trials; trial++) {
    const order = permutation(pairs, createRandom(hashSeed(plan.seed, "order", trial)));
    for (const pair of order) {
      if (signal.aborted) return;
      const admitted = trialOf(plan, pair, trial);
      if (admitted !== null && !isDone(admitted.index)) yield admitted;
    }
  }
}

function trialOf(plan: Plan, pair: number, trial: number): Trial | null {
  const exampleIndex = Math.floor(pair / plan.systems.length);
  const systemIndex = pair % plan.systems.length;
  const system = plan.systems[systemIndex];
  const example = plan.examples[exampleIndex];
  const wiring = plan.wirings[plan.wiringOf[exampleIndex] ?? 0];
  if (system === undefined || example == null || wiring === undefined) return null;
  const index = rowIndex(plan, systemIndex, exampleIndex, trial);
  return { index, system, systemIndex, example, exampleIndex, trial, wiring };
}
