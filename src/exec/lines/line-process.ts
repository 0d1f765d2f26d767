import { setTimeout as wait } from "node:timers/promises";
import { describeValue } from "../../core/index.js";
import { OPEN_INPUT, OutputBuffer, type PipedProgram, type ProgramEnd, startProgram } from "../process/index.js";
import { LineSplitter } from "./line-splitter.js";
import { describeStderr, ProgramError, type ProgramProblem, quoteExcerpt, UnreadRequest } from "./program-error.js";

export type JsonFields = Readonly<Record<string, unknown>>;

/** A request in JSON. Its `id` is repeated in the answer. */
export type LineRequest = JsonFields & { readonly id: string | number };

/** An answer, and what the program printed on stderr meanwhile. */
export interface LineReply {
  readonly fields: JsonFields;
  readonly stderr: string;
  /** The process that answered. */
  readonly pid: number;
}

export interface LineProcessOptions {
  /** The program as shown in messages. */
  readonly label: string;
  readonly words: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Longest line that is read. */
  readonly maxLineBytes: number;
  /** How much of stderr is kept for each request: its beginning and its end. */
  readonly maxStderrBytes: number;
  /** Called when it can take more requests, or has ended. */
  readonly onChange: (process: LineProcess) => void;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

interface PendingRequest {
  readonly stderr: OutputBuffer;
  /** Null after the caller gave up; a late answer is then ignored. */
  caller: { resolve(reply: LineReply): void; reject(error: unknown): void } | null;
  reply: JsonFields | null;
}

/** Timers with a longer delay fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long a program may run on after its input was closed and its work is done. */
const LINGER_MS = 5000;
/** How long a program that is no longer needed may take to end by itself. */
const CLOSE_MS = 1000;
const MAX_CONCURRENCY = 10_000;
/** Answered ids that are remembered, to tell a second answer from an unknown id. */
const MAX_ANSWERED_IDS = 1000;

/**
 * A running program that reads requests from stdin and prints answers on stdout, one JSON object per line. A program that
 * breaks this protocol is stopped, because its next answers could not be trusted.
 */
export class LineProcess {
  /** Resolves when none of its processes is left. */
  readonly gone: Promise<void>;
  readonly #options: LineProcessOptions;
  readonly #program: PipedProgram;
  readonly #pending = new Map<string, PendingRequest>();
  readonly #answeredIds = new Set<string>();
  readonly #lines: LineSplitter;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** What it printed on stderr between requests, for the next one. */
  #idleStderr: OutputBuffer;
  #capacity = 1;
  #answers = 0;
  #isOpen = true;
  #isInputClosed = false;
  #hasSpoken = false;
  #hasAnnounced = false;
  #failure: ProgramError | null = null;
  #hasFailedIdle = false;
  #end: ProgramEnd | null = null;
  #stopping: Promise<unknown> | null = null;

  static async start(options: LineProcessOptions): Promise<LineProcess> {
    const { words, cwd, env } = options;
    const [command, ...args] = words;
    return new LineProcess(options, await startProgram({ command, args, cwd, env, input: OPEN_INPUT }));
  }

