import type { Example, System, TrialKey } from "../core/index.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";
import type { DatasetPlan } from "./dataset-plan.js";
import { EndpointGate } from "./gate.js";
import { orderTasks } from "./order.js";
import { getRowIndex, isPlanned, type Plan, type TrialCoordinates } from "./plan.js";
import type { RunPorts } from "./ports.js";
import type { TaskProgress } from "./task-progress.js";

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

export function toTrialKey({ system, example, trial }: Pick<Trial, "system" | "example" | "trial">): TrialKey {
  return { system: system.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
}

export interface TrialQueueOptions {
  isDone: (index: number) => boolean;
  signal: AbortSignal;
  /** Set if the run may stop after any task. */
  tasks?: TaskProgress | null;
}

/**
 * The planned trials of some systems in the order of the plan, shuffled with its seed. Examples of one group stay
 * together. Workers share one queue; an aborted signal ends it.
 */
export class TrialQueue {
  readonly #plan: Plan;
  readonly #order: TrialOrder;
  readonly #options: TrialQueueOptions;
  /** The part of the order that is being taken. */
  #part = -1;
  #indexes: Uint32Array = new Uint32Array();
  #next = 0;

  constructor(plan: Plan, systems: readonly number[], options: TrialQueueOptions) {
    this.#plan = plan;
    this.#order = orderTrials(plan, systems);
    this.#options = options;
  }

  /** Returns the next trial; "wait" while it would be too far ahead of unfinished tasks; null when none is left. */
  take(): Trial | "wait" | null {
    const { tasks = null } = this.#options;
    return this.#takeIf((part) => tasks?.mayStart(part) !== false);
  }

  /** Takes all remaining trials, however far ahead they are. */
  takeAll(): Trial[] {
    const left: Trial[] = [];
    for (let next = this.#takeIf(() => true); next !== null && next !== "wait"; next = this.#takeIf(() => true))
      left.push(next);
    return left;
  }

  /** Drops all remaining trials. */
  end(): void {
    this.#part = this.#order.parts;
    this.#indexes = new Uint32Array();
  }

  #takeIf(mayStart: (part: number) => boolean): Trial | "wait" | null {
    const { isDone, signal, tasks = null } = this.#options;
    while (!signal.aborted && tasks?.isOver !== true) {
      if (this.#next >= this.#indexes.length) {
        if (this.#part + 1 >= this.#order.parts) return null;
        if (!mayStart(this.#part + 1)) return "wait";
        this.#startPart();
      }
      const admitted = findTrial(this.#plan, this.#indexes[this.#next++] ?? 0);
      if (admitted !== null && !isDone(admitted.index) && tasks?.isDropped(admitted.systemIndex) !== true)
        return admitted;
    }
    return null;
  }

  #startPart(): void {
    this.#part += 1;
    this.#indexes = this.#order.list(this.#part);
    this.#next = 0;
  }
}

/** The trials of some systems in execution order, in parts: the rounds of a run, or its tasks. */
interface TrialOrder {
  readonly parts: number;
  /** The row indexes of one part. Some of them may not be planned. */
  list(part: number): Uint32Array;
}

/** Orders the trials of some systems. Systems in other queues have the same order of tasks. */
function orderTrials(plan: Plan, systems: readonly number[]): TrialOrder {
  const { trials } = plan;
  const toRowIndex = (pair: number, trial: number) =>
    getRowIndex(plan, systems[pair % systems.length] ?? 0, Math.floor(pair / systems.length), trial);
  if (plan.order === "rounds") {
    const list = (round: number) => shuffleRound(plan, systems.length, round).map((pair) => toRowIndex(pair, round));
    return { parts: trials, list };
  }
  const units = orderTasks(plan);
  const list = (position: number) => {
    const examples = units.listExamples(position);
    const each = systems.length * trials;
    const shuffled = permutation(examples.length * each, createRandom(hashSeed(plan.seed, "order", position)));
    return shuffled.map((place) => {
      const pair = (examples[Math.floor(place / each)] ?? 0) * systems.length + (place % systems.length);
      return toRowIndex(pair, Math.floor((place % each) / systems.length));
    });
  };
  return { parts: units.count, list };
}

/** The pairs `example × systems + system` of one round of trials, in execution order. */
function shuffleRound(
  { examples, groups, seed }: Pick<Plan, "examples" | "groups" | "seed">,
  systems: number,
  trial: number,
): Uint32Array {
  const shuffled = permutation(systems * examples.length, createRandom(hashSeed(seed, "order", trial)));
  if (groups === null) return shuffled;
  const place = permutation(groups.count, createRandom(hashSeed(seed, "groups", trial)));
  const placeOf = (pair: number) => place[groups.of[Math.floor(pair / systems)] ?? 0] ?? 0;
  // The sort is stable, so the order within each group stays shuffled.
  return shuffled.sort((a, b) => placeOf(a) - placeOf(b));
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
