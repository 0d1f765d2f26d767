import { UsageError } from "../../core/errors.js";
import type { Database } from "./database.js";
import { VIEW_NAMES, type ViewName } from "./schema.js";

/** The first words of statements that read. */
const READING = [
  "select",
  "with",
  "from",
  "values",
  "describe",
  "desc",
  "summarize",
  "show",
  "pivot",
  "unpivot",
  "table",
];

const LEADING = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()+/;
const EXPLAIN = /^explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i;

const ALLOWED =
  "A query only reads: begin it with select, with, from, describe, summarize, show or explain. It changes nothing, and reads no other file.";

/** Refuses a text that does not begin like a statement that reads, before anything is opened for it. */
export function requireReading(sql: string): void {
  const bare = withoutLead(sql).replace(/;\s*$/, "");
  if (bare === "") throw new UsageError(`There is no statement. ${ALLOWED}`);
  const word = firstWord(bare);
  const explained = EXPLAIN.test(bare) ? firstWord(withoutLead(bare.replace(EXPLAIN, ""))) : word;
  if (READING.includes(explained)) return;
  throw new UsageError(`A query cannot begin with "${explained || bare.slice(0, 10)}". ${ALLOWED}`);
}

function withoutLead(sql: string): string {
  return sql.replace(LEADING, "");
}

function firstWord(sql: string): string {
  return /^\w+/.exec(sql)?.[0].toLowerCase() ?? "";
}

/**
 * The views that a statement may read: those whose names occur in it, and all where names may be put together. What only
 * asks for their columns reads none.
 */
export function viewsIn(sql: string): Set<ViewName> {
  if (/^(?:desc|describe|show)$/.test(firstWord(withoutLead(sql)))) return new Set();
  const isComposed = /\bquery(?:_table)?\b/i.test(sql);
  return new Set(VIEW_NAMES.filter((name) => isComposed || new RegExp(`\\b${name}\\b`, "i").test(sql)));
}

/** The one statement of a text, ready to be run, if all it does is read. */
export async function preparedReading(database: Database, sql: string) {
  requireReading(sql);
  const { SELECT, EXPLAIN: EXPLAINS } = (await import("@duckdb/node-api")).StatementType;
  const { count, statement } = await database.prepare(sql);
  if (count > 1)
    throw new UsageError(
      "A query is one statement. Run them one by one; a PIVOT needs its values written out: PIVOT … ON system IN ('a', 'b').",
    );
  const { statementType } = statement;
  if (statementType === EXPLAINS) await requireSelect(database, withoutLead(sql).replace(EXPLAIN, ""), SELECT);
  else if (statementType !== SELECT) throw new UsageError(ALLOWED);
  if (statement.parameterCount > 0)
    throw new UsageError("The statement has a parameter ($1 or ?) that nothing is given for. Write the value itself.");
  return statement;
}

/** What is explained may be run for it, so that it too must only read. */
async function requireSelect(database: Database, sql: string, select: number): Promise<void> {
  const { statement } = await database.prepare(sql);
  if (statement.statementType !== select) throw new UsageError(ALLOWED);
}
