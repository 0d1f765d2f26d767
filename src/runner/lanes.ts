import type { System } from "../core/system.js";
import { Gate } from "./gate.js";
import type { Plan } from "./plan.js";
import type { RunPorts } from "./ports.js";

/** Systems that are run side by side with others: all that call the same endpoint, or all that call none. */
export interface Lane {
  /** Their places in the plan. */
  readonly systems: readonly number[];
  /** What the endpoint takes at a time; null when there is none. */
  readonly gate: Gate | null;
  /** Trials at a time. */
  readonly workers: number;
}

/** One lane for each endpoint, so that a slow one holds up nobody else. */
export function lanesOf({ systems }: Plan, ports: RunPorts): Lane[] {
  const endpoints = new Map<string | null, number[]>();
  for (const [index, system] of systems.entries()) {
    const endpoint = endpointOf(system);
    endpoints.set(endpoint, [...(endpoints.get(endpoint) ?? []), index]);
  }
  return Array.from(endpoints, ([endpoint, members]) => {
    const workers = workersOf(
      members.flatMap((index) => systems[index] ?? []),
      ports,
    );
    const { outage } = ports;
    const watched = outage === undefined ? {} : { outage };
    const options = { max: workers, clock: () => ports.clock(), ...watched };
    const gate = endpoint === null ? null : new Gate({ name: nameOf(endpoint), ...options });
    return { systems: members, gate, workers };
  });
}

/** A system that bounds its own trials without an endpoint is a lane of its own. */
function endpointOf({ endpoint, maxParallel, name }: System): string | null {
  if (typeof endpoint === "string" && endpoint !== "") return endpoint;
  return maxParallel === undefined ? null : name;
}

function workersOf(systems: readonly System[], { maxWorkers }: RunPorts): number {
  const bounds = systems.flatMap(({ maxParallel }) => maxParallel ?? []);
  return bounds.length === 0 ? maxWorkers : Math.min(...bounds);
}

/** The host alone: what follows a blank tells accounts apart, and is not for people. */
function nameOf(endpoint: string): string {
  return endpoint.split(" ", 1)[0] ?? endpoint;
}
