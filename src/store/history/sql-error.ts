import { AssayError, findClosestName, getErrorMessage, UsageError } from "../../core/index.js";
import { VIEW_NAMES, VIEWS } from "./schema.js";

/** DuckDB's error details in JSON. */
interface DuckDbErrorDetails {
  readonly exception_type?: string;
  readonly exception_message?: string;
  readonly error_subtype?: string;
  readonly type?: string;
  readonly name?: string;
  readonly candidates?: string;
  readonly position?: string;
}

/** Turns anything thrown by a user's statement into a readable error with its place. */
export function toSqlError(thrown: unknown, sql: string): AssayError {
  if (thrown instanceof AssayError) return thrown;
  const told = parseDuckDbError(getErrorMessage(thrown));
  if (told === null)
    return new UsageError(`The statement cannot be run: ${getErrorMessage(thrown)}`, { cause: thrown });
  const place = told.position === undefined ? "" : formatSqlPlace(sql, getTextBefore(sql, told));
  return new UsageError(`The statement cannot be run: ${describeDuckDbError(told)}${place}`, { cause: thrown });
}

/** Parses DuckDB's error details from a message; null if it is not a DuckDB error. */
export function parseDuckDbError(message: string): DuckDbErrorDetails | null {
  const start = message.indexOf("{");
  try {
    const parsed: unknown = start === -1 ? null : JSON.parse(message.slice(start));
    return typeof parsed === "object" ? parsed : null;
  } catch {
    return null;
  }
}

function describeDuckDbError(told: DuckDbErrorDetails): string {
  const { exception_message: message = "unknown reason", error_subtype: subtype, name = "" } = told;
  if (subtype === "COLUMN_NOT_FOUND") return `there is no column "${name}".${suggestName(name, told, COLUMN_NAMES)}`;
  const unknown = /does not have a column named "(.+?)"/.exec(message)?.[1];
  if (unknown !== undefined) return `there is no column "${unknown}".${suggestName(unknown, told, COLUMN_NAMES)}`;
  if (subtype === "MISSING_ENTRY" && told.type === "Table")
    return `there is no view "${name}".${suggestName(name, { candidates: "" }, VIEW_NAMES)} The views are ${VIEW_NAMES.join(", ")}.`;
  if (subtype === "MISSING_ENTRY" && told.type?.includes("Function") === true)
    return `there is no function "${name}".${suggestName(name, told, [])}`;
  if (told.exception_type === "Permission")
    return "it accesses a file, but a query can only read the views (assay query --schema lists them).";
  if (told.exception_type === "Out of Memory")
    return "it needs more memory than a query may use. Select fewer columns or rows.";
  return ensureFullStop(message.split("\n")[0] ?? message);
}

const COLUMN_NAMES = [...new Set(Object.values(VIEWS).flatMap(({ columns }) => columns.map(([name]) => name)))];

/** Suggests the nearest of DuckDB's candidates, otherwise of all known names. */
function suggestName(
  name: string,
  { candidates = "" }: Pick<DuckDbErrorDetails, "candidates">,
  known: Iterable<string>,
): string {
  const near = candidates.split(",").map((each) => each.trim().replace(/^.*\./, ""));
  const guess = findClosestName(name, near.filter(Boolean)) ?? findClosestName(name, known);
  return guess === undefined ? "" : ` Did you mean "${guess}"?`;
}

function ensureFullStop(text: string): string {
  return `${text.replace(/[.!]?$/, "")}.`;
}

/** The statement up to the error. The parser counts characters; later stages count bytes. */
function getTextBefore(sql: string, { position, exception_type: type }: DuckDbErrorDetails): string {
  const place = Number(position);
  return type === "Parser" ? [...sql].slice(0, place).join("") : Buffer.from(sql).subarray(0, place).toString();
}

/** The place in the statement, with its line. */
function formatSqlPlace(sql: string, textBeforeIt: string): string {
  const before = textBeforeIt.split("\n");
  const [line, column] = [before.length, [...(before.at(-1) ?? "")].length + 1];
  const text = sql.split("\n")[line - 1] ?? "";
  const start = Math.max(0, column - 60);
  const shown = [...text]
    .slice(start, start + 100)
    .join("")
    .replaceAll("\t", " ");
  return `\n  line ${line}, column ${column}:\n  ${shown}\n  ${" ".repeat(column - 1 - start)}^`;
}

/** Quotes a text for SQL. */
export function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Quotes a list of texts for SQL. */
export function quoteSqlList(texts: readonly string[]): string {
  return `[${texts.map(quoteSql).join(", ")}]`;
}
