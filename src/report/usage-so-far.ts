import type { Usage } from "../core/system.js";
import type { TrajectoryEvent } from "../core/trajectory.js";
import { formatDollars, formatSeconds } from "./format.js";

/** Adds up the requests of a trial, and says of each what it took and where the trial stands. */
export class UsageSoFar {
  #tokens = 0;
  #costUsd = 0;
  #hasUnknownCost = false;

  /** What one request took, and what all have taken so far. */
  add(event: TrajectoryEvent): string {
    const { input, output } = this.take(event);
    const { model, durationMs } = event;
    const facts = [
      `${grouped(input)} in, ${grouped(output)} out`,
      `so far ${grouped(this.#tokens)} tokens, ${this.#cost()}`,
      ...(typeof model === "string" ? [model] : []),
      ...(typeof durationMs === "number" ? [formatSeconds(durationMs / 1000)] : []),
    ];
    return facts.join(" · ");
  }

  /** The tokens that one request took; all figures so far have it in them from now on. */
  take({ usage, costUsd }: TrajectoryEvent): { input: number; output: number } {
    const sides = sidesOf(usage);
    this.#tokens += sides.input + sides.output;
    if (typeof costUsd === "number") this.#costUsd += costUsd;
    else this.#hasUnknownCost = true;
    return sides;
  }

  /** Of all requests so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Of all requests so far; null when that of one is not known. */
  get costUsd(): number | null {
    return this.#hasUnknownCost ? null : this.#costUsd;
  }

  /** A sum that lacks something must not pass for the whole. */
  #cost(): string {
    if (!this.#hasUnknownCost) return formatDollars(this.#costUsd);
    return this.#costUsd === 0 ? "cost unknown" : `at least ${formatDollars(this.#costUsd)}`;
  }
}

function sidesOf(usage: unknown): { input: number; output: number } {
  const { input, output, cacheRead, cacheWrite } = (usage ?? {}) as Partial<Record<keyof Usage, unknown>>;
  return { input: amount(input) + amount(cacheRead) + amount(cacheWrite), output: amount(output) };
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Tokens by class, as they are billed. */
export function usageInWords(usage: Usage): string {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  const parts = [
    `${grouped(input)} in`,
    ...optional(cacheRead, "read from the cache"),
    ...optional(cacheWrite, `written to the cache${inner(cacheWrite1h, "for an hour")}`),
    `${grouped(output)} out${inner(reasoning, "reasoning")}`,
  ];
  return parts.join(", ");
}

function optional(count: number | undefined, what: string): string[] {
  return count === undefined || count === 0 ? [] : [`${grouped(count)} ${what}`];
}

function inner(count: number | undefined, what: string): string {
  return count === undefined || count === 0 ? "" : ` (${grouped(count)} ${what})`;
}

/** A number with its thousands apart. */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}
