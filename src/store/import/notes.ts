import type { CollectedTrials } from "./collect.js";
import type { OpenedResults } from "./open-results.js";

const MAX_NAMED = 5;
const MAX_MESSAGE_CHARS = 200;

/** Notes for an imported run: its origin, and what was left out. */
export function listImportNotes({ format, files, notes }: OpenedResults, collected: CollectedTrials): string[] {
  const { bad, twice } = collected;
  return [
    `imported from ${format.name} results (${files.length} ${files.length === 1 ? "file" : "files"}): outcomes are those of the original tool`,
    ...notes,
    ...listBadRecordNotes(bad.map(({ place, message }) => `${place}: ${message.slice(0, MAX_MESSAGE_CHARS)}`)),
    ...listDuplicateNotes(twice),
    ...(format.name === "ailang" && hasStandardMode(collected) ? [STANDARD_MODE_NOTE] : []),
  ];
}

function listBadRecordNotes(bad: readonly string[]): string[] {
  return bad.length === 0
    ? []
    : [`records that could not be read and were skipped: ${bad.length}\n${formatFirstLines(bad)}`];
}

function listDuplicateNotes(twice: readonly string[]): string[] {
  if (twice.length === 0) return [];
  return [`records replaced by a newer one of the same trial: ${twice.length}\n${formatFirstLines(twice)}`];
}

function formatFirstLines(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_NAMED).map((line) => `  ${line}`);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}

const STANDARD_MODE_NOTE =
  "times of AILANG's standard mode are those of compiling and running the program; the model's own time was not measured";

function hasStandardMode({ systems }: CollectedTrials): boolean {
  return systems.some(({ name }) => /\[(?:.*, )?standard(?:, .*)?\]$/.test(name));
}
