import { constants } from "node:buffer";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import type { EncodedTrial } from "../runner/ports.js";

/** What a worker says of one trial. */
export type TrialNews =
  | { kind: "finished"; index: number; lines: EncodedTrial }
  /** What its system gave back, as a line of the journal. It is being graded. */
  | { kind: "output"; index: number; line: string }
  /** The budget of the run does not cover it: it was not started. */
  | { kind: "refused"; index: number }
  /** It was not run, because this worker calls its system no more. */
  | { kind: "stopped"; index: number; message: string }
  /** The worker cannot go on, and no other could. */
  | { kind: "fault"; index: number; message: string };

/** Up to here, packing takes less time than asking another thread to do it. */
const QUICK_CHARS = 1 << 16;
const LEVEL = { level: 1 };

/** A few bytes can stand for gigabytes of zeros; what is longer than a text can be was packed by nobody here. */
const MOST = { maxOutputLength: constants.MAX_STRING_LENGTH };

const deflateLater = promisify(deflateRaw);

/** What a worker sends at one moment. */
export interface Parcel {
  worker: string;
  news: readonly TrialNews[];
}

/**
 * Packs a parcel, compressed. Journal lines hold no line feed, so that after the name of the worker four lines make one
 * trial: what it is, its row, its output and the file that holds the output.
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

/** What was packed; throws for anything else. */
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
