import { statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { Dataset } from "../core/dataset.js";
import type { Example, ExampleSource } from "../core/example.js";

/** From here on a file's examples are the larger part of the process. */
const LARGE_FILE_BYTES = 1 << 25;

/**
 * Has the collector look more often when a large file is about to be read. Left alone it lets the heap double before
 * it looks, and a long run would hold texts that it is done with beside its rows; on a small run it would only cost time.
 * Node warns of flags set after the start: this one is read anew after each collection and only says when the next comes.
 */
export function expectFiles(paths: readonly string[]): void {
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  if (sizes.some((size) => size >= LARGE_FILE_BYTES)) setFlagsFromString("--heap-growing-percent=20");
}

/**
 * Gives datasets away to a run, which lets go of each example after its last trial: whoever kept the list would keep
 * every example with it.
 */
export function giveAway(datasets: (Dataset | ExampleSource)[]): ExampleSource[] {
  return datasets.splice(0).map((dataset) => ("examples" in dataset ? emptying(dataset) : dataset));
}

/** The dataset as a stream that empties its list as it goes. */
function emptying({ examples, fingerprint, ...rest }: Dataset): ExampleSource {
  const waiting = examples as (Example | null)[];
  const stream = {
    ...rest,
    *[Symbol.iterator]() {
      for (let i = 0; i < waiting.length; i++) {
        const example = waiting[i];
        waiting[i] = null;
        if (example != null) yield example;
      }
    },
  };
  return fingerprint === undefined
    ? stream
    : Object.assign(stream, { fingerprint: { of: stream, sha256: fingerprint.sha256 } });
}
