import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../core/errors.js";
import { digest, fingerprintOf } from "../core/fingerprint.js";
import type { Limits } from "../core/price.js";
import { andThen, type Eventually, isThenable } from "../core/thenable.js";
import { createRandom, hashSeed } from "../stats/index.js";
import type { Trial } from "./admit.js";
import { charge } from "./billed.js";
import { type Attempted, type Call, openCall, type Returned, returned, type Threw, threw } from "./call.js";
import { failureOf } from "./classify.js";
import type { Gate } from "./gate.js";
import type { CachedOutput, RunPorts } from "./ports.js";
import { retryOf, waitBeforeRetry } from "./retry.js";
import { TrialStop } from "./trial-stop.js";

export interface AttemptOptions {
  seed: number;
  /** By system: what its endpoint takes at a time. */
  gates: readonly (Gate | null)[];
  /** By system: what a trial is held to. */
  limits: readonly (Limits | null)[];
}

/** Calls systems, or answers for them from the cache when they did the very same work before. */
export class Attempter {
  readonly #ports: RunPorts;
  readonly #seed: number;
  readonly #known: readonly Known[];
  readonly #random: () => number;
  #sleeping = 0;
  #lastFailure: unknown;

  constructor(ports: RunPorts, { seed, gates, limits }: AttemptOptions) {
    this.#ports = ports;
    this.#seed = seed;
    this.#known = gates.map((gate, i) => ({ gate, limits: limits[i] ?? null, fingerprint: null }));
    this.#random = createRandom(hashSeed(seed, "retries")).next;
  }

  attempt(trial: Trial): Eventually<Attempted> {
    const known = this.#known[trial.systemIndex] ?? NOTHING_KNOWN;
    const call = this.#open(trial, known.limits);
    return this.#ports.cache === null ? this.#make(call, trial, known) : this.#makeUnlessCached(call, trial, known);
  }

