import { getErrorMessage, TrialError, type TrialKey } from "../../core/index.js";
import type { Transport, TransportAnswer, TransportRequest } from "../http/transport.js";
import { describeTrialKey, formatTrialId } from "./cassette.js";
import { type Candidate, describeDifference, findNearest } from "./compare-requests.js";
import { type NumberedExchange, readExchanges, takeAlike } from "./match-exchange.js";
import { type NormalRequest, normalizeRequest } from "./normalize-request.js";
import { playAnswer } from "./played-answer.js";
import { listCassettes } from "./read-cassette.js";
import { readRequestBody } from "./record-traffic.js";
import { type Replacement, TextReplacer } from "./replace-texts.js";
import { hide, listRequestSecrets, listVariableSecrets, stripPathSecrets } from "./secrets-of-request.js";
import { StoredBodies } from "./stored-bodies.js";
import { formatTrafficName, LIVE_NOTE_END, REPLAYED_NOTE, type Traffic, type TrafficName } from "./traffic.js";

/** What happens to a request without a recorded answer. */
type MissAction = "fail" | "live" | "nearest";

/** Options of `replayTraffic`. */
export interface ReplayTrafficOptions {
  /** The folder of the cassettes. */
  readonly dir: string;
  /** `fail` makes the trial an error, `live` sends the request, `nearest` answers like the most similar one. Default: fail. */
  readonly onMiss?: MissAction;
  /** Calls of each agent's trial that are answered from the recording; the others go to the model. Default: all. */
  readonly turns?: number;
  /** As for the recording. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Answers model calls from cassettes: for each trial in the order in which they were recorded, matched by their content.
 * @example
 * const traffic = replayTraffic({ dir: "cassettes" });
 */
export function replayTraffic(options: ReplayTrafficOptions): Traffic {
  return new Replayer(options);
}

/** Read cassettes that are kept; others are read again. */
const MAX_OPEN = 64;

class Replayer implements Traffic {
  readonly isOffline: boolean;
  readonly #dir: string;
  readonly #onMiss: MissAction;
  readonly #turns: number;
  readonly #bodies: StoredBodies;
  readonly #secrets: readonly string[];
  /** Path of each trial's cassette. */
  readonly #files = new Map<string, string>();
  readonly #recorded: readonly TrialKey[];
  readonly #trials = new Map<string, ReplayedTrial>();
  readonly #open = new Map<string, readonly NumberedExchange[]>();

  constructor({ dir, onMiss = "fail", turns = Number.POSITIVE_INFINITY, env = process.env }: ReplayTrafficOptions) {
    const found = listCassettes(dir);
    this.#dir = dir;
    this.#onMiss = onMiss;
    this.#turns = turns;
    this.isOffline = onMiss !== "live";
    this.#bodies = new StoredBodies(dir);
    this.#secrets = listVariableSecrets(env);
    for (const { path, trial } of found) this.#files.set(toId(trial), path);
    this.#recorded = found.flatMap(({ trial }) => (trial === null ? [] : [trial]));
  }

  readonly wrap = (network: Transport): Transport => ({ send: (request) => this.#send(network, request) });

  addName(trial: TrialKey, text: string, name: TrafficName): void {
    this.#getTrial(trial).names.push([text, formatTrafficName(name)]);
  }

  startTurn(trial: TrialKey): boolean {
    const own = this.#getTrial(trial);
    own.turns += 1;
    return own.turns <= this.#turns;
  }

  describeTrial(trial: TrialKey): string | null {
    const { replayed, nearest, live } = this.#getTrial(trial);
    if (replayed + nearest === 0) return null;
    const parts = [
      `${replayed + nearest} model ${replayed + nearest === 1 ? "call" : "calls"} from ${this.#dir}, not paid again`,
      ...(nearest === 0 ? [] : [`${nearest} of them with the answer to a similar request`]),
      ...(live === 0 ? [] : [`${live} ${LIVE_NOTE_END}`]),
    ];
    return `${REPLAYED_NOTE}: ${parts.join(", ")}`;
  }

  findMiss(trial: TrialKey): Error | null {
    return this.#getTrial(trial).miss;
  }

  async close(): Promise<void> {
    this.#open.clear();
  }

  async #send(network: Transport, request: TransportRequest): Promise<TransportAnswer> {
    const { trial: key = null, by = "system", signal } = request;
    const body = await readRequestBody(request.body);
    const trial = this.#getTrial(key);
    const sent = this.#normalize(request, body, trial);
    const known = this.#readExchanges(key, trial).filter((each) => each.exchange.by === by);
    if (by === "system" && trial.turns > this.#turns) {
      trial.live += 1;
      return network.send({ ...request, body });
    }
    const found = takeAlike(known, trial.used, sent);
    if (found !== null) {
      trial.replayed += 1;
      request.onSent?.();
      return playAnswer(found.exchange, signal, trial.fillIn);
    }
    if (this.#onMiss === "live") {
      trial.live += 1;
      return network.send({ ...request, body });
    }
    const nearest = this.#findNearest(known, trial, sent);
    if (this.#onMiss === "nearest" && nearest !== null) {
      trial.nearest += 1;
      trial.used.add(nearest.at);
      request.onSent?.();
      return playAnswer(nearest.exchange, signal, trial.fillIn);
    }
    signal.throwIfAborted();
    const miss = new TrialError("api_error", this.#explainMiss(key, { known, sent, nearest }));
    trial.miss ??= miss;
    throw miss;
  }

  #normalize(request: TransportRequest, body: Buffer, { names }: ReplayedTrial): NormalRequest {
    const secrets = [...this.#secrets, ...listRequestSecrets(request)];
    const path = stripPathSecrets(request.path);
    return normalizeRequest({ method: request.method, path, body }, new TextReplacer([...names, ...hide(secrets)]));
  }

  /** Among those that were not answered yet, if there are any. */
  #findNearest(known: readonly NumberedExchange[], { used }: ReplayedTrial, sent: NormalRequest) {
    const unused = known.filter(({ at }) => !used.has(at));
    const candidates = (unused.length > 0 ? unused : known).map((each) => ({
      ...each,
      body: this.#bodies.unpack(each.exchange.body),
    }));
    return findNearest(sent, candidates);
  }

  #explainMiss(key: TrialKey | null, { known, sent, nearest }: Miss): string {
    const what = `${sent.method} ${sent.path} of ${describeTrialKey(key)}`;
    const then = "Record it with --record, or use --on-miss live or --on-miss nearest.";
    const file = this.#files.get(toId(key));
    if (file === undefined)
      return `${this.#dir} has no cassette of ${describeTrialKey(key)}; it has ${describeRecorded(this.#recorded, key)}. ${then}`;
    const times = known.filter(({ exchange }) => exchange.hash === sent.hash).length;
    if (times > 0)
      return `${what} has no recorded answer left in ${file}: it was sent more often than the ${times} ${times === 1 ? "time" : "times"} when it was recorded. ${then}`;
    if (nearest === null) return `${what} has no recorded answer in ${file}, which has no call to that path. ${then}`;
    const number = known.findIndex(({ at }) => at === nearest.at) + 1;
    return `${what} has no recorded answer in ${file}. It differs from call ${number} of ${known.length}: ${describeDifference(sent, nearest)}. ${then}`;
  }

