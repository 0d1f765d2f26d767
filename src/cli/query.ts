import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { didYouMean, EXIT, getErrorMessage, UsageError } from "../core/index.js";
import type { TableColumn } from "../report/index.js";
import {
  formatSchema,
  type JsonValue,
  type QueryAnswer,
  type QueryColumn,
  type QueryRow,
  QueryStopped,
  runQuery,
  streamCsv,
} from "../store/index.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

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

const DEFAULT_LIMIT = 100;
/** After this time, a note says that the query is still running. */
const STOP_TIMEOUT_MS = 3000;

/** `assay query`: SQL over all stored runs. Reads only. */
export async function executeQuery(request: QueryRequest): Promise<number> {
  const output = checkQueryOutput(request);
  const { statement, file, runsDir, limit = DEFAULT_LIMIT } = request;
  if (request.schema === true || (statement === undefined && file === undefined)) {
    await writeResult(formatSchema());
    return EXIT.fine;
  }
  const stop = createStopSignal();
  try {
    await runQuery({ runsDir, sql: await resolveStatement(request), signal: stop.signal }, async (answer) => {
      for (const note of answer.notes) printNote(note);
      for await (const piece of formatAnswer(answer, { output, limit })) await writeResult(piece);
      if (output === "table" && answer.count > limit)
        printNote(
          `Showing ${limit} of ${answer.count} lines. Use --limit ${answer.count} to show all, or --output csv to write all.`,
        );
    });
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof QueryStopped)) throw error;
    printNote(error.message);
    return EXIT.interrupted;
  } finally {
    stop.release();
  }
}

function checkQueryOutput({ output, limit }: QueryRequest): QueryOutput {
  const known = QUERY_OUTPUTS.find((name) => name === output);
  if (known === undefined)
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, QUERY_OUTPUTS)}`);
  if (limit !== undefined && known !== "table")
    throw new UsageError(
      "--limit is only for the table; other formats write every line. Add limit N to the statement instead.",
    );
  return known;
}

async function resolveStatement({ statement, file }: QueryRequest): Promise<string> {
  if (file !== undefined && statement !== undefined) throw new UsageError("Pass the statement or --file, not both.");
  if (file !== undefined) return readStatement(file);
  return statement === "-" ? text(process.stdin) : (statement ?? "");
}

function readStatement(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(
      `${file} cannot be read: ${getErrorMessage(cause)}. Pass a file that contains the statement.`,
      {
        cause,
      },
    );
  }
}

/** Ctrl-C stops the query rather than the process, so that its temporary files are removed. */
function createStopSignal(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? process.exit(EXIT.interrupted) : controller.abort());
  const waiting = setTimeout(() => {
    if (process.stderr.isTTY) printNote("Still reading. Press Ctrl-C to stop.");
  }, STOP_TIMEOUT_MS);
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
const MAX_CELL_WIDTH = 60;
const SIGNIFICANT_DIGITS = 6;

/** Streams the answer as text. The table stops at `limit`. */
export function formatAnswer(
  answer: QueryAnswer,
  { output, limit }: { output: QueryOutput; limit: number },
): AsyncGenerator<string> {
  if (output === "json") return formatAnswerJson(answer);
  if (output === "csv") return streamCsv(answer);
  return output === "jsonl" ? formatAnswerJsonl(answer) : formatAnswerTable(answer, limit);
}

async function* formatAnswerJson({ columns, pieces }: QueryAnswer): AsyncGenerator<string> {
  yield `{\n  "schema": "assay.query/1",\n  "columns": ${JSON.stringify(columns)},\n  "rows": [`;
  let isFirst = true;
  for await (const rows of pieces()) {
    yield `${isFirst ? "" : ","}\n    ${rows.map((row) => JSON.stringify(row)).join(",\n    ")}`;
    isFirst = false;
  }
  yield isFirst ? "]\n}\n" : "\n  ]\n}\n";
}

async function* formatAnswerJsonl({ pieces }: QueryAnswer): AsyncGenerator<string> {
  for await (const rows of pieces()) yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

async function* formatAnswerTable(answer: QueryAnswer, limit: number): AsyncGenerator<string> {
  const rows: QueryRow[] = [];
  for await (const piece of answer.pieces()) {
    rows.push(...piece.slice(0, limit - rows.length));
    if (rows.length >= limit) break;
  }
  const table = createScreenLayout().table(answer.columns.map(toTableColumn), rows);
  yield rows.length === 0 ? `${table}\n\nNo matching rows.\n` : `${table}\n`;
}

const NUMERIC_TYPE = /INT|DOUBLE|FLOAT|DECIMAL/;

function toTableColumn({ name, type }: QueryColumn): TableColumn<QueryRow> {
  const align = NUMERIC_TYPE.test(type) && !/[[(]/.test(type.replace(/^DECIMAL\(.*\)$/, "")) ? "right" : "left";
  return { title: name, align, cell: (row) => formatCell(row[name] ?? null) };
}

function formatCell(value: JsonValue): string {
  if (value === null) return "–";
  if (typeof value === "number")
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(SIGNIFICANT_DIGITS)));
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const characters = Array.from(text.slice(0, 2 * MAX_CELL_WIDTH + 2));
  return characters.length > MAX_CELL_WIDTH ? `${characters.slice(0, MAX_CELL_WIDTH - 1).join("")}…` : text;
}