  #open(trial: Trial, limits: Limits | null): Call {
    const { signal, budget } = this.#ports;
    if (limits === null) return openCall({ trial, runSeed: this.#seed, signal, budget: null, stop: null });
    const stop = new TrialStop(signal);
    const bill = budget.open(limits, () => stop.stop("cost_killed"));
    return openCall({ trial, runSeed: this.#seed, signal: stop.signal, budget: bill, stop });
  }

  async #makeUnlessCached(call: Call, trial: Trial, known: Known): Promise<Attempted> {
    const key = this.#cacheKey(trial, call.context.seed, known);
    const cached = await this.#ports.cache?.get(key);
    if (cached != null) return fromCache(cached, call);
    const attempted = await this.#make(call, trial, known);
    if (attempted.kind === "returned" && attempted.output.stopped == null) await this.#remember(key, attempted);
    return attempted;
  }

  /** Makes the call, and makes it again while it fails before any output and may be. */
  #make(call: Call, trial: Trial, known: Known): Eventually<Attempted> {
    const attempted = andThen(this.#enter(call, trial, known), (first) =>
      first.kind === "threw" && retryOf(first.error) !== null ? this.#makeAgain(first, trial, known) : first,
    );
    if (call.stop === null) return attempted;
    const { stop } = call;
    return andThen(attempted, (last) => {
      stop.release();
      return last;
    });
  }

  async #makeAgain(first: Threw, trial: Trial, known: Known): Promise<Attempted> {
    let attempted: Attempted = first;
    let waitedMs = 0;
    for (let failed = 1; attempted.kind === "threw"; failed++) {
      const { error, call, durationMs } = attempted;
      const retry = retryOf(error);
      const options = { policy: this.#ports.retry, random: this.#random };
      const wait = retry === null ? null : waitBeforeRetry(retry, { failed, waitedMs }, options);
      if (wait === null || !(await this.#slept(wait, error))) return attempted;
      waitedMs += wait;
      call.failed = [...call.failed, failureOf(error, durationMs)];
      call.lostMs += durationMs + wait;
      attempted = await this.#enter(call, trial, known);
    }
    return attempted;
  }

  /** Why calls are waiting to be made again, in words; null when none is. */
  waiting(): string | null {
    return this.#sleeping === 0 ? null : `${this.#sleeping} to be called again after: ${messageOf(this.#lastFailure)}`;
  }

  /** Waits; false when the run was stopped meanwhile. */
  async #slept(ms: number, failure: unknown): Promise<boolean> {
    this.#sleeping += 1;
    this.#lastFailure = failure;
    try {
      await sleep(ms, undefined, { signal: this.#ports.signal });
      return true;
    } catch {
      return false;
    } finally {
      this.#sleeping -= 1;
    }
  }

  /** Makes one call, through the gate of its endpoint when it has one. */
  #enter(call: Call, trial: Trial, known: Known): Eventually<Attempted> {
    const { gate } = known;
    return gate === null ? this.#call(call, trial, known) : this.#callThrough(gate, { call, trial, known });
  }

  async #callThrough(
    gate: Gate,
    { call, trial, known }: { call: Call; trial: Trial; known: Known },
  ): Promise<Attempted> {
    let place: number;
    try {
      place = await gate.enter(this.#ports.signal);
    } catch (error) {
      return threw(error, { durationMs: 0, call });
    }
    const attempted = await this.#call(call, trial, known);
    if (attempted.kind === "returned") gate.leave(place, "fine");
    else {
      const isRefused = failureOf(attempted.error, 0).errorCategory === "rate_limit";
      gate.leave(place, isRefused ? "rate_limited" : "failed", retryOf(attempted.error)?.afterMs ?? 0);
    }
    return attempted;
  }

  #call(call: Call, { system, example }: Trial, { limits }: Known): Eventually<Attempted> {
    const start = this.#ports.clock();
    try {
      const pending = system.process(example, call.context);
      if (!isThenable(pending))
        return asStopped(charged(returned(system, pending, this.#since(start, call))), call.stop);
      const settled = pending.then(
        (output) => charged(returned(system, output, this.#since(start, call))),
        (error: unknown) => threw(error, this.#since(start, call)),
      );
      return call.stop === null ? settled : this.#limited(settled, call.stop, { call, start, limits });
    } catch (error) {
      return threw(error, this.#since(start, call));
    }
  }

  /** Waits for a call, but not for one that was told to stop and does not. */
  async #limited(
    settled: PromiseLike<Attempted>,
    stop: TrialStop,
    { call, start, limits }: { call: Call; start: number; limits: Limits | null },
  ): Promise<Attempted> {
    const attempted = await stop.limit(settled, limits?.hardTimeoutMs ?? null);
    return asStopped(attempted ?? threw(stop.signal.reason, this.#since(start, call)), stop);
  }

  #since(start: number, call: Call): { durationMs: number; call: Call } {
    return { durationMs: microseconds(this.#ports.clock() - start), call };
  }

  /** A cache that cannot be written costs a note, not the trial. */
  async #remember(key: string, { output, latency, call }: Returned): Promise<void> {
    try {
      await this.#ports.cache?.put(key, { output, latency });
    } catch (error) {
      call.context.log(`the output was not cached: ${messageOf(error)}`);
    }
  }

  #cacheKey(trial: Trial, seed: number, known: Known): string {
    known.fingerprint ??= fingerprintOf(trial.system, "process");
    // What the examples' file is called is not a part of the work.
    const { dataset: _, ...example } = trial.example;
    return digest({ fingerprint: known.fingerprint, example, trial: trial.trial, seed });
  }
}

function charged(attempted: Attempted): Attempted {
  const { budget } = attempted.call;
  if (budget !== null && attempted.kind === "returned") charge(attempted.output, budget);
  return attempted;
}

/** A trial that was stopped is graded on what it left, which may be nothing. */
function asStopped(attempted: Attempted, stop: TrialStop | null): Attempted {
  const reason = stop?.reason ?? null;
  if (reason === null) return attempted;
  const { durationMs, call } = attempted;
  if (attempted.kind === "threw")
    return { kind: "returned", output: { stopped: reason }, latency: durationMs / 1000, durationMs, call };
  return { ...attempted, output: { ...attempted.output, stopped: attempted.output.stopped ?? reason } };
}

/** What is the same for all trials of a system. */
interface Known {
  readonly limits: Limits | null;
  readonly gate: Gate | null;
  fingerprint: string | null;
}

const NOTHING_KNOWN: Known = { limits: null, gate: null, fingerprint: null };

/** Milliseconds to the microsecond: what lies below is noise, and long digits are most of a stored row. */
function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function fromCache({ output, latency }: CachedOutput, call: Call): Returned {
  call.stop?.release();
  call.isCached = true;
  if (call.budget !== null) charge(output, call.budget);
  return { kind: "returned", output, latency, durationMs: latency * 1000, call };
}
