import { readFileSync } from "node:fs";
import { findPackageFile } from "../utils/package-file.js";

/**
 * English words that are usually written in lower case, as the Punkt model learned them from the Wall Street
 * Journal. A ^ marks those that are also capitalized inside a sentence.
 */
export function loadEnglishWords(): string[] {
  return readFileSync(findPackageFile("data/english-small.txt"), "utf8").trimEnd().split("\n");
}
