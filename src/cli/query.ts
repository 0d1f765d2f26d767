import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { EXIT, messageOf, UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { type Column, markdownTable } from "../report/markdown.js";
import {
  type Answer,
  csvText,
  type JsonValue,
  type QueryColumn,
  type QueryRow,
  QueryStopped,
  schemaText,
  withAnswer,
} from "../store/history/index.js";
import { say, writeResult } from "./streams.js";

export interface QueryFlags {
  output: string;
  runsDir: string;
  limit?: number;
  file?: string;
  schema?: boolean;
}

export interface QueryRequest extends QueryFlags {
  statement?: string;
}

const USUAL_LIMIT = 100;
/** After this time, a note says that the query is still running. */
const PATIENCE_MS = 3000;

/** `assay query`: SQL over all stored runs. Reads only. */
export async function queryCommand(request: QueryRequest): Promise<number> {
  const output = outputOf(request);
  const { statement, file, runsDir, limit = USUAL_LIMIT } = request;
  if (request.schema === true || (statement === undefined && file === undefined)) {
    await writeResult(schemaText());
    return EXIT.fine;
  }
  const stop = stopping();
  try {
    await withAnswer({ runsDir, sql: await statementOf(request), signal: stop.signal }, async (answer) => {
      for (const note of answer.notes) say(note);
      for await (const piece of answerText(answer, { output, limit })) await writeResult(piece);
      if (output === "table" && answer.count > limit)
        say(
          `Showing ${limit} of ${answer.count} lines. Use --limit ${answer.count} to show all, or --output csv to write all.`,
        );
    });
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof QueryStopped)) throw error;
    say(error.message);
    return EXIT.interrupted;
  } finally {
    stop.release();
  }
}

function outputOf({ output, limit }: QueryRequest): QueryOutput {
  const known = QUERY_OUTPUTS.find((name) => name === output);
  if (known === undefined)
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, QUERY_OUTPUTS)}`);
  if (limit !== undefined && known !== "table")
    throw new UsageError(
      "--limit is only for the table; other formats write every line. Add limit N to the statement instead.",
    );
  return known;
}

async function statementOf({ statement, file }: QueryRequest): Promise<string> {
  if (file !== undefined && statement !== undefined) throw new UsageError("Pass the statement or --file, not both.");
  if (file !== undefined) return statementIn(file);
  return statement === "-" ? text(process.stdin) : (statement ?? "");
}

function statementIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${messageOf(cause)}. Pass a file that contains the statement.`, {
      cause,
    });
  }
}

/** Ctrl-C stops the query rather than the process, so that its temporary files are removed. */
function stopping(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? process.exit(EXIT.interrupted) : controller.abort());
  const waiting = setTimeout(() => {
    if (process.stderr.isTTY) say("Still reading. Press Ctrl-C to stop.");
  }, PATIENCE_MS);
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const release = () => {
    clearTimeout(waiting);
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  return { signal: controller.signal, release };
}

export const QUERY_OUTPUTS = ["table", "json", "csv", "jsonl"] as const;

export type QueryOutput = (typeof QUERY_OUTPUTS)[number];

/** Longer texts would push other columns out of view. */
const WIDEST_CELL = 60;
const DIGITS = 6;

/** Streams the answer as text. The table stops at `limit`. */
export function answerText(
  answer: Answer,
  { output, limit }: { output: QueryOutput; limit: number },
): AsyncGenerator<string> {
  if (output === "json") return jsonText(answer);
  if (output === "csv") return csvText(answer);
  return output === "jsonl" ? jsonLines(answer) : tableText(answer, limit);
}

async function* jsonText({ columns, pieces }: Answer): AsyncGenerator<string> {
  yield `{\n  "schema": "assay.query/1",\n  "columns": ${JSON.stringify(columns)},\n  "rows": [`;
  let isFirst = true;
  for await (const rows of pieces()) {
    yield `${isFirst ? "" : ","}\n    ${rows.map((row) => JSON.stringify(row)).join(",\n    ")}`;
    isFirst = false;
  }
  yield isFirst ? "]\n}\n" : "\n  ]\n}\n";
}

async function* jsonLines({ pieces }: Answer): AsyncGenerator<string> {
  for await (const rows of pieces()) yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

async function* tableText(answer: Answer, limit: number): AsyncGenerator<string> {
  const rows: QueryRow[] = [];
  for await (const piece of answer.pieces()) {
    rows.push(...piece.slice(0, limit - rows.length));
    if (rows.length >= limit) break;
  }
  const table = markdownTable(answer.columns.map(tableColumn), rows);
  yield rows.length === 0 ? `${table}\n\nNo matching rows.\n` : `${table}\n`;
}

const NUMERIC = /INT|DOUBLE|FLOAT|DECIMAL/;

function tableColumn({ name, type }: QueryColumn): Column<QueryRow> {
  const align = NUMERIC.test(type) && !/[[(]/.test(type.replace(/^DECIMAL\(.*\)$/, "")) ? "right" : "left";
  return { title: name, align, cell: (row) => cellText(row[name] ?? null) };
}

function cellText(value: JsonValue): string {
  if (value === null) return "–";
  if (typeof value === "number") return String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const characters = Array.from(text.slice(0, 2 * WIDEST_CELL + 2));
  return characters.length > WIDEST_CELL ? `${characters.slice(0, WIDEST_CELL - 1).join("")}…` : text;
}
