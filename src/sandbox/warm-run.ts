import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "./boxed-process.js";
import { NEEDS_PROCESS } from "./keeper.js";
import { listIn } from "./line-channel.js";
import type { Worked } from "./warm-boxes.js";

/** The ordinary end of a program. */
export interface OrdinaryEnd {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A program for a warm box. */
export interface WarmJob {
  main: string;
  text: string;
  outputBytes: number;
  /** How long it may take here; a longer one gets a box of its own. */
  limitMs: number;
  signal?: AbortSignal;
}

/** Runs a program in a warm box. Its end is null when it is not known to have come to an ordinary one. */
export async function runWarm(
  box: BoxedProcess,
  { limitMs, signal, ...program }: WarmJob,
): Promise<Worked<OrdinaryEnd | null>> {
  const stop = () => box.stop("done");
  const timer = setTimeout(stop, limitMs);
  signal?.addEventListener("abort", stop, { once: true });
  const nonce = randomUUID();
  box.lines.send(JSON.stringify({ nonce, ...program }));
  const line = await box.lines.next();
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
  signal?.throwIfAborted();
  return line !== null && box.isUntouched ? endIn(line, nonce) : { value: null, isOrdinary: false };
}

/** What a line says, when it holds the nonce that no program was told. */
function endIn(line: string, nonce: string): Worked<OrdinaryEnd | null> {
  const [said, exitCode, stdout, stderr] = listIn(line);
  const isOurs = said === nonce;
  if (isOurs && typeof exitCode === "number" && typeof stdout === "string" && typeof stderr === "string") {
    return { value: { exitCode, stdout, stderr }, isOrdinary: true };
  }
  return { value: null, isOrdinary: isOurs && exitCode === NEEDS_PROCESS };
}
