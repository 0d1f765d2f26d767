import { constants } from "node:buffer";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import type { EncodedTrial } from "../runner/index.js";

/** What a worker reports about one trial. */
export type TrialUpdate =
  | { kind: "finished"; index: number; lines: EncodedTrial }
  /** The output of its system, as a journal line. It is being graded. */
  | { kind: "output"; index: number; line: string }
  /** The budget of the run does not cover it: it was not started. */
  | { kind: "refused"; index: number }
  /** It was not run, because this worker no longer calls its system. */
  | { kind: "stopped"; index: number; message: string }
  /** The worker cannot continue, and no other could. */
  | { kind: "fault"; index: number; message: string };

/** Up to this size, compressing is faster than using another thread. */
const MAX_SYNC_CHARS = 1 << 16;
const DEFLATE_OPTIONS = { level: 1 };

/** Guards against decompression bombs: no valid batch is longer than a string can be. */
const INFLATE_OPTIONS = { maxOutputLength: constants.MAX_STRING_LENGTH };

const deflateAsync = promisify(deflateRaw);

/** The updates that a worker sends together. */
export interface ResultBatch {
  worker: string;
  news: readonly TrialUpdate[];
}

/**
 * Encodes and compresses a batch. Journal lines contain no line feed, so after the worker's name each trial takes four
 * lines: its head, its row, its output and the file that holds the output.
 */
export async function encodeBatch({ worker, news }: ResultBatch): Promise<Buffer> {
  const text = [worker, ...news.map(encodeUpdate)].join("\n");
  return text.length <= MAX_SYNC_CHARS ? deflateRawSync(text, DEFLATE_OPTIONS) : deflateAsync(text, DEFLATE_OPTIONS);
}

function encodeUpdate(news: TrialUpdate): string {
  const head = `${news.kind} ${news.index}`;
  if (news.kind === "refused") return `${head}\n\n\n`;
  if (news.kind === "fault" || news.kind === "stopped") return `${head}\n${JSON.stringify(news.message)}\n\n`;
  if (news.kind === "output") return `${head}\n${news.line}\n\n`;
  const { row, output, outputFile } = news.lines;
  return `${head}\n${row}\n${output ?? ""}\n${outputFile === undefined ? "" : JSON.stringify(outputFile)}`;
}

/** Decodes a batch; throws if it is malformed. */
export function decodeBatch(data: Buffer): ResultBatch {
  const [worker = "", ...lines] = inflateRawSync(data, INFLATE_OPTIONS).toString("utf8").split("\n");
  const news: TrialUpdate[] = [];
  for (let at = 0; at + 3 < lines.length; at += 4) news.push(parseUpdate(lines.slice(at, at + 4)));
  return { worker, news };
}

function parseUpdate([head = "", row = "", output = "", file = ""]: readonly string[]): TrialUpdate {
  const [kind, place] = head.split(" ");
  const index = Number(place);
  if (kind === "refused") return { kind, index };
  if (kind === "fault" || kind === "stopped") return { kind, index, message: String(JSON.parse(row)) };
  if (kind === "output") return { kind, index, line: row };
  const outputFile = file === "" ? {} : { outputFile: String(JSON.parse(file)) };
  return { kind: "finished", index, lines: { row, output: output === "" ? null : output, ...outputFile } };
}
