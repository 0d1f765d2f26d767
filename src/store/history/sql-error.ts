import { AssayError, messageOf, UsageError } from "../../core/errors.js";
import { nearest } from "../../core/suggest.js";
import { VIEW_NAMES, VIEWS } from "./schema.js";

/** DuckDB's error details in JSON. */
interface Told {
  readonly exception_type?: string;
  readonly exception_message?: string;
  readonly error_subtype?: string;
  readonly type?: string;
  readonly name?: string;
  readonly candidates?: string;
  readonly position?: string;
}

/** Turns anything thrown by a user's statement into a readable error with its place. */
export function sqlError(thrown: unknown, sql: string): AssayError {
  if (thrown instanceof AssayError) return thrown;
  const told = toldIn(messageOf(thrown));
  if (told === null) return new UsageError(`The statement cannot be run: ${messageOf(thrown)}`, { cause: thrown });
  const place = told.position === undefined ? "" : placeOf(sql, textBefore(sql, told));
  return new UsageError(`The statement cannot be run: ${wordsOf(told)}${place}`, { cause: thrown });
}

/** Parses DuckDB's error details from a message; null if it is not a DuckDB error. */
export function toldIn(message: string): Told | null {
  const start = message.indexOf("{");
  try {
    const parsed: unknown = start === -1 ? null : JSON.parse(message.slice(start));
    return typeof parsed === "object" ? parsed : null;
  } catch {
    return null;
  }
}

function wordsOf(told: Told): string {
  const { exception_message: message = "unknown reason", error_subtype: subtype, name = "" } = told;
  if (subtype === "COLUMN_NOT_FOUND") return `there is no column "${name}".${hint(name, told, COLUMNS)}`;
  const unknown = /does not have a column named "(.+?)"/.exec(message)?.[1];
  if (unknown !== undefined) return `there is no column "${unknown}".${hint(unknown, told, COLUMNS)}`;
  if (subtype === "MISSING_ENTRY" && told.type === "Table")
    return `there is no view "${name}".${hint(name, { candidates: "" }, VIEW_NAMES)} The views are ${VIEW_NAMES.join(", ")}.`;
  if (subtype === "MISSING_ENTRY" && told.type?.includes("Function") === true)
    return `there is no function "${name}".${hint(name, told, [])}`;
  if (told.exception_type === "Permission")
    return "it accesses a file, but a query can only read the views (assay query --schema lists them).";
  if (told.exception_type === "Out of Memory")
    return "it needs more memory than a query may use. Select fewer columns or rows.";
  return closed(message.split("\n")[0] ?? message);
}

const COLUMNS = [...new Set(Object.values(VIEWS).flatMap(({ columns }) => columns.map(([name]) => name)))];

/** Suggests the nearest of DuckDB's candidates, otherwise of all known names. */
function hint(name: string, { candidates = "" }: Pick<Told, "candidates">, known: Iterable<string>): string {
  const near = candidates.split(",").map((each) => each.trim().replace(/^.*\./, ""));
  const guess = nearest(name, near.filter(Boolean)) ?? nearest(name, known);
  return guess === undefined ? "" : ` Did you mean "${guess}"?`;
}

function closed(text: string): string {
  return `${text.replace(/[.!]?$/, "")}.`;
}

/** The statement up to the error. The parser counts characters; later stages count bytes. */
function textBefore(sql: string, { position, exception_type: type }: Told): string {
  const place = Number(position);
  return type === "Parser" ? [...sql].slice(0, place).join("") : Buffer.from(sql).subarray(0, place).toString();
}

/** The place in the statement, with its line. */
function placeOf(sql: string, textBeforeIt: string): string {
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
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Quotes a list of texts for SQL. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}
