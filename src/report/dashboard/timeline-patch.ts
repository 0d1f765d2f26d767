import type { Arguments } from "../tool-gist.js";
import { cutText } from "./trial-cut.js";

const BEGINNING = "*** Begin Patch";
const ENDING = "*** End Patch";
/** What the lists of changed files of some agents call a diff. */
const DIFFS = ["diff", "unified_diff"];

/** The lines of a patch in what a tool was given, each with a leading `+`, `-` or space; null when there is none. */
export function patchLines(given: unknown, mostCharacters: number): string[] | null {
  const patch = patchIn(given);
  if (patch === null) return null;
  const kept = cutText(patch, mostCharacters);
  const lines = kept.replace(/\n$/, "").split("\n").filter(isTold).map(signed);
  return kept.length === patch.length ? lines : [...lines, ` … ${patch.length - kept.length} more characters`];
}

function patchIn(given: unknown): string | null {
  for (const text of textsIn(given)) {
    const start = text.indexOf(BEGINNING);
    if (start !== -1) return upToEnd(text.slice(start));
  }
  return diffsIn(given);
}

/** In a command, something may come behind it. */
function upToEnd(text: string): string {
  const end = text.indexOf(ENDING);
  return end === -1 ? text : text.slice(0, end + ENDING.length);
}

function textsIn(given: unknown): string[] {
  const values = typeof given === "object" && given !== null ? Object.values(given).flat() : [given];
  return values.filter((value) => typeof value === "string");
}

function diffsIn(given: unknown): string | null {
  const { changes } = (given ?? {}) as Arguments;
  if (!Array.isArray(changes)) return null;
  const diffs = changes.flatMap((change) => DIFFS.map((name) => (change as Arguments | null)?.[name]));
  const texts = diffs.filter((diff) => typeof diff === "string" && diff !== "");
  return texts.length === 0 ? null : texts.join("\n");
}

function isTold(line: string): boolean {
  return line !== BEGINNING && line !== ENDING;
}

function signed(line: string): string {
  return /^[+\- ]/.test(line) ? line : ` ${line}`;
}
