import { UsageError } from "../core/errors.js";
import type { RunListQuery, RunStatus } from "../report/dashboard/contract.js";
import { isRunSort, MAX_RUNS, RUN_SORTS, STATUSES } from "../report/dashboard/index.js";

type QueryParams = Readonly<Record<string, string | undefined>>;

/**
 * Parses the query parameters of a run list. Empty values are ignored.
 * @example
 * parseRunQuery({ q: "gsm8k", sort: "-cost", limit: "20" }); // { q: "gsm8k", sort: "-cost", limit: 20 }
 */
export function parseRunQuery(words: QueryParams): RunListQuery {
  const { q, status, command, hasDataset, dataset, tag, sort, limit, offset } = words;
  return {
    ...(q && { q }),
    ...(status && { status: parseRunStatus(status) }),
    ...(command && { command }),
    ...(hasDataset && { hasDataset }),
    ...(dataset && { dataset }),
    ...(tag && { tag }),
    ...(sort && { sort: parseSortOrder(sort) }),
    ...(limit && { limit: parseQueryCount("limit", limit, { min: 1, max: MAX_RUNS }) }),
    ...(offset && { offset: parseQueryCount("offset", offset, { min: 0, max: Number.MAX_SAFE_INTEGER }) }),
  };
}

function parseRunStatus(text: string): RunStatus {
  const status = STATUSES.find((known) => known === text);
  if (status !== undefined) return status;
  throw new UsageError(`"status" is "${text}". It must be one of: ${STATUSES.join(", ")}.`);
}

function parseSortOrder(text: string): string {
  if (isRunSort(text.replace(/^-/, ""))) return text;
  const known = Object.keys(RUN_SORTS).join(", ");
  throw new UsageError(`"sort" is "${text}". It must be one of: ${known}, with - in front for descending order.`);
}

function parseQueryCount(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  const most = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  throw new UsageError(`"${name}" is "${text}". It must be a whole number ${most}.`);
}
