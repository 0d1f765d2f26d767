import { readFileSync } from "node:fs";

/**
 * English words that newspapers write with a small first letter, as the Punkt model learned them from the Wall Street
 * Journal; with a ^ before those that they also write with a capital inside a sentence. Read here, two folders below the
 * root like the bundled code, so that the path is the same for both.
 */
export function englishWords(): string[] {
  return readFileSync(new URL("../../words/english-small.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
}
