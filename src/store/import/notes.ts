import type { Collected } from "./collect.js";
import type { OpenedResults } from "./open-results.js";

const NAMED_FIRST = 5;
const LONGEST_MESSAGE = 200;

/** Notes for an imported run: its origin, and what was left out. */
export function importNotes({ format, files, notes }: OpenedResults, collected: Collected): string[] {
  const { bad, twice } = collected;
  return [
    `imported from ${format.name} results (${files.length} ${files.length === 1 ? "file" : "files"}): outcomes are those of the original tool`,
    ...notes,
    ...badNotes(bad.map(({ place, message }) => `${place}: ${message.slice(0, LONGEST_MESSAGE)}`)),
    ...twiceNotes(twice),
    ...(format.name === "ailang" && hasStandardMode(collected) ? [STANDARD_MODE] : []),
  ];
}

function badNotes(bad: readonly string[]): string[] {
  return bad.length === 0 ? [] : [`records that could not be read and were skipped: ${bad.length}\n${firstOf(bad)}`];
}

function twiceNotes(twice: readonly string[]): string[] {
  if (twice.length === 0) return [];
  return [`records replaced by a newer one of the same trial: ${twice.length}\n${firstOf(twice)}`];
}

function firstOf(lines: readonly string[]): string {
  const shown = lines.slice(0, NAMED_FIRST).map((line) => `  ${line}`);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}

const STANDARD_MODE =
  "times of AILANG's standard mode are those of compiling and running the program; the model's own time was not measured";

function hasStandardMode({ systems }: Collected): boolean {
  return systems.some(({ name }) => /\[(?:.*, )?standard(?:, .*)?\]$/.test(name));
}
