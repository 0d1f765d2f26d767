import type { Example, System } from "../core/index.js";
import type { DatasetPlan } from "./dataset-plan.js";
import { EndpointGate } from "./gate.js";
import { getRowIndex, isPlanned, type Plan, shuffleRound, type TrialCoordinates } from "./plan.js";
import type { RunPorts } from "./ports.js";

/** One planned trial, ready to run. */
export interface Trial {
  readonly index: number;
  readonly system: System;
  readonly systemIndex: number;
  readonly example: Example;
  readonly exampleIndex: number;
  readonly trial: number;
  readonly datasetPlan: DatasetPlan;
}

export interface TrialQueueOptions {
  isDone: (index: number) => boolean;
  signal: AbortSignal;
}

/**
 * The planned trials of some systems in execution order: every task once before any task twice, each round shuffled
 * with a seed, so that a run stopped half-way is still a balanced sample. Examples of one group stay together within a
 * round. Workers share one queue; an aborted signal ends it.
 */
export class TrialQueue {
  readonly #plan: Plan;
  readonly #systems: readonly number[];
  readonly #options: TrialQueueOptions;
  #round = -1;
  #order: Uint32Array = new Uint32Array();
  #next = 0;

  constructor(plan: Plan, systems: readonly number[], options: TrialQueueOptions) {
    this.#plan = plan;
    this.#systems = systems;
    this.#options = options;
  }

  /** Returns the next trial, or null when none is left. */
  take(): Trial | null {
    const { isDone, signal } = this.#options;
    while (!signal.aborted && (this.#next < this.#order.length || this.#startRound())) {
      const pair = this.#order[this.#next++] ?? 0;
      const systemIndex = this.#systems[pair % this.#systems.length] ?? 0;
      const exampleIndex = Math.floor(pair / this.#systems.length);
      const admitted = buildTrial(this.#plan, { systemIndex, exampleIndex, trial: this.#round });
      if (admitted !== null && !isDone(admitted.index)) return admitted;
    }
    return null;
  }

  /** Drops all remaining trials. */
  end(): void {
    this.#round = this.#plan.trials;
    this.#order = new Uint32Array();
  }

  /** Returns false after the last round. */
  #startRound(): boolean {
    if (this.#round + 1 >= this.#plan.trials) return false;
    this.#round += 1;
    this.#order = shuffleRound(this.#plan, this.#systems.length, this.#round);
    this.#next = 0;
    return true;
  }
}

/** Returns the trial at an index of the result, or null if the plan has none there. */
export function findTrial(plan: Plan, index: number): Trial | null {
  const pair = Math.floor(index / plan.trials);
  const exampleIndex = pair % plan.examples.length;
  const systemIndex = Math.floor(pair / plan.examples.length);
  return buildTrial(plan, { systemIndex, exampleIndex, trial: index % plan.trials });
}

function buildTrial(plan: Plan, place: TrialCoordinates): Trial | null {
  const { systemIndex, exampleIndex, trial } = place;
  const system = plan.systems[systemIndex];
  const example = plan.examples[exampleIndex];
  const datasetPlan = plan.datasetPlans[plan.datasetIndexes[exampleIndex] ?? 0];
  if (system === undefined || example === undefined || datasetPlan === undefined || !isPlanned(plan, place))
    return null;
  const index = getRowIndex(plan, systemIndex, exampleIndex, trial);
  return { index, system, systemIndex, example, exampleIndex, trial, datasetPlan };
}

/** Systems that share workers: all that call the same endpoint, or all that call none. */
export interface EndpointPool {
  /** Indexes into `plan.systems`. */
  readonly systems: readonly number[];
  /** Limits concurrent calls to the endpoint; null if there is no endpoint. */
  readonly gate: EndpointGate | null;
  /** Maximum number of concurrent trials. */
  readonly workers: number;
}

/** Creates one pool per endpoint, so that a slow endpoint does not hold up the others. */
export function createEndpointPools({ systems }: Plan, ports: RunPorts): EndpointPool[] {
  const endpoints = new Map<string | null, number[]>();
  for (const [index, system] of systems.entries()) {
    const endpoint = getEndpointPoolKey(system);
    endpoints.set(endpoint, [...(endpoints.get(endpoint) ?? []), index]);
  }
  return Array.from(endpoints, ([endpoint, members]) => {
    const pooled = members.flatMap((index) => systems[index] ?? []);
    const workers = countPoolWorkers(pooled, ports);
    const { outage } = ports;
    const watched = outage === undefined ? {} : { outage };
    const options = { max: workers, clock: () => ports.clock(), ...watched };
    const gate = endpoint === null ? null : new EndpointGate({ name: formatEndpointName(pooled), ...options });
    return { systems: members, gate, workers };
  });
}

/** A system with its own `maxParallel` but without an endpoint gets its own pool. */
function getEndpointPoolKey({ endpoint, maxParallel, name }: System): string | null {
  if (typeof endpoint === "string" && endpoint !== "") return endpoint;
  return maxParallel === undefined ? null : name;
}

function countPoolWorkers(systems: readonly System[], { maxWorkers }: RunPorts): number {
  const bounds = systems.flatMap(({ maxParallel }) => maxParallel ?? []);
  return bounds.length === 0 ? maxWorkers : Math.min(...bounds);
}

/** Names the endpoint of systems that share one. The part after the space distinguishes accounts and is not shown. */
export function formatEndpointName(systems: readonly Pick<System, "name" | "endpoint" | "endpointName">[]): string {
  const names = systems.map(({ name, endpoint, endpointName }) => endpointName ?? (endpoint?.split(" ", 1)[0] || name));
  return [...new Set(names)].join(" or ");
}
