import { join } from "node:path";
import type { TrialKey } from "../../core/row.js";
import { encodeExampleKey } from "../../store/example-lines.js";
import { decodeExample, EXAMPLES_FILE, type StoredExample } from "../../store/examples.js";
import { FILES } from "../../store/journal.js";
import { decodeOutput, type StoredOutput } from "../../store/outputs.js";
import { encodeKey } from "../../store/row-codec.js";
import { LineIndex } from "./trial-lines.js";

const TEXT = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const ID = `(?:${TEXT}|[^",}]+)`;
const OUTPUT_KEY = new RegExp(`^\\{("system":${TEXT},"dataset":${TEXT},"exampleId":${ID},"trial":\\d+)(?=[,}])`);
const EXAMPLE_KEY = new RegExp(`^\\{("dataset":${TEXT},"id":${ID})(?=[,}])`);

/** A run of 100,000 trials takes about 20 MB to know. */
const MOST_RUNS = 4;

interface RunFiles {
  readonly outputs: LineIndex;
  readonly examples: LineIndex;
}

/**
 * What runs have kept of their trials, found without reading all of it: where each trial is in the files is worked out
 * at the first look and kept for the next ones.
 * @example
 * const files = new TrialFiles();
 * const stored = await files.output(dir, { system: "a", dataset: "d", exampleId: 1, trial: 0 });
 */
export class TrialFiles {
  readonly #runs = new Map<string, RunFiles>();

  /** What came back in a trial; null when nothing is kept. */
  async output(dir: string, trial: TrialKey): Promise<StoredOutput | null> {
    const line = await this.#run(dir).outputs.line(encodeKey(trial));
    return line === null ? null : decodeOutput(line, placeOf(join(dir, FILES.outputs), trial), dir);
  }

  /** What was asked in a trial; null when that is not kept. */
  async example(
    dir: string,
    { dataset, exampleId }: Omit<TrialKey, "system" | "trial">,
  ): Promise<StoredExample | null> {
    const line = await this.#run(dir).examples.line(encodeExampleKey(dataset, exampleId));
    return line === null ? null : decodeExample(line, `${join(dir, EXAMPLES_FILE)}, example ${exampleId},`);
  }

  /** The one that was used last is the last to go. */
  #run(dir: string): RunFiles {
    const run = this.#runs.get(dir) ?? openRun(dir);
    this.#runs.delete(dir);
    this.#runs.set(dir, run);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MOST_RUNS) break;
      this.#runs.delete(oldest);
    }
    return run;
  }
}

function openRun(dir: string): RunFiles {
  return {
    outputs: new LineIndex(dir, FILES.outputs, OUTPUT_KEY),
    examples: new LineIndex(dir, EXAMPLES_FILE, EXAMPLE_KEY),
  };
}

function placeOf(path: string, { system, exampleId, trial }: TrialKey): string {
  return `${path}, trial ${trial} of ${system} on ${exampleId},`;
}

/** The key of a line of outputs, as `encodeKey` writes it; null when it has none. */
export function outputKey(line: string): string | null {
  return OUTPUT_KEY.exec(line)?.[1] ?? null;
}

/** The key of a line of examples, as `encodeExampleKey` writes it; null when it has none. */
export function exampleKeyIn(line: string): string | null {
  return EXAMPLE_KEY.exec(line)?.[1] ?? null;
}
