import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../../store/journal.js";
import { readRunFile } from "../../store/run-file.js";
import { writeAtomically } from "../../utils/files/atomic.js";
import type { RunCard } from "./contract.js";

/** Changes whenever cards do, so that one of another version is not taken for one of this. */
const SCHEMA = "assay.card/2";
export const CARD_FILE = "card.json";

/** The files that a card is made of, as they lie in the folder; undefined where one is missing. */
export type CardSources = readonly (Pick<Stats, "size"> | undefined)[];

/** A card as it lies in the folder of its run: a thousand of them are read faster than a thousand summaries. */
interface CardFile {
  schema: string;
  /** How long its sources were: a run that has gone on since, or was changed by hand, has others. */
  sizes: readonly number[];
  card: RunCard;
}

/** Keeps the card of a run that has ended. */
export function writeCard(dir: string, card: RunCard): void {
  const sources = [FILES.manifest, FILES.summary, FILES.rows].map((name) => statSync(join(dir, name)));
  const file: CardFile = { schema: SCHEMA, sizes: sizesOf(sources), card };
  writeAtomically(join(dir, CARD_FILE), `${JSON.stringify(file)}\n`);
}

/** The card in a run folder; null when there is none of these sources that can be read: it can always be made again. */
export function readCard(dir: string, sources: CardSources): RunCard | null {
  try {
    const { schema, sizes, card } = JSON.parse(readRunFile(dir, CARD_FILE)) as CardFile;
    return schema === SCHEMA && String(sizes) === String(sizesOf(sources)) ? card : null;
  } catch {
    return null;
  }
}

function sizesOf(sources: CardSources): number[] {
  return sources.map((source) => source?.size ?? -1);
}
