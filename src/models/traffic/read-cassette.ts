import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage, type TrialKey, UsageError } from "../../core/index.js";
import {
  CASSETTE_EXTENSION,
  type CassetteHeader,
  type CassetteLine,
  findHeaderProblem,
  type RecordedExchange,
} from "./cassette.js";

/** A cassette of a folder. */
export interface CassetteFile {
  readonly path: string;
  readonly trial: TrialKey | null;
}

/** Lists the cassettes of a folder, or the one that a path names. Throws if there are none, or if one cannot be read. */
export function listCassettes(path: string): CassetteFile[] {
  const found = listCassettePaths(path).map((file) => ({ path: file, trial: readHeader(file).trial }));
  if (found.length > 0) return found;
  throw new UsageError(
    `${path} has no cassettes, which are files named *${CASSETTE_EXTENSION}. Record some with: assay run … --record ${path}`,
  );
}

function listCassettePaths(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${path} does not exist. Name a folder that --record has written.`);
  if (found.isFile()) return [path];
  return readdirSync(path)
    .filter((name) => name.endsWith(CASSETTE_EXTENSION))
    .sort()
    .map((name) => join(path, name));
}

/** Longer than any header. */
const MAX_HEADER_BYTES = 64 * 1024;

function readHeader(path: string): CassetteHeader {
  const [line = ""] = readBeginning(path).split("\n", 1);
  const header = tryParse(line) as CassetteHeader | undefined;
  const problem = findHeaderProblem(header);
  if (problem === null && header !== undefined) return header;
  throw new UsageError(
    `${path} ${problem ?? "is not a cassette"}. Record it again with --record, or remove the file from the folder.`,
  );
}

function readBeginning(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAX_HEADER_BYTES);
    return bytes.toString("utf8", 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the exchanges of a cassette: those of the last work, and those of its last grading. A line that a kill has torn is
 * left out.
 */
export function readCassette(path: string): RecordedExchange[] {
  let exchanges: RecordedExchange[] = [];
  const lines = readCassetteLines(path);
  for (const line of lines) {
    if (line.kind === "begin") exchanges = line.by === "judge" ? exchanges.filter(({ by }) => by !== "judge") : [];
    if (line.kind === "exchange") exchanges.push(line);
  }
  return exchanges;
}

function readCassetteLines(path: string): CassetteLine[] {
  const texts = readText(path)
    .split("\n")
    .map((text, at) => ({ text, number: at + 1 }))
    .filter(({ text }) => text.trim() !== "");
  const lines = texts.map(({ text, number }) => ({ line: parseLine(text), number }));
  return lines.flatMap(({ line, number }, at) => {
    if (line !== null) return [line];
    const next = lines[at + 1];
    // Written by a process that was killed; the next one began anew.
    if (next === undefined || next.line?.kind === "begin") return [];
    throw new UsageError(
      `${path}:${number} is damaged: it is not a line of a cassette. Restore the file, or record the trial again with --record.`,
    );
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`The cassette ${path} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

function parseLine(text: string): CassetteLine | null {
  const value = tryParse(text);
  return isCassetteLine(value) ? value : null;
}

function isCassetteLine(value: unknown): value is CassetteLine {
  const { kind, by, method, path, hash, exact, end, answer } = (value ?? {}) as Partial<
    Omit<RecordedExchange, "kind">
  > & {
    kind?: unknown;
  };
  if (kind === "cassette") return true;
  if (by !== "system" && by !== "judge" && by !== "user") return false;
  if (kind === "begin") return true;
  const isAnswer = answer === null || (typeof answer === "object" && Array.isArray(answer.chunks));
  return kind === "exchange" && isAnswer && [method, path, hash, exact, end].every((text) => typeof text === "string");
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