  private constructor(options: LineProcessOptions, program: PipedProgram) {
    this.#options = options;
    this.#program = program;
    this.#idleStderr = new OutputBuffer(options.maxStderrBytes);
    this.#lines = new LineSplitter({
      maxBytes: options.maxLineBytes,
      onLine: (line) => this.#readLine(line),
      onTooLong: () =>
        this.#fail(
          "PROGRAM_LINE_TOO_LONG",
          `printed a line of more than ${options.maxLineBytes} bytes. Print one answer per line, and end each with a line feed.`,
        ),
    });
    program.stdout.on("data", (chunk: Buffer) => this.#lines.push(chunk));
    program.stdout.on("end", () => void this.#onOutputEnd());
    program.stderr.on("data", (chunk: Buffer) => this.#keepStderr(chunk));
    this.gone = this.#watchEnd();
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** False once it takes no more requests. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Null while it runs. */
  get end(): ProgramEnd | null {
    return this.#end;
  }

  /** Number of answers so far. */
  get answers(): number {
    return this.#answers;
  }

  /** Requests in progress, including those given up. */
  get load(): number {
    return this.#pending.size;
  }

  /** True once it has printed a line. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** True if it announced how many requests it takes at a time. */
  get hasAnnounced(): boolean {
    return this.#hasAnnounced;
  }

  get isInputClosed(): boolean {
    return this.#isInputClosed;
  }

  /** Set if it broke the protocol, failed, or ended without an answer. Null if it was stopped. */
  get failure(): ProgramError | null {
    return this.#failure;
  }

  /** True if it broke the protocol while no request was with it. */
  get hasFailedIdle(): boolean {
    return this.#hasFailedIdle;
  }

  canTake(id: string): boolean {
    return this.#isOpen && !this.#isInputClosed && this.#pending.size < this.#capacity && !this.#pending.has(id);
  }

  /** Takes a place for a request, until `ask` is called with it. */
  reserve(id: string): void {
    this.#pending.set(id, { stderr: this.#idleStderr, caller: null, reply: null });
    this.#idleStderr = new OutputBuffer(this.#options.maxStderrBytes);
  }

  /** Sends a request that was reserved, and waits for its answer. */
  async ask(request: LineRequest, { signal, timeoutMs }: AskOptions): Promise<LineReply> {
    const id = String(request.id);
    const pending = this.#pending.get(id);
    if (pending === undefined) throw new UnreadRequest(this.#failure ?? this.#toEndError(""));
    if (signal.aborted) {
      this.#pending.delete(id);
      this.#options.onChange(this);
      throw signal.reason;
    }
    const line = `${JSON.stringify(request)}\n`;
    let onAbort = () => {};
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<LineReply>((resolve, reject) => {
        pending.caller = { resolve, reject };
        onAbort = () => reject(signal.reason as Error);
        signal.addEventListener("abort", onAbort, { once: true });
        timer = setTimeout(() => reject(this.#toTimeoutError(timeoutMs, pending)), Math.min(timeoutMs, MAX_TIMER_MS));
        this.#program.stdin?.write(line);
      });
    } catch (error) {
      this.#giveUp(pending);
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Tells the program that there are no more requests. */
  closeInput(): void {
    if (this.#isInputClosed) return;
    this.#isInputClosed = true;
    this.#program.stdin?.end();
  }

  /** Stops the program and everything it started. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    if (this.#stopping === null) {
      this.#stopping = this.#program.stop();
      this.#options.onChange(this);
    }
    await this.#stopping;
  }

  /** Lets the program end by itself, and stops it if it does not. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.closeInput();
    const decided = new AbortController();
    const late = wait(CLOSE_MS, undefined, { signal: decided.signal }).catch(() => undefined);
    await Promise.race([this.#program.ended, late]);
    decided.abort();
    await this.stop();
    await this.gone;
  }

  #readLine(bytes: Buffer): void {
    if (!this.#isOpen) return;
    const line = this.#decode(bytes);
    if (line === null || line.trim() === "") return;
    const isFirst = !this.#hasSpoken;
    this.#hasSpoken = true;
    const fields = parseFields(line);
    if (fields === null)
      this.#fail(
        "PROGRAM_NOT_JSON",
        `printed a line that is not a JSON object: ${quoteExcerpt(line)}. Print only answers on stdout, and everything else on stderr.`,
      );
    else if (isFirst && fields.concurrency !== undefined && fields.id === undefined) this.#announce(fields.concurrency);
    else this.#readAnswer(fields, line);
  }

  #decode(bytes: Buffer): string | null {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      this.#fail("PROGRAM_NOT_UTF8", "printed a line that is not valid UTF-8. Encode answers as UTF-8.");
      return null;
    }
  }

  #announce(concurrency: unknown): void {
    if (Number.isInteger(concurrency) && Number(concurrency) >= 1 && Number(concurrency) <= MAX_CONCURRENCY) {
      this.#capacity = Number(concurrency);
      this.#hasAnnounced = true;
      this.#options.onChange(this);
    } else
      this.#fail(
        "PROGRAM_WRONG_ANSWER",
        `announced a concurrency of ${describeValue(concurrency)}. It must be a whole number from 1 to ${MAX_CONCURRENCY}.`,
      );
  }

  #readAnswer(fields: JsonFields, line: string): void {
    const id = toId(fields.id);
    const pending = id === null ? undefined : this.#pending.get(id);
    if (id === null)
      this.#fail(
        "PROGRAM_NO_ID",
        `printed an answer without an "id": ${quoteExcerpt(line)}. Copy the "id" of the request.`,
      );
    else if (pending?.reply === null) this.#take(id, pending, fields);
    else if (pending !== undefined || this.#answeredIds.has(id))
      this.#fail(
        "PROGRAM_ANSWERED_TWICE",
        `printed a second answer to the request ${quoteExcerpt(id)}: ${quoteExcerpt(line)}. Print one line per request.`,
      );
    else
      this.#fail(
        "PROGRAM_UNKNOWN_ID",
        `answered the request ${quoteExcerpt(id)}, which was not asked: ${quoteExcerpt(line)}. Copy the "id" of the request.`,
      );
  }

  #take(id: string, pending: PendingRequest, fields: JsonFields): void {
    pending.reply = fields;
    // Read to the end of this turn: what was printed on stderr, or a second answer, arrives with it.
    setImmediate(() => this.#settle(id, pending, fields));
  }

  #settle(id: string, pending: PendingRequest, fields: JsonFields): void {
    if (this.#pending.get(id) !== pending) return;
    this.#pending.delete(id);
    this.#answers += 1;
    this.#rememberAnswered(id);
    pending.caller?.resolve({ fields, stderr: pending.stderr.text(), pid: this.pid });
    if (this.#isInputClosed && this.#pending.size === 0) this.#stopIfLingering();
    this.#options.onChange(this);
  }

  #rememberAnswered(id: string): void {
    this.#answeredIds.add(id);
    if (this.#answeredIds.size <= MAX_ANSWERED_IDS) return;
    const [oldest = ""] = this.#answeredIds;
    this.#answeredIds.delete(oldest);
  }

  #stopIfLingering(): void {
    const timer = setTimeout(() => void this.stop(), LINGER_MS);
    void this.#program.ended.then(() => clearTimeout(timer));
  }

  #keepStderr(chunk: Buffer): void {
    if (this.#pending.size === 0) this.#idleStderr.append(chunk);
    for (const { stderr } of this.#pending.values()) stderr.append(chunk);
  }

  /** The place stays taken until the program answers. If all places are lost in this way, it is stopped. */
  #giveUp(pending: PendingRequest): void {
    pending.caller = null;
    if (!this.#isOpen || pending.reply !== null) return;
    const lost = [...this.#pending.values()].filter(({ caller, reply }) => caller === null && reply === null);
    if (lost.length >= this.#capacity || this.#isInputClosed) void this.stop();
  }

  #fail(problem: ProgramProblem, what: string): void {
    this.#lines.stop();
    const message = `${this.#options.label} ${what}`;
    this.#failure = new ProgramError(problem, message);
    this.#hasFailedIdle = [...this.#pending.values()].every(({ caller }) => caller === null);
    this.#rejectAll((stderr) => new ProgramError(problem, message, { stderr }));
    void this.stop();
  }

  #rejectAll(createError: (stderr: string) => unknown): void {
    this.#isOpen = false;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { caller, stderr } of pending) caller?.reject(createError(stderr.text()));
  }

  async #watchEnd(): Promise<void> {
    const end = await this.#program.ended;
    await this.#program.closed;
    this.#lines.flush();
    // Answers of the last line are settled first.
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = end;
    const wasStopped = this.#stopping !== null;
    if (!wasStopped && (end.code !== 0 || this.#answers === 0)) this.#failure = this.#toEndError(this.#findStderr());
    // A program that ended normally after an answer did not read what was sent meanwhile.
    const isUnread = !wasStopped && end.code === 0 && (this.#answers > 0 || this.#isInputClosed);
    this.#rejectAll((stderr) => {
      const error = this.#toEndError(stderr);
      return isUnread ? new UnreadRequest(error) : error;
    });
    this.#options.onChange(this);
    await this.#program.sweep();
  }

  #findStderr(): string {
    const [first] = this.#pending.values();
    return (first?.stderr ?? this.#idleStderr).text();
  }

  /** A program that closed its output can no longer answer. */
  async #onOutputEnd(): Promise<void> {
    const decided = new AbortController();
    const late = wait(CLOSE_MS, true, { signal: decided.signal, ref: false }).catch(() => false);
    const isRunning = await Promise.race([this.#program.ended.then(() => false), late]);
    decided.abort();
    if (isRunning && this.#isOpen && this.#end === null)
      this.#fail("PROGRAM_EXITED", "closed its stdout but goes on running, so it cannot answer.");
  }

  #toEndError(stderr: string): ProgramError {
    const { code, signal } = this.#end ?? { code: null, signal: null };
    const { label } = this.#options;
    if (code === 127)
      return new ProgramError(
        "PROGRAM_NOT_FOUND",
        `${label} exited with code 127: a program that it starts was not found. Check names and PATH.${describeStderr(stderr)}`,
        { stderr },
      );
    const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
    return new ProgramError("PROGRAM_EXITED", `${label} ${how} before it answered.${describeStderr(stderr)}`, {
      stderr,
    });
  }

  #toTimeoutError(timeoutMs: number, { stderr }: PendingRequest): ProgramError {
    const text = stderr.text();
    return new ProgramError(
      "PROGRAM_TIMEOUT",
      `${this.#options.label} did not answer within ${timeoutMs / 1000} s. Check that it prints one line for each line it reads and flushes stdout, or raise the limit with --timeout.${describeStderr(text)}`,
      { stderr: text },
    );
  }
}

function parseFields(line: string): JsonFields | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : null;
  } catch {
    return null;
  }
}

function toId(id: unknown): string | null {
  return typeof id === "string" || typeof id === "number" ? String(id) : null;
}
