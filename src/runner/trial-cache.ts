import {
  computeFingerprint,
  digest,
  findMissingChanges,
  findOutputProblem,
  getErrorMessage,
  type Output,
} from "../core/index.js";
import type { Trial } from "./admit.js";
import {
  type AttemptResult,
  type AttemptSuccess,
  chargeAndMarkStopped,
  readRecordedTime,
  type SystemCall,
} from "./call.js";
import type { CachedOutput, OutputCache } from "./ports.js";

/** Outputs of trials in the cache of the run: the same work is not done twice. */
export class TrialCache {
  readonly #cache: OutputCache | null;
  /** By system index. */
  readonly #fingerprints: string[] = [];

  constructor(cache: OutputCache | null) {
    this.#cache = cache;
  }

  /** Returns the cached output of a trial, or null if the system has to be called. */
  async read(trial: Trial, call: SystemCall): Promise<AttemptResult | null> {
    if (this.#cache === null) return null;
    const key = this.#computeKey(trial, call.context.seed);
    const cached = await this.#cache.get(key);
    // Older versions cached outputs without any text.
    if (cached != null && findOutputProblem(cached.output) === null) return toCachedResult(cached, call);
    call.cacheKey = key;
    return null;
  }

  /** Caches the output of a call. A failed cache write adds a note; the trial is not affected. */
  async write({ output, latency, call }: AttemptSuccess): Promise<void> {
    // Recorded outputs need no cache entry.
    if (call.cacheKey === null || call.isFromCache || latency === null || !isCacheable(output)) return;
    try {
      await this.#cache?.put(call.cacheKey, { output, latency });
    } catch (error) {
      call.context.log(`the output was not cached: ${getErrorMessage(error)}`);
    }
  }

  #computeKey({ system, systemIndex, example, trial }: Trial, seed: number): string {
    this.#fingerprints[systemIndex] ??= computeFingerprint(system, "process");
    const fingerprint = this.#fingerprints[systemIndex];
    // The name of the dataset file is not part of the work.
    const { dataset: _, ...content } = example;
    return digest({ fingerprint, example: content, trial, seed });
  }
}

/** False for stopped trials and incomplete workspaces: graded from the cache they would score differently. */
function isCacheable(output: Output): boolean {
  return output.stopped == null && findMissingChanges(output) === undefined;
}

function toCachedResult({ output, latency }: CachedOutput, call: SystemCall): AttemptResult {
  call.stop?.release();
  // Older caches stored how long reading the recording took.
  const time = call.isFromCache ? readRecordedTime(output.latency) : { latency, durationMs: latency * 1000 };
  call.isFromCache = true;
  return chargeAndMarkStopped({ kind: "returned", output, ...time, call });
}
