import { type Column, markdownTable } from "../report/markdown.js";
import { type Answer, csvText, type JsonValue, type QueryColumn, type QueryRow } from "../store/history/index.js";

/** How an answer can be written. */
export const QUERY_OUTPUTS = ["table", "json", "csv", "jsonl"] as const;

export type QueryOutput = (typeof QUERY_OUTPUTS)[number];

/** Longer texts would push all other columns out of sight. */
const WIDEST_CELL = 60;
const DIGITS = 6;

/** An answer as text, piece by piece. The table is for people, and stops at `limit`. */
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
  yield rows.length === 0 ? `${table}\n\nNo line fits.\n` : `${table}\n`;
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