  /** A cassette that cannot be read is a miss, which an agent's failure does not hide. */
  #readExchanges(key: TrialKey | null, trial: ReplayedTrial): readonly NumberedExchange[] {
    try {
      return this.#listExchanges(key);
    } catch (error) {
      if (error instanceof TrialError) trial.miss ??= error;
      throw error;
    }
  }

  #getTrial(key: TrialKey | null): ReplayedTrial {
    const id = toId(key);
    const trial = this.#trials.get(id) ?? new ReplayedTrial();
    this.#trials.set(id, trial);
    return trial;
  }

  #listExchanges(key: TrialKey | null): readonly NumberedExchange[] {
    const id = toId(key);
    const path = this.#files.get(id);
    if (path === undefined) return [];
    const exchanges = this.#open.get(id) ?? readTrial(path);
    // The last one that was used is the last one to go.
    this.#open.delete(id);
    this.#open.set(id, exchanges);
    for (const [oldest] of this.#open) if (this.#open.size > MAX_OPEN) this.#open.delete(oldest);
    return exchanges;
  }
}

/** What became of the calls of one trial. */
class ReplayedTrial {
  readonly names: Replacement[] = [];
  /** The exchanges that were answered, by position. */
  readonly used = new Set<number>();
  /** Calls to the model that have begun. */
  turns = 0;
  replayed = 0;
  nearest = 0;
  live = 0;
  miss: Error | null = null;

  /** Puts the texts of this start of the trial where the recording has names. */
  readonly fillIn = (text: string): string =>
    this.names.reduce((left, [own, name]) => left.replaceAll(name, own), text);
}

interface Miss {
  readonly known: readonly NumberedExchange[];
  readonly sent: NormalRequest;
  readonly nearest: (Candidate & NumberedExchange) | null;
}

/** A cassette that cannot be read concerns its trial, not the endpoint. */
function readTrial(path: string): NumberedExchange[] {
  try {
    return readExchanges([path]);
  } catch (cause) {
    throw new TrialError("system_error", getErrorMessage(cause), { cause });
  }
}

function toId(trial: TrialKey | null): string {
  return trial === null ? "" : formatTrialId(trial);
}

const MAX_LISTED = 5;

/** What there is in place of a trial's cassette, by the first part of its name that was not recorded. */
function describeRecorded(recorded: readonly TrialKey[], key: TrialKey | null): string {
  if (recorded.length === 0) return "none of any trial";
  const ofSystem = recorded.filter(({ system }) => system === key?.system);
  if (ofSystem.length === 0) return `those of ${listSome(recorded.map(({ system }) => system))}`;
  const ofExample = ofSystem.filter(({ exampleId }) => exampleId === key?.exampleId);
  if (ofExample.length === 0) return "only those of other examples";
  const ofDataset = ofExample.filter(({ dataset }) => dataset === key?.dataset);
  if (ofDataset.length === 0) return `it of the dataset ${listSome(ofExample.map(({ dataset }) => dataset))}`;
  return `only trial ${listSome(ofDataset.map(({ trial }) => String(trial + 1)).toSorted())} of it`;
}

function listSome(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, MAX_LISTED).join(", ");
  return unique.length > MAX_LISTED ? `${shown} and ${unique.length - MAX_LISTED} more` : shown;
}
