import { once } from "node:events";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import { type PipedProgram, type ProgramEnd, type ProgramOptions, startProgram } from "./program.js";

/** Keeps the first and the last part of an output. */
export class OutputBuffer {
  readonly #head: RingBuffer;
  readonly #tail: RingBuffer;

  constructor(maxBytes: number) {
    const headBytes = Math.ceil(maxBytes / 2);
    this.#head = new RingBuffer(headBytes);
    this.#tail = new RingBuffer(maxBytes - headBytes);
  }

  /** Keeps the output of a stream, read to its end. */
  static read(stream: Readable, maxBytes: number): OutputBuffer {
    const buffer = new OutputBuffer(maxBytes);
    stream.on("data", (chunk: Buffer) => buffer.append(chunk));
    stream.on("error", () => undefined);
    return buffer;
  }

  get isTruncated(): boolean {
    return this.#tail.droppedBytes > 0;
  }

  text(): string {
    const [head, tail] = [this.#head.content(), this.#tail.content()];
    if (!this.isTruncated) return Buffer.concat([head, tail]).toString("utf8");
    return `${decodeHead(head)}\n[${this.#tail.droppedBytes} bytes left out]\n${decodeTail(tail)}`;
  }

  append(chunk: Buffer): void {
    const room = this.#head.freeBytes;
    if (room > 0) this.#head.push(chunk.subarray(0, room));
    if (chunk.length > room) this.#tail.push(chunk.subarray(room));
  }
}

/** Without an incomplete last character. */
function decodeHead(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes);
}

/** Without an incomplete first character: at most three continuation bytes. */
function decodeTail(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString("utf8");
}

const INITIAL_BYTES = 1 << 12;

/** The last bytes of everything pushed. Grows up to its limit. */
class RingBuffer {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  #end = 0;
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get freeBytes(): number {
    return Math.max(0, this.#maxBytes - this.#total);
  }

  get droppedBytes(): number {
    return Math.max(0, this.#total - this.#maxBytes);
  }

  push(chunk: Buffer): void {
    this.#grow(this.#total + chunk.length);
    this.#total += chunk.length;
    const last = chunk.subarray(Math.max(0, chunk.length - this.#maxBytes));
    const written = last.copy(this.#bytes, this.#end);
    last.copy(this.#bytes, 0, written);
    const size = Math.max(1, this.#bytes.length);
    this.#end = (this.#end + last.length) % size;
  }

  content(): Buffer {
    if (this.#total < this.#bytes.length) return this.#bytes.subarray(0, this.#total);
    return Buffer.concat([this.#bytes.subarray(this.#end), this.#bytes.subarray(0, this.#end)]);
  }

  /** Nothing has been overwritten while it still grows, so the content begins at 0. */
  #grow(needed: number): void {
    if (needed <= this.#bytes.length || this.#bytes.length === this.#maxBytes) return;
    const grown = Buffer.alloc(Math.min(this.#maxBytes, Math.max(INITIAL_BYTES, 2 * this.#bytes.length, needed)));
    this.#bytes.copy(grown, 0, 0, this.#total);
    this.#bytes = grown;
    this.#end = this.#total;
  }
}

const MAX_OUTPUT_BYTES = 1 << 20;

/** Timers with a longer delay fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface CommandOptions extends Omit<ProgramOptions, "cwd"> {
  readonly cwd: string;
  /** True: `command` is a shell command line, and `args` are its `$1`, `$2` and so on. */
  readonly shell?: boolean;
  /** Default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Limit for each of stdout and stderr; the beginning and the end are kept. Default: 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Time to terminate before processes are killed. Default: 2 s. */
  readonly graceMs?: number;
}

export interface CommandResult extends ProgramEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** True when part of the output was dropped. */
  readonly isCut: boolean;
}

/**
 * Runs a command and returns its output. Afterwards none of its processes are running, whether it ended, timed out or was
 * aborted; on abort, the reason is thrown after that.
 * @example
 * const { code, stdout } = await runCommand({ command: "npm test", shell: true, cwd: folder, env: { PATH }, timeoutMs: 30_000 });
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { signal, graceMs, maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const program = await startProgram(toProgramOptions(options));
  const stdout = OutputBuffer.read(program.stdout, maxOutputBytes);
  const stderr = OutputBuffer.read(program.stderr, maxOutputBytes);
  const first = await waitForFirst(program, options);
  const durationMs = performance.now() - startedAt;
  await program.stop(graceMs);
  const end = await waitForProgramEnd(program);
  if (end !== null) await program.closed;
  signal?.throwIfAborted();
  return {
    ...(end ?? { code: null, signal: null }),
    stdout: stdout.text(),
    stderr: stderr.text(),
    timedOut: first === "timeout",
    durationMs,
    isCut: stdout.isTruncated || stderr.isTruncated,
  };
}

function toProgramOptions({ command, args = [], shell = false, ...options }: CommandOptions): ProgramOptions {
  const { cwd, env, folders = [], input, box, ports } = options;
  const how = shell ? { command: "/bin/sh", args: ["-c", command, "sh", ...args] } : { command, args };
  return {
    ...how,
    cwd,
    env,
    folders,
    box,
    ...(ports !== undefined && { ports }),
    ...(input !== undefined && { input }),
  };
}

type FirstEvent = "ended" | "timeout" | "aborted";

async function waitForFirst(program: PipedProgram, { timeoutMs, signal }: CommandOptions): Promise<FirstEvent> {
  const decided = new AbortController();
  const until = { signal: decided.signal };
  const events: Promise<FirstEvent>[] = [program.ended.then(() => "ended")];
  if (timeoutMs !== undefined) events.push(wait(Math.min(timeoutMs, MAX_TIMER_MS), "timeout", until));
  if (signal !== undefined) events.push(waitForCommandAbort(signal, until));
  try {
    return await Promise.race(events);
  } finally {
    decided.abort();
  }
}

async function waitForCommandAbort(signal: AbortSignal, until: { signal: AbortSignal }): Promise<FirstEvent> {
  if (!signal.aborted) await once(signal, "abort", until);
  return "aborted";
}

/** Null when it could not be stopped, so there is no end to wait for. */
function waitForProgramEnd(program: PipedProgram): Promise<ProgramEnd | null> {
  return Promise.race([program.ended, Promise.resolve(null)]);
}
