import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TrialKey } from "../core/row.js";
import { LF } from "../utils/files/blocks.js";
import { EXAMPLES_FILE } from "./examples.js";
import { readRunLineBlocks } from "./run-file.js";

type ExampleKey = Pick<TrialKey, "dataset" | "exampleId">;

/**
 * A place for each example, in the order they are met. A million are known at a time, so that they are looked up by their
 * id itself: a key made of dataset and id would be a text more for each.
 */
export class ExamplePlaces {
  readonly #datasets = new Map<string, Map<string | number, number>>();
  #size = 0;

  /** How many examples have a place. */
  get size(): number {
    return this.#size;
  }

  /** The place of an example: the one it has, else the next. */
  of({ dataset, exampleId }: ExampleKey): number {
    const ids = this.#idsIn(dataset);
    const known = ids.get(exampleId);
    if (known !== undefined) return known;
    ids.set(exampleId, this.#size);
    return this.#size++;
  }

  #idsIn(dataset: string): Map<string | number, number> {
    const known = this.#datasets.get(dataset);
    if (known !== undefined) return known;
    const ids = new Map<string | number, number>();
    this.#datasets.set(dataset, ids);
    return ids;
  }
}

/** Dataset and id at the beginning of a line, both as JSON. */
const KEY = /^\{"dataset":("(?:[^"\\]|\\.)*"),"id":("(?:[^"\\]|\\.)*"|[^,}]+)/;
/** More of a line is looked at only where its key is longer. */
const USUAL_KEY = 512;

/** Where the examples of a stored run stood in their dataset; null for runs of versions that kept none. */
export function readExamplePlaces(dir: string): ExamplePlaces | null {
  if (!existsSync(join(dir, EXAMPLES_FILE))) return null;
  const places = new ExamplePlaces();
  for (const block of readRunLineBlocks(dir, EXAMPLES_FILE)) {
    for (let start = 0; start < block.length; ) {
      const feed = block.indexOf(LF, start);
      const end = feed === -1 ? block.length : feed;
      const key = keyIn(block.subarray(start, end));
      if (key !== null) places.of(key);
      start = end + 1;
    }
  }
  return places;
}

function keyIn(line: Buffer): ExampleKey | null {
  const short = KEY.exec(line.toString("utf8", 0, USUAL_KEY));
  // A key that fills what was looked at may go on.
  const isWhole = short !== null && (line.length <= USUAL_KEY || short[0].length < USUAL_KEY / 4);
  const [, dataset, id] = (isWhole ? short : KEY.exec(line.toString("utf8"))) ?? [];
  return dataset === undefined || id === undefined ? null : parsed(dataset, id);
}

/** Parsed rather than cut out: a part of a text would hold on to the whole of its line. Null when the line is damaged. */
function parsed(dataset: string, id: string): ExampleKey | null {
  try {
    return { dataset: JSON.parse(dataset) as string, exampleId: JSON.parse(id) as string | number };
  } catch {
    return null;
  }
}
