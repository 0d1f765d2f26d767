import type { RecordedExchange } from "./cassette.js";

/** What is compared of a request. */
export interface ComparedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Differences that a message names. */
const MAX_SHOWN = 3;

/** Characters of a text that a message quotes, from a little before the difference. */
const QUOTE_CHARS = 60;
const QUOTE_BEFORE = 12;

/** A recorded exchange with its whole body. */
export interface Candidate {
  readonly exchange: RecordedExchange;
  readonly body: unknown;
}

/** The recorded request that a request is most like, among those to the same path; null if there is none. */
export function findNearest<T extends Candidate>(request: ComparedRequest, candidates: readonly T[]): T | null {
  const fields = listFields(request.body);
  let best: { candidate: T; likeness: number } | null = null;
  for (const candidate of candidates) {
    const { method, path } = candidate.exchange;
    if (method !== request.method || path !== request.path) continue;
    const likeness = measureLikeness(fields, listFields(candidate.body));
    if (best === null || likeness > best.likeness) best = { candidate, likeness };
  }
  return best?.candidate ?? null;
}

/** Says where a request differs from a recorded one. */
export function describeDifference(request: ComparedRequest, recorded: Candidate): string {
  const [now, then] = [listFields(request.body), listFields(recorded.body)];
  const names = [...new Set([...then.keys(), ...now.keys()])];
  const different = names.filter((name) => now.get(name) !== then.get(name));
  const shown = different.slice(0, MAX_SHOWN).map((name) => describeField(name, then.get(name), now.get(name)));
  const rest = different.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

/** The values of a body by their place: `messages[1].content`. */
function listFields(body: unknown): Map<string, string> {
  const fields = new Map<string, string>();
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== "object" || value === null) fields.set(place, JSON.stringify(value) ?? "");
    else if (Array.isArray(value)) for (const [at, each] of value.entries()) visit(each, `${place}[${at}]`);
    else for (const [name, each] of Object.entries(value)) visit(each, place === "" ? name : `${place}.${name}`);
  };
  visit(body, "");
  return fields;
}

/** The share of equal fields. A text that only begins alike counts for its equal part. */
function measureLikeness(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): number {
  let equal = 0;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined) continue;
    equal += other === value ? 1 : countEqualStart(value, other) / Math.max(value.length, other.length, 1);
  }
  return (2 * equal) / Math.max(1, a.size + b.size);
}

function countEqualStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function describeField(name: string, recorded: string | undefined, sent: string | undefined): string {
  const field = name === "" ? "the body" : name;
  if (recorded === undefined) return `${field} is only in the request: ${quote(sent ?? "", 0)}`;
  if (sent === undefined) return `${field} is only in the recording: ${quote(recorded, 0)}`;
  const at = countEqualStart(recorded, sent);
  const where = at > QUOTE_CHARS ? ` at character ${at}` : "";
  return `${field}${where}: recorded ${quote(recorded, at)}, sent ${quote(sent, at)}`;
}

/** A value, or the part of a long one around a place. */
function quote(text: string, at: number): string {
  if (text.length <= QUOTE_CHARS) return text;
  const from = at > QUOTE_CHARS - QUOTE_BEFORE ? at - QUOTE_BEFORE : 0;
  const part = text.slice(from, from + QUOTE_CHARS);
  return `${from > 0 ? "…" : ""}${part}${from + QUOTE_CHARS < text.length ? "…" : ""}`;
}
