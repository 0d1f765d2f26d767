import { createHash } from "node:crypto";
import { type TrialKey, VERSION } from "../../core/index.js";

/** The version of the file format. */
const CASSETTE_VERSION = 1;

export const CASSETTE_EXTENSION = ".jsonl";

/** The first line of a cassette. */
export interface CassetteHeader {
  readonly kind: "cassette";
  readonly version: number;
  /** The version of Assay that wrote it. */
  readonly assay: string;
  /** Null for calls that belong to no trial. */
  readonly trial: TrialKey | null;
}

/** Starts the work of a system, which makes all earlier lines void, or its grading, which makes earlier grading void. */
interface CassetteBegin {
  readonly kind: "begin";
  readonly by: CallMaker;
}

/** A simulated user works together with the system. */
export type CallMaker = "system" | "judge" | "user";

/** One request and its answer. */
export interface RecordedExchange {
  readonly kind: "exchange";
  readonly by: CallMaker;
  readonly method: string;
  /** With the query, without keys. */
  readonly path: string;
  /** The host that answered, without its port. */
  readonly host: string;
  /** JSON with volatile fields replaced, and with large parts replaced by references to stored ones. */
  readonly body: unknown;
  /** Hash of the request without its volatile fields: requests with the same one are alike. */
  readonly hash: string;
  /** Hash of the request with them. */
  readonly exact: string;
  /** Null if no answer began. */
  readonly answer: RecordedAnswer | null;
  /** Milliseconds from the request to the end of the answer. */
  readonly ms: number;
  /** `cut`: the client ended it, so it was still open. `broken`: the connection failed. */
  readonly end: "complete" | "cut" | "broken";
  /** Of a failed connection. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What arrived together: milliseconds since the request, and one or more events or pieces. */
  readonly chunks: readonly RecordedChunk[];
  /** Of the pieces. Default: text. */
  readonly encoding?: "base64";
}

export type RecordedChunk = readonly [ms: number, ...pieces: string[]];

export type CassetteLine = CassetteHeader | CassetteBegin | RecordedExchange;

export function createCassetteHeader(trial: TrialKey | null): CassetteHeader {
  return { kind: "cassette", version: CASSETTE_VERSION, assay: VERSION, trial };
}

/** One text for each trial. */
export function formatTrialId({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

/** The file of a trial: readable, and different for every trial. */
export function nameCassetteFile(trial: TrialKey | null): string {
  if (trial === null) return `other${CASSETTE_EXTENSION}`;
  const hash = createHash("sha256").update(formatTrialId(trial)).digest("hex").slice(0, 10);
  const words = [trial.system, String(trial.exampleId), String(trial.trial)].map(toFileWord);
  return `${words.join(".")}.${hash}${CASSETTE_EXTENSION}`;
}

const MAX_FILE_WORD = 60;

function toFileWord(text: string): string {
  const word = text.replace(/[^A-Za-z\d_-]+/g, "-").replace(/^-+|-+$/g, "");
  return word.slice(0, MAX_FILE_WORD) || "x";
}

/** Why a header cannot be read; null if it can. */
export function findHeaderProblem(value: unknown): string | null {
  const { kind, version, assay } = (value ?? {}) as Partial<CassetteHeader>;
  if (kind !== "cassette" || typeof version !== "number") return "is not a cassette";
  if (version === CASSETTE_VERSION) return null;
  return `is a cassette of version ${version}${assay === undefined ? "" : `, written by Assay ${assay}`}, and this Assay reads version ${CASSETTE_VERSION}`;
}

/** Describes a trial for messages. */
export function describeTrialKey(trial: TrialKey | null): string {
  if (trial === null) return "calls without a trial";
  return `trial ${trial.trial + 1} of ${JSON.stringify(trial.exampleId)} with ${trial.system}`;
}
