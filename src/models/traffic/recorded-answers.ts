import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { RecordedExchange } from "./cassette.js";
import { describeDifference, findNearest } from "./compare-requests.js";
import { type NumberedExchange, readExchanges, takeAlike } from "./match-exchange.js";
import { normalizeRequest, type PlainRequest } from "./normalize-request.js";
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
  find({ method, path, body }: PlainRequest): { reply: RecordedReply } | { problem: string } {
    const sent = normalizeRequest({ method, path: stripPathSecrets(path), body }, new TextReplacer([]));
    const alike = this.#known.filter(({ exchange }) => exchange.hash === sent.hash && exchange.answer !== null);
    if (alike.every(({ at }) => this.#used.has(at))) for (const { at } of alike) this.#used.delete(at);
    const found = takeAlike(alike, this.#used, sent);
    if (found !== null) return { reply: toReply(found.exchange, FOLDER.exec(body.toString("utf8"))?.[0]) };
    const candidates = this.#known.map((each) => ({ ...each, body: this.#bodies.unpack(each.exchange.body) }));
    const nearest = findNearest(sent, candidates);
    const what = `${method} ${sent.path} has no recorded answer in ${this.#path}`;
    if (nearest === null) return { problem: `${what}, which has no call to that path.` };
    return { problem: `${what}. It differs from call ${nearest.at + 1}: ${describeDifference(sent, nearest)}.` };
  }
}

function toReply({ answer, end }: RecordedExchange, folder: string | undefined): RecordedReply {
  const { status = 502, headers = {}, chunks = [], encoding } = answer ?? {};
  const fillIn = (text: string) => (folder === undefined ? text : text.replaceAll(formatTrafficName("folder"), folder));
  const decoded = chunks.map((chunk) => decodeChunk(chunk, encoding, fillIn));
  return { status, headers, chunks: decoded, isComplete: end === "complete" };
}
