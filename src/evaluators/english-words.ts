import { readFileSync } from "node:fs";
import { findPackageFile } from "../utils/package-file.js";

/**
 * English words that newspapers write with a small first letter, as the Punkt model learned them from the Wall Street
 * Journal; with a ^ before those that they also write with a capital inside a sentence.
 */
export function englishWords(): string[] {
  return readFileSync(findPackageFile("data/english-small.txt"), "utf8").trimEnd().split("\n");
}
