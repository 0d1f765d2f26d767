import { didYouMean, EXIT, isLoopback, UsageError } from "../core/index.js";
import {
  FAULT_KINDS,
  type MockCounts,
  type MockFault,
  type MockRequest,
  type MockScript,
  startMock,
} from "../testing/mock/index.js";
import { loadScript } from "../testing/mock/script-file.js";
import { waitForStop } from "./interrupt.js";
import { printNote, writeResult } from "./streams.js";

/** Each flag overrides the same setting of the script. */
export interface MockFlags {
  port?: number;
  host?: string;
  /** Allows access from other machines. */
  allowRemote?: boolean;
  /** Milliseconds to the first byte. */
  latency?: number;
  tokensPerSec?: number;
  reply?: string;
  answers?: string;
  successRate?: number;
  outputTokens?: number;
  /** Each as KIND or KIND=RATE. */
  fault?: readonly string[];
  requireKey?: string;
  seed?: number;
  script?: string;
  /** A cassette, or a folder of cassettes, to answer from. */
  fromCassette?: string;
  /** A line on stderr for each request. */
  verbose?: boolean;
}

/** `assay mock`: a scripted local model endpoint that needs no key. */
export async function executeMock(flags: MockFlags): Promise<number> {
  const { port = 0, host = "127.0.0.1", allowRemote = false, verbose = false } = flags;
  if (!allowRemote && !isLoopback(host))
    throw new UsageError(
      `--host ${host} would give other machines access. Add --allow-remote to allow it, or leave out --host.`,
    );
  const onRequest = (request: MockRequest) => {
    if (verbose) printNote(formatRequest(request));
  };
  const recorded = flags.fromCassette === undefined ? undefined : await openCassettes(flags.fromCassette, flags);
  const answers = recorded === undefined ? buildScript(flags) : { ...pickKey(flags), recorded };
  const mock = await startMock({ ...answers, port, host, keepRequests: 0, onRequest });
  const stopped = waitForStop();
  await writeResult(formatBaseUrls(mock.url));
  await stopped;
  const { counts } = mock;
  await mock.close();
  printNote(formatCounts(counts));
  return EXIT.fine;
}

/** Flags that say how to answer, which a recording has already decided. */
const SCRIPT_FLAGS = {
  script: "--script",
  latency: "--latency",
  tokensPerSec: "--tokens-per-sec",
  reply: "--reply",
  answers: "--answers",
  successRate: "--success-rate",
  outputTokens: "--output-tokens",
  fault: "--fault",
  seed: "--seed",
} as const;

async function openCassettes(path: string, flags: MockFlags) {
  const names = Object.keys(SCRIPT_FLAGS) as (keyof typeof SCRIPT_FLAGS)[];
  const other = names.find((name) => flags[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(
      `--from-cassette answers as recorded, so ${SCRIPT_FLAGS[other]} cannot be combined with it. Remove one of them.`,
    );
  const { RecordedAnswers } = await import("../models/traffic/recorded-answers.js");
  return new RecordedAnswers(path);
}

function pickKey({ requireKey }: MockFlags): MockScript {
  return requireKey === undefined ? {} : { requireKey };
}

function buildScript(flags: MockFlags): MockScript {
  const { script, latency, tokensPerSec, reply, answers, successRate, outputTokens, fault, requireKey, seed } = flags;
  return {
    ...(script !== undefined && loadScript(script)),
    ...(latency !== undefined && { latencyMs: latency }),
    ...(tokensPerSec !== undefined && { tokensPerSec }),
    ...(reply !== undefined && { reply }),
    ...(answers !== undefined && { answers }),
    ...(successRate !== undefined && { successRate }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(fault !== undefined && { faults: fault.map(parseFault) }),
    ...(requireKey !== undefined && { requireKey }),
    ...(seed !== undefined && { seed }),
  };
}

function parseFault(text: string): MockFault {
  const [name = "", rate] = text.split("=", 2);
  const kind = FAULT_KINDS.find((known) => known === name.trim());
  if (kind === undefined) throw new UsageError(`--fault ${text}: unknown kind.${didYouMean(name, FAULT_KINDS)}`);
  return rate === undefined ? { kind } : { kind, rate: parseFaultRate(text, rate) };
}

function parseFaultRate(text: string, rate: string): number {
  const share = Number(rate);
  if (rate.trim() !== "" && share >= 0 && share <= 1) return share;
  throw new UsageError(`--fault ${text}: the rate must be a number from 0 to 1, as in 429=0.1.`);
}

function formatBaseUrls(url: string): string {
  return `OPENAI_BASE_URL=${url}/v1\nANTHROPIC_BASE_URL=${url}\nGOOGLE_GEMINI_BASE_URL=${url}\n`;
}

function formatRequest(request: MockRequest): string {
  const { index, method, path, model, status, fault, usage, startedAt, endedAt, aborted } = request;
  const took = Math.round((endedAt ?? startedAt) - startedAt);
  const notes = [
    ...(model === "" ? [] : [model]),
    ...(usage === null ? [] : [`${usage.input} in`, `${usage.output} out`]),
    ...(fault === null ? [] : [`fault ${fault}`]),
    ...(aborted ? ["client disconnected"] : []),
  ];
  return `#${index + 1} ${method} ${path} ${status ?? "no answer"} ${took} ms ${notes.join(", ")}`.trimEnd();
}

function formatCounts({ requests, byStatus, byFault, maxOpen }: MockCounts): string {
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, count]) => `${name}: ${count}`);
  const lines = [`${requests} requests, at most ${maxOpen} at a time`];
  if (Object.keys(byStatus).length > 0) lines.push(`by status  ${listed(byStatus).join(", ")}`);
  if (Object.keys(byFault).length > 0) lines.push(`by fault   ${listed(byFault).join(", ")}`);
  return lines.join("\n");
}
