import { messageOf, ShapeError } from "../core/errors.js";
import { digest, fingerprintOf } from "../core/fingerprint.js";
import { describe } from "../core/shape.js";
import { type Output, STOP_REASONS, type StopReason, type System, type TrialContext } from "../core/system.js";
import { type Eventually, isThenable } from "../core/thenable.js";
import { hashSeed } from "../stats/index.js";
import type { Trial } from "./admit.js";
import type { CachedOutput, RunPorts } from "./ports.js";

/** What one call of a system gave. */
export type Attempted = Returned | Threw;

export interface Returned {
  kind: "returned";
  output: Output;
  /** Seconds inside `System.process`, as measured when the work was really done. */
  latency: number;
  durationMs: number;
  log: readonly string[];
}

interface Threw extends Elapsed {
  kind: "threw";
  error: unknown;
}

/** Calls systems, or answers for them from the cache when they did the very same work before. */
export class Attempter {
  readonly #ports: RunPorts;
  readonly #seed: number;
  readonly #fingerprints = new Map<System, string>();

  constructor(ports: RunPorts, seed: number) {
    this.#ports = ports;
    this.#seed = seed;
  }

  attempt(trial: Trial): Eventually<Attempted> {
    const call = openCall(trial, this.#ports.signal, this.#seed);
    return this.#ports.cache === null ? this.#make(call, trial) : this.#makeUnlessCached(call, trial);
  }

  async #makeUnlessCached(call: Call, trial: Trial): Promise<Attempted> {
    const key = this.#cacheKey(trial, call.context.seed);
    const known = await this.#ports.cache?.get(key);
    if (known != null) return fromCache(known);
    const attempted = await this.#make(call, trial);
    if (attempted.kind === "returned" && attempted.output.stopped == null) await this.#remember(key, attempted, call);
    return attempted;
  }

  #make(call: Call, { system, example }: Trial): Eventually<Attempted> {
    const start = this.#ports.clock();
    try {
      const pending = system.process(example, call.context);
      if (!isThenable(pending)) return returned(system, pending, this.#since(start, call));
      return pending.then(
        (output) => returned(system, output, this.#since(start, call)),
        (error: unknown) => threw(error, this.#since(start, call)),
      );
    } catch (error) {
      return threw(error, this.#since(start, call));
    }
  }

  #since(start: number, { messages }: Call): Elapsed {
    return { durationMs: microseconds(this.#ports.clock() - start), log: messages };
  }

  /** A cache that cannot be written costs a note, not the trial. */
  async #remember(key: string, { output, latency }: CachedOutput, { messages }: Call): Promise<void> {
    try {
      await this.#ports.cache?.put(key, { output, latency });
    } catch (error) {
      messages.push(`the output was not cached: ${messageOf(error)}`);
    }
  }

  #cacheKey(trial: Trial, seed: number): string {
    let fingerprint = this.#fingerprints.get(trial.system);
    if (fingerprint === undefined) {
      fingerprint = fingerprintOf(trial.system, "process");
      this.#fingerprints.set(trial.system, fingerprint);
    }
    // What the examples' file is called is not a part of the work.
    const { dataset: _, ...example } = trial.example;
    return digest({ fingerprint, example, trial: trial.trial, seed });
  }
}

/** How long a call took, and what the system said meanwhile. */
interface Elapsed {
  durationMs: number;
  log: readonly string[];
}

function returned(system: System, output: unknown, { durationMs, log }: Elapsed): Attempted {
  if (!isOutput(output)) return threw(wrongOutput(system, output), { durationMs, log });
  if (!isStopReason(output.stopped)) return threw(wrongStop(system, output.stopped), { durationMs, log });
  const latency = isDuration(output.latency) ? output.latency : durationMs / 1000;
  return { kind: "returned", output, latency, durationMs, log };
}

/** A call that ended with an error. */
export function threw(error: unknown, { durationMs, log }: Elapsed): Threw {
  return { kind: "threw", error, durationMs, log };
}

const NO_MESSAGES: readonly string[] = Object.freeze([]);

/** What a system is told, and what it says meanwhile. */
interface Call {
  readonly context: TrialContext;
  readonly messages: string[];
}

/** Plain fields: a system that wraps another hands on `{ ...trial, signal }`. */
function openCall({ trial, example }: Trial, signal: AbortSignal, runSeed: number): Call {
  const messages: string[] = [];
  const seed = hashSeed(runSeed, String(example.id), trial);
  const log = (message: string) => void messages.push(String(message));
  return { context: { signal, budget: null, trial, seed, log }, messages };
}

/** Milliseconds to the microsecond: what lies below is noise, and long digits are most of a stored row. */
function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function fromCache({ output, latency }: CachedOutput): Returned {
  return { kind: "returned", output, latency, durationMs: latency * 1000, log: NO_MESSAGES };
}

function isOutput(output: unknown): output is Output {
  return typeof output === "object" && output !== null && !Array.isArray(output);
}

/** Null is what a recording writes for an output that was not stopped. */
function isStopReason(stopped: unknown): stopped is StopReason | null | undefined {
  return stopped == null || STOP_REASONS.some((reason) => reason === stopped);
}

function isDuration(latency: unknown): latency is number {
  return typeof latency === "number" && latency >= 0 && latency < Number.POSITIVE_INFINITY;
}

function wrongStop(system: System, stopped: unknown): ShapeError {
  return new ShapeError(
    `The system "${system.name}" returned \`stopped\`: ${describe(stopped)}. It must be one of ${STOP_REASONS.join(", ")}, or be left out.`,
  );
}

function wrongOutput(system: System, output: unknown): ShapeError {
  return new ShapeError(
    `The system "${system.name}" returned ${describe(output)}. process() must return an object such as { response: "…" } or { context: "…" }.`,
  );
}
