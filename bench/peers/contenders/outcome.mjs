// What a contender made of the examples: how many it scored, and how many of those were exact.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Whole lines of a JSONL file; a line that was cut off is left out. */
export function readRecords(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").split("\n").flatMap(parsedLine);
}

function parsedLine(line) {
  try {
    return line === "" ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
}

export function countRows(records, exactScore) {
  return { rows: records.length, passes: records.filter((record) => exactScore(record) === 1).length };
}

/** The line that `printOutcome` left in what a program printed. */
export function printedOutcome(_trial, output) {
  const line = output.split("\n").find((text) => text.startsWith('{"rows":'));
  return line === undefined ? { rows: 0, passes: 0 } : JSON.parse(line);
}

/** One row of a SQLite file, read by the driver that came with the peer. */
export function sqliteRow({ install, driver, file, sql }) {
  if (!existsSync(file)) return { rows: 0, passes: 0 };
  const Database = createRequire(join(install, "package.json"))(driver);
  const database = new Database(file);
  try {
    return database.prepare(sql).get();
  } finally {
    database.close();
  }
}
