import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { RecordedExchange } from "./cassette.js";
import { describeDifference, findNearest } from "./compare-requests.js";
import { type NumberedExchange, readExchanges, takeAlike } from "./match-exchange.js";
import { type NormalRequest, normalizeRequest, type PlainRequest } from "./normalize-request.js";
import { decodeChunk } from "./played-answer.js";
import { listCassettes } from "./read-cassette.js";
import { TextReplacer } from "./replace-texts.js";
import { stripPathSecrets } from "./secrets-of-request.js";
import { StoredBodies } from "./stored-bodies.js";
import { formatTrafficName } from "./traffic.js";

/** A recorded answer, for a server. */
export interface RecordedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Buffer[];
  /** False if it never ended. */
  readonly isComplete: boolean;
}

const FOLDER = /[^\s"'`:()]*\/assay-workspace-[A-Za-z\d]{6}/;

/**
 * The answers of one cassette, or of all cassettes of a folder, for requests of any trial. Equal requests get theirs in the
 * order of the recording, and after the last one again from the first.
 */
export class RecordedAnswers {
  readonly #path: string;
  readonly #known: readonly NumberedExchange[];
  readonly #bodies: StoredBodies;
  readonly #used = new Set<number>();

  constructor(path: string) {
    this.#path = path;
    this.#known = readExchanges(listCassettes(path).map((file) => file.path));
    this.#bodies = new StoredBodies(statSync(path).isFile() ? dirname(path) : path);
  }

  /** The answer to a request, or why there is none. */
  find(request: PlainRequest): { reply: RecordedReply } | { problem: string } {
    const { method } = request;
    const folder = FOLDER.exec(request.body.toString("utf8"))?.[0];
    const sent = normalize(request);
    const found = this.#take(sent);
    if (found !== null) return { reply: toReply(found.exchange, folder) };
    const metered = addUsageOption(request.body);
    const foundMetered = metered === null ? null : this.#take(normalize({ ...request, body: metered }));
    if (foundMetered !== null) return { reply: removeUsageEvents(toReply(foundMetered.exchange, folder)) };
    const candidates = this.#known.map((each) => ({ ...each, body: this.#bodies.unpack(each.exchange.body) }));
    const nearest = findNearest(sent, candidates);
    const what = `${method} ${sent.path} has no recorded answer in ${this.#path}`;
    if (nearest === null) return { problem: `${what}, which has no call to that path.` };
    return { problem: `${what}. It differs from call ${nearest.at + 1}: ${describeDifference(sent, nearest)}.` };
  }

  #take(sent: NormalRequest): NumberedExchange | null {
    const alike = this.#known.filter(({ exchange }) => exchange.hash === sent.hash && exchange.answer !== null);
    if (alike.every(({ at }) => this.#used.has(at))) for (const { at } of alike) this.#used.delete(at);
    return takeAlike(alike, this.#used, sent);
  }
}

function normalize({ method, path, body }: PlainRequest): NormalRequest {
  return normalizeRequest({ method, path: stripPathSecrets(path), body }, new TextReplacer([]));
}

/**
 * The request as the gateway sends it for a program that does not ask for usage itself. Null for any other, such as one
 * that does not stream.
 */
function addUsageOption(body: Buffer): Buffer | null {
  const json = parseJson(body.toString("utf8"));
  if (!isRecord(json) || json.stream !== true) return null;
  const options = isRecord(json.stream_options) ? json.stream_options : {};
  if (options.include_usage === true) return null;
  return Buffer.from(JSON.stringify({ ...json, stream_options: { ...options, include_usage: true } }));
}

/** A program that does not ask for usage does not expect an event without choices. */
function removeUsageEvents(reply: RecordedReply): RecordedReply {
  const events = Buffer.concat(reply.chunks)
    .toString("utf8")
    .split(/(?<=\r?\n\r?\n)/);
  return { ...reply, chunks: events.filter((event) => !isUsageOnly(event)).map((event) => Buffer.from(event)) };
}

function isUsageOnly(event: string): boolean {
  const json = parseJson(event.replace(/^data: */, ""));
  return isRecord(json) && Array.isArray(json.choices) && json.choices.length === 0 && isRecord(json.usage);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toReply({ answer, end }: RecordedExchange, folder: string | undefined): RecordedReply {
  const { status = 502, headers = {}, chunks = [], encoding } = answer ?? {};
  const fillIn = (text: string) => (folder === undefined ? text : text.replaceAll(formatTrafficName("folder"), folder));
  const decoded = chunks.map((chunk) => decodeChunk(chunk, encoding, fillIn));
  return { status, headers, chunks: decoded, isComplete: end === "complete" };
}
