import { rmSync } from "node:fs";
import type { Database } from "./database.js";
import { scratchFile } from "./scratch-file.js";
import { quoted } from "./sql-text.js";
import { strictJson } from "./strict-json.js";
import { writePieces } from "./write-pieces.js";

/** What a table holds: its columns with their types, and its lines, which are in memory already. */
export interface TableContent {
  readonly columns: Readonly<Record<string, string>>;
  readonly lines: Iterable<Readonly<Record<string, unknown>>>;
}

/**
 * Adds lines to a table, which is made if it is not there. By way of a file: that takes half as long as handing them over.
 * A value of another type than its column, such as a damaged manifest may hold, is NULL.
 */
export async function fillTable(database: Database, name: string, { columns, lines }: TableContent): Promise<void> {
  const fields = Object.entries(columns).map(([column, type]) => `${quoted(column)}: ${quoted(type)}`);
  const empty = Object.entries(columns).map(([column, type]) => `cast(null as ${type}) as "${column}"`);
  await database.run(`create table if not exists ${name} as select ${empty.join(", ")} where false`);
  const file = scratchFile(database.scratchDir);
  await writePieces(file, piecesOf(lines));
  await database.run(
    `insert into ${name} select * from read_json(${quoted(file)}, format = 'newline_delimited', columns = {${fields.join(", ")}}, ignore_errors = true)`,
  );
  rmSync(file);
}

const AT_ONCE = 1 << 16;

function* piecesOf(lines: TableContent["lines"]): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += `${strictJson(line)}\n`;
    if (piece.length < AT_ONCE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
