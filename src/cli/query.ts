import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { EXIT, messageOf, UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { QueryStopped, schemaText, withAnswer } from "../store/history/index.js";
import { answerText, QUERY_OUTPUTS, type QueryOutput } from "./query-output.js";
import { say, writeResult } from "./streams.js";

export interface QueryFlags {
  output: string;
  runsDir: string;
  limit?: number;
  file?: string;
  schema?: boolean;
}

/** What is asked, and how the answer is written. */
export interface QueryRequest extends QueryFlags {
  statement?: string;
}

const USUAL_LIMIT = 100;
/** Who waits longer is told what for. */
const PATIENCE_MS = 3000;

/** `assay query`: SQL over all stored runs. Reads only. */
export async function queryCommand(request: QueryRequest): Promise<number> {
  const output = outputOf(request);
  const { statement, file, runsDir, limit = USUAL_LIMIT } = request;
  if (request.schema === true || (statement === undefined && file === undefined)) {
    await writeResult(schemaText());
    return EXIT.fine;
  }
  const stop = stopping();
  try {
    await withAnswer({ runsDir, sql: await statementOf(request), signal: stop.signal }, async (answer) => {
      for (const note of answer.notes) say(note);
      for await (const piece of answerText(answer, { output, limit })) await writeResult(piece);
      if (output === "table" && answer.count > limit)
        say(`${limit} of ${answer.count} lines are shown. --limit ${answer.count} shows all, --output csv writes all.`);
    });
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof QueryStopped)) throw error;
    say(error.message);
    return EXIT.interrupted;
  } finally {
    stop.release();
  }
}

function outputOf({ output, limit }: QueryRequest): QueryOutput {
  const known = QUERY_OUTPUTS.find((name) => name === output);
  if (known === undefined) throw new UsageError(`There is no output "${output}".${didYouMean(output, QUERY_OUTPUTS)}`);
  if (limit !== undefined && known !== "table")
    throw new UsageError("--limit is for the table: others write every line. End the statement with limit N instead.");
  return known;
}

async function statementOf({ statement, file }: QueryRequest): Promise<string> {
  if (file !== undefined && statement !== undefined)
    throw new UsageError("Give the statement itself or --file, not both.");
  if (file !== undefined) return statementIn(file);
  return statement === "-" ? text(process.stdin) : (statement ?? "");
}

function statementIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${messageOf(cause)}. Name the file that holds the statement.`, {
      cause,
    });
  }
}

/** Ctrl-C ends the query rather than the process, so that what it has set aside is removed. */
function stopping(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? process.exit(EXIT.interrupted) : controller.abort());
  const waiting = setTimeout(() => {
    if (process.stderr.isTTY) say("Still reading. Ctrl-C stops it.");
  }, PATIENCE_MS);
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const release = () => {
    clearTimeout(waiting);
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  return { signal: controller.signal, release };
}
