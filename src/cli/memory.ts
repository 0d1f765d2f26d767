import { setFlagsFromString } from "node:v8";
import type { Dataset } from "../core/dataset.js";
import type { Example, ExampleSource } from "../core/example.js";

/** From here on the examples are the larger part of the process, and what becomes of them matters. */
const MANY_EXAMPLES = 50_000;

/**
 * Gives datasets away to a run, which lets go of each example after its last trial: whoever kept the list would keep
 * every example with it. For many examples the collector is told to look more often than it would by itself; left
 * alone it lets the heap double first, and a long run would hold its texts and its rows at once.
 */
export function giveAway(datasets: (Dataset | ExampleSource)[]): (Dataset | ExampleSource)[] {
  const given = datasets.splice(0);
  const examples = given.reduce((total, dataset) => total + ("examples" in dataset ? dataset.examples.length : 0), 0);
  if (examples >= MANY_EXAMPLES) setFlagsFromString("--heap-growing-percent=20");
  return given.map((dataset) => ("examples" in dataset ? emptying(dataset) : dataset));
}

function emptying(dataset: Dataset): Dataset {
  const waiting = dataset.examples as (Example | null)[];
  return {
    ...dataset,
    examples: [],
    *[Symbol.iterator]() {
      for (let i = 0; i < waiting.length; i++) {
        const example = waiting[i];
        waiting[i] = null;
        if (example != null) yield example;
      }
    },
  };
}
