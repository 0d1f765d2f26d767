import type { EvalRow } from "../../core/index.js";
import type { TopError, TopErrors } from "./contract.js";

const MAX_CODE_LENGTH = 120;
const MAX_MESSAGE_LENGTH = 300;
const MAX_TOP_ERRORS = 50;

/**
 * What failed rows are grouped by: the code of a compiler or provider, else the message without what differs from trial
 * to trial, else the error category. Null for a row without an error.
 * @example
 * findErrorCode(row); // "PAR_001", "HTTP 429", "no answer within # s" or "cost_killed"
 */
export function findErrorCode(row: EvalRow): string | null {
  if (row.errorCategory === "none") return null;
  const given = row.metadata?.err_code;
  if (typeof given === "string" && given.trim() !== "") return given.trim().slice(0, MAX_CODE_LENGTH);
  const message = findErrorMessage(row);
  if (message === null) return row.errorCategory;
  return findStatusCode(message) ?? (normalizeMessage(message, row.system) || row.errorCategory);
}

/** The last failed attempt of an error, or the last note of a trial that could not be scored. */
function findErrorMessage({ outcome, attempts, notes }: EvalRow): string | null {
  if (outcome === "error") return attempts.at(-1)?.message ?? null;
  return outcome === "unscored" ? (notes.at(-1) ?? null) : null;
}

/** Such as `HTTP 429`, with the provider's own code where it stands behind the status. */
function findStatusCode(message: string): string | null {
  const status = /\b(?:HTTP|status(?: code)?)[ :]+([1-5]\d\d)\b/i.exec(message)?.[1];
  if (status === undefined) return null;
  const own = /"(?:code|type)"\s*:\s*"([a-z][\w.-]{2,40})"/i.exec(message)?.[1];
  return own === undefined ? `HTTP ${status}` : `HTTP ${status} ${own}`;
}

/** Replaces names, quoted texts, ids and numbers, so that equal errors have equal texts. */
export function normalizeMessage(message: string, system: string): string {
  const [line = ""] = message.trim().split("\n", 1);
  const unnamed = system === "" ? line : line.replaceAll(system, "…");
  return unnamed
    .slice(0, 4 * MAX_CODE_LENGTH)
    .replace(/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, "…")
    .replace(/\b(?=[\da-f-]*\d)[\da-f]{4,}(?:-[\da-f]{2,})*\b/gi, "#")
    .replace(/\d+(?:[.,]\d+)*/g, "#")
    .replace(/\s+/g, " ")
    .slice(0, MAX_CODE_LENGTH)
    .trim();
}

/** The most frequent errors of a run, each with its systems. */
export function buildTopErrors(rows: readonly EvalRow[]): TopErrors {
  const found = new Map<string, { error: Omit<TopError, "systems" | "count">; systems: Map<string, number> }>();
  for (const row of rows) {
    const code = findErrorCode(row);
    if (code === null) continue;
    const entry = found.get(code) ?? { error: describeError(code, row), systems: new Map<string, number>() };
    entry.systems.set(row.system, (entry.systems.get(row.system) ?? 0) + 1);
    found.set(code, entry);
  }
  const all = [...found.values()]
    .map(({ error, systems }): TopError => {
      const counts = [...systems].map(([system, count]) => ({ system, count })).sort((a, b) => b.count - a.count);
      return { ...error, count: counts.reduce((sum, { count }) => sum + count, 0), systems: counts };
    })
    .sort((a, b) => b.count - a.count);
  return { trials: rows.length, top: all.slice(0, MAX_TOP_ERRORS), leftOut: Math.max(0, all.length - MAX_TOP_ERRORS) };
}

function describeError(code: string, row: EvalRow): Omit<TopError, "systems" | "count"> {
  const message = findErrorMessage(row);
  return { code, category: row.errorCategory, message: message === null ? null : message.slice(0, MAX_MESSAGE_LENGTH) };
}

/** The tag by which rows with this code are filtered; none where the code is the category itself. */
export function listErrorTags(row: EvalRow): string[] {
  const code = findErrorCode(row);
  return code === null || code === row.errorCategory ? [] : [`error=${code}`];
}
