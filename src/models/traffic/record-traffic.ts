import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { getErrorMessage, JournalError, type TrialKey, UsageError } from "../../core/index.js";
import { getNodeErrorCode } from "../http/errors.js";
import type { Transport, TransportAnswer, TransportRequest } from "../http/transport.js";
import { AnswerTap } from "./answer-tap.js";
import {
  type CallMaker,
  type CassetteLine,
  createCassetteHeader,
  formatTrialId,
  nameCassetteFile,
  type RecordedExchange,
} from "./cassette.js";
import { normalizeRequest } from "./normalize-request.js";
import { type Replacement, TextReplacer } from "./replace-texts.js";
import { hide, listRequestSecrets, listVariableSecrets, stripPathSecrets } from "./secrets-of-request.js";
import { StoredBodies } from "./stored-bodies.js";
import { formatTrafficName, type Traffic, type TrafficName } from "./traffic.js";

/** Options of `recordTraffic`. */
export interface RecordTrafficOptions {
  /** The folder of the cassettes; created if it is missing. */
  readonly dir: string;
  /** The values of its variables with keys are not stored. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/**
 * Writes every model call of every trial into a cassette, one file for each trial. A line is written when its answer has
 * ended, so a kill loses the calls in flight.
 * @example
 * const traffic = recordTraffic({ dir: "cassettes" });
 */
export function recordTraffic(options: RecordTrafficOptions): Traffic {
  requireWritableFolder(options.dir);
  return new Recorder(options);
}

class Recorder implements Traffic {
  readonly isOffline = false;
  readonly #dir: string;
  readonly #now: () => number;
  readonly #bodies: StoredBodies;
  readonly #secrets: Set<string>;
  /** By trial. */
  readonly #names = new Map<string, Replacement[]>();
  /** Files and who has written into them. */
  readonly #begun = new Set<string>();
  #problem: unknown = null;

  constructor({ dir, env = process.env, now = () => performance.now() }: RecordTrafficOptions) {
    this.#dir = dir;
    this.#now = now;
    this.#bodies = new StoredBodies(dir);
    this.#secrets = new Set(listVariableSecrets(env));
  }

  readonly wrap = (network: Transport): Transport => ({ send: (request) => this.#send(network, request) });

  addName(trial: TrialKey, text: string, name: TrafficName): void {
    const id = formatTrialId(trial);
    this.#names.set(id, [...(this.#names.get(id) ?? []), [text, formatTrafficName(name)]]);
  }

  startTurn(): boolean {
    return true;
  }

  describeTrial(): null {
    return null;
  }

  findMiss(): null {
    return null;
  }

  async close(): Promise<void> {
    if (this.#problem === null) return;
    throw new JournalError(
      `The cassettes in ${this.#dir} are incomplete: ${getErrorMessage(this.#problem)}. Free some space or fix the folder, and record again.`,
      { cause: this.#problem },
    );
  }

  async #send(network: Transport, request: TransportRequest): Promise<TransportAnswer> {
    const body = await readRequestBody(request.body);
    const open = this.#open(request, body);
    try {
      const answer = await network.send({ ...request, body });
      return this.#tap(answer, open, request.signal);
    } catch (error) {
      this.#write(
        open,
        request.signal.aborted ? { answer: null, end: "cut" } : { answer: null, ...describeBreak(error) },
      );
      throw error;
    }
  }

  #open(request: TransportRequest, body: Buffer): OpenExchange {
    for (const secret of listRequestSecrets(request)) this.#secrets.add(secret);
    const { trial = null, by = "system", method, origin } = request;
    const names = trial === null ? [] : (this.#names.get(formatTrialId(trial)) ?? []);
    const replacer = new TextReplacer([...names, ...hide(this.#secrets)]);
    const path = stripPathSecrets(request.path);
    const { hostname: host } = new URL(origin);
    const { hash, exact, ...normal } = normalizeRequest({ method, path, body }, replacer);
    return { trial, by, replacer, startedAt: this.#now(), known: { ...normal, host, hash, exact } };
  }

  /** The answer, recorded while it is read. */
  #tap(answer: TransportAnswer, open: OpenExchange, signal: AbortSignal): TransportAnswer {
    const { replacer, startedAt } = open;
    const tap = new AnswerTap(answer, { replacer, now: () => this.#now() - startedAt });
    tap.onWhole = (recorded) => this.#write(open, { answer: recorded, end: "complete" });
    pipeline(answer.body, tap, (error) => {
      if (tap.isWhole) return;
      const wasBroken = !signal.aborted && isNetworkError(answer.body.errored);
      this.#write(open, { answer: tap.recorded, ...(wasBroken ? describeBreak(error) : { end: "cut" }) });
    });
    return { ...answer, body: tap };
  }

  #write({ trial, by, known, startedAt }: OpenExchange, ending: ExchangeEnding): void {
    const ms = roundMs(this.#now() - startedAt);
    try {
      const { method, path, host, body, hash, exact } = known;
      const request = { method, path, host, body: this.#bodies.pack(body), hash, exact };
      this.#append(trial, by, { kind: "exchange", by, ...request, ms, ...ending });
    } catch (error) {
      this.#problem ??= error;
    }
  }

  #append(trial: TrialKey | null, by: CallMaker, exchange: RecordedExchange): void {
    const file = join(this.#dir, nameCassetteFile(trial));
    const lines: CassetteLine[] = [];
    // What an earlier process wrote may end in a torn line.
    const isContinued = !this.#begun.has(file) && existsSync(file);
    if (!this.#begun.has(file) && !isContinued) lines.push(createCassetteHeader(trial));
    const part = by === "judge" ? "judge" : "system";
    if (!this.#begun.has(`${part} ${file}`)) lines.push({ kind: "begin", by: part });
    lines.push(exchange);
    appendFileSync(file, (isContinued ? "\n" : "") + lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    this.#begun.add(file).add(`${part} ${file}`);
  }
}

type ExchangeEnding = Pick<RecordedExchange, "answer" | "end" | "error">;

interface OpenExchange {
  readonly trial: TrialKey | null;
  readonly by: CallMaker;
  readonly replacer: TextReplacer;
  readonly startedAt: number;
  readonly known: Pick<RecordedExchange, "method" | "path" | "host" | "body" | "hash" | "exact">;
}

/** The whole body of a request. */
export async function readRequestBody(body: string | Buffer | Readable | null): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  if (typeof body === "string") return Buffer.from(body);
  return Buffer.isBuffer(body) ? body : buffer(body);
}

function describeBreak(error: unknown): Pick<RecordedExchange, "end" | "error"> {
  return { end: "broken", error: { code: getNodeErrorCode(error), message: getErrorMessage(error) } };
}

/** False for the errors of a stream whose reader has stopped. */
function isNetworkError(error: unknown): boolean {
  return error != null && !["ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR"].includes(getNodeErrorCode(error));
}

function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function requireWritableFolder(dir: string): void {
  const probe = join(dir, `.assay-${process.pid}`);
  try {
    mkdirSync(dir, { recursive: true });
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (cause) {
    const isFile = existsSync(dir) && !statSync(dir).isDirectory();
    throw new UsageError(
      `Model calls cannot be recorded in ${dir}: ${isFile ? "it is a file" : getErrorMessage(cause)}. Choose a writable folder with --record.`,
      { cause },
    );
  }
}
