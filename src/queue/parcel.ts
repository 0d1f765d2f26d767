import { constants } from "node:buffer";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import type { EncodedTrial } from "../runner/ports.js";

/** What a worker reports about one trial. */
export type TrialNews =
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
const QUICK_CHARS = 1 << 16;
const LEVEL = { level: 1 };

/** Guards against decompression bombs: no valid batch is longer than a string can be. */
const MOST = { maxOutputLength: constants.MAX_STRING_LENGTH };

const deflateLater = promisify(deflateRaw);

/** The updates that a worker sends together. */
export interface Parcel {
  worker: string;
  news: readonly TrialNews[];
}

/**
 * Encodes and compresses a batch. Journal lines contain no line feed, so after the worker's name each trial takes four
 * lines: its head, its row, its output and the file that holds the output.
 */
export async function pack({ worker, news }: Parcel): Promise<Buffer> {
  const text = [worker, ...news.map(linesOf)].join("\n");
  return text.length <= QUICK_CHARS ? deflateRawSync(text, LEVEL) : deflateLater(text, LEVEL);
}

function linesOf(news: TrialNews): string {
  const head = `${news.kind} ${news.index}`;
  if (news.kind === "refused") return `${head}\n\n\n`;
  if (news.kind === "fault" || news.kind === "stopped") return `${head}\n${JSON.stringify(news.message)}\n\n`;
  if (news.kind === "output") return `${head}\n${news.line}\n\n`;
  const { row, output, outputFile } = news.lines;
  return `${head}\n${row}\n${output ?? ""}\n${outputFile === undefined ? "" : JSON.stringify(outputFile)}`;
}

/** Decodes a batch; throws if it is malformed. */
export function unpack(parcel: Buffer): Parcel {
  const [worker = "", ...lines] = inflateRawSync(parcel, MOST).toString("utf8").split("\n");
  const news: TrialNews[] = [];
  for (let at = 0; at + 3 < lines.length; at += 4) news.push(newsOf(lines.slice(at, at + 4)));
  return { worker, news };
}

function newsOf([head = "", row = "", output = "", file = ""]: readonly string[]): TrialNews {
  const [kind, place] = head.split(" ");
  const index = Number(place);
  if (kind === "refused") return { kind, index };
  if (kind === "fault" || kind === "stopped") return { kind, index, message: String(JSON.parse(row)) };
  if (kind === "output") return { kind, index, line: row };
  const outputFile = file === "" ? {} : { outputFile: String(JSON.parse(file)) };
  return { kind: "finished", index, lines: { row, output: output === "" ? null : output, ...outputFile } };
}
