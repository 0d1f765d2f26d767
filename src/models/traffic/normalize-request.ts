import { digest } from "../../core/index.js";
import type { TextReplacer } from "./replace-texts.js";
import { formatTrafficName } from "./traffic.js";

/** Fields that identify a client or a session. They do not change an answer. */
const ID_KEYS = new Set([
  "prompt_cache_key",
  "promptCacheKey",
  "request_id",
  "safety_identifier",
  "session_id",
  "sessionId",
  "user",
  "user_id",
]);

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";

/**
 * Texts that differ each time a program is run: ids, hashes, dates, times, durations and temporary folders. A change of these is a
 * change of the format.
 */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // The folder of a trial whose name is not known, such as that of an agent that asks a mock.
  [/[^\s"'`:()]*\/assay-workspace-[A-Za-z\d]{6}/g, formatTrafficName("folder")],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "{id}"],
  [/\b(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{7,64}\b/g, "{hash}"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z\b|UTC\b|[+-]\d\d:?\d\d\b))?/g, "{time}"],
  [/\b\d{4}-\d\d-\d\d\b/g, "{date}"],
  [/\b\d{1,2}\/\d{1,2}\/\d{4}\b/g, "{date}"],
  [
    new RegExp(
      `\\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?${MONTH} +\\d{1,2}(?:(?:,? \\d{4})|(?: \\d\\d:\\d\\d(?::\\d\\d)?(?: [A-Z]{3,4})?(?: \\d{4})?))(?!\\d)`,
      "g",
    ),
    "{date}",
  ],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, "{time}"],
  [/\b\d+(?:\.\d+)? ?(?:ms|µs|ns|s|sec|secs|seconds|milliseconds)\b/g, "{duration}"],
  [/\b(duration_ms|elapsed|took)([:= ]+)\d+(?:\.\d+)?/g, "$1$2{duration}"],
  [
    /((?:\/private)?(?:\/tmp|\/var\/folders\/[^/\s]+\/[^/\s]+\/T)\/)[\w.-]*?[A-Za-z\d]{6,}(?=[/\s"'`:)]|$)/g,
    "$1{folder}",
  ],
];

/** A request as it is stored and compared. */
export interface NormalRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The same for requests that differ in volatile fields only. */
  readonly hash: string;
  /** The same for equal requests. */
  readonly exact: string;
}

export interface PlainRequest {
  readonly method: string;
  /** Without keys. */
  readonly path: string;
  readonly body: Buffer;
}

/** Replaces names and secrets first, because they are known, then everything that looks volatile. */
export function normalizeRequest({ method, path, body }: PlainRequest, replacer: TextReplacer): NormalRequest {
  const known = { method, path: replacer.replace(path), body: replacer.replaceIn(parseBody(body)) };
  const normal = { method, path: normalizeText(known.path), body: normalizeValue(known.body) };
  return { ...normal, hash: digest(normal), exact: digest(known) };
}

/** JSON; other text as it is, and anything else in base64. */
function parseBody(body: Buffer): unknown {
  if (body.length === 0) return null;
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return Buffer.from(text).equals(body) ? text : body.toString("base64");
  }
}

function normalizeValue(value: unknown): unknown {
  if (typeof value === "string") return normalizeText(value);
  if (Array.isArray(value)) return value.map(normalizeValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      ID_KEYS.has(name) && typeof each === "string" ? "{id}" : normalizeValue(each),
    ]),
  );
}

function normalizeText(text: string): string {
  return VOLATILE.reduce((left, [pattern, by]) => left.replace(pattern, by), text);
}
