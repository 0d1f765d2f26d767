import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import { getErrorMessage } from "../../core/index.js";
import { type AskOptions, LineProcess, type LineReply, type LineRequest } from "./line-process.js";
import { ProgramError, UnreadRequest } from "./program-error.js";

export interface ProgramPoolOptions {
  /** The program and its arguments. */
  readonly words: readonly [string, ...string[]];
  /** The program as shown in messages. Default: its words. */
  readonly label?: string;
  /** Default: the working folder. */
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Maximum number of processes. Default: the number of cores. */
  readonly maxParallel?: number;
  /** True: a new process for each request, which reads to the end of stdin. False: never. Default: found out. */
  readonly once?: boolean;
  /** How long a silent program may hold the first request before its stdin is closed. Default: 1 s. */
  readonly silenceMs?: number;
  /** Default: 32 MiB. */
  readonly maxLineBytes?: number;
  /** Default: 8 KiB. */
  readonly maxStderrBytes?: number;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** Runs the part of the call that counts as its time: waiting for a process does not. */
  readonly timed?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

export interface ProgramReply extends LineReply {
  /** What happened between this request and the one before. */
  readonly notes: readonly string[];
}

const DEFAULT_CALL_TIMEOUT_MS = 600_000;

const DEFAULT_SILENCE_MS = 1000;
const DEFAULT_MAX_LINE_BYTES = 32 << 20;
const DEFAULT_MAX_STDERR_BYTES = 8 << 10;
/** Processes in a row that may end without an answer before no more are started. */
const MAX_FAILED_STARTS = 5;
/** How often a request that no process has read is sent again. */
const MAX_RESENDS = 3;

/**
 * How the program is used: kept running, or started for each request; null until that is known. A program that waits for the
 * end of its input cannot be told from a slow one, so its input is closed after a silence. If it then answers, the next
 * process gets more time. If that one too answers only after the end of its input, each process gets one request.
 */
type Mode = "lines" | "once" | null;

interface Waiter {
  readonly id: string;
  readonly resolve: (process: LineProcess) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls a program that answers in JSON lines. Starts as many processes as needed, up to a limit, and replaces those that end.
 * @example
 * const pool = new ProgramPool({ words: ["python3", "compress.py"] });
 * const { fields } = await pool.call({ id: "q1", question: "Where?" }, { signal });
 * await pool.close();
 */
export class ProgramPool {
  readonly #options: ProgramPoolOptions;
  readonly #label: string;
  readonly #maxParallel: number;
  readonly #processes = new Set<LineProcess>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #waiting = new Set<Waiter>();
  readonly #notes: string[] = [];
  #mode: Mode;
  #silenceMs: number;
  #isSecondTry = false;
  #starting = 0;
  #failedStarts = 0;
  #lastFailure: ProgramError | null = null;
  #isClosed = false;

  constructor(options: ProgramPoolOptions) {
    this.#options = options;
    this.#label = options.label ?? options.words.join(" ");
    this.#maxParallel = options.maxParallel ?? availableParallelism();
    this.#mode = options.once === undefined ? null : options.once ? "once" : "lines";
    this.#silenceMs = options.silenceMs ?? DEFAULT_SILENCE_MS;
  }

  /** Sends a request to a free process and returns its answer. Throws a `ProgramError`, or the signal's reason. */
  async call(
    request: LineRequest,
    { signal, timeoutMs = DEFAULT_CALL_TIMEOUT_MS, timed }: CallOptions,
  ): Promise<ProgramReply> {
    // Calls of one run share its signal.
    setMaxListeners(0, signal);
    for (let resends = 0; ; resends += 1) {
      const process = await this.#acquire(String(request.id), signal);
      const work = () => this.#ask(process, request, { signal, timeoutMs });
      try {
        const reply = await (timed === undefined ? work() : timed(work));
        return { ...reply, notes: this.#notes.splice(0) };
      } catch (error) {
        if (!(error instanceof UnreadRequest)) throw error;
        if (resends === MAX_RESENDS) throw error.error;
      }
    }
  }

  /** True while this process runs and takes requests. */
  has(pid: number | null): boolean {
    return [...this.#processes].some((process) => process.pid === pid && process.isOpen);
  }

  /** Ends all processes and everything they started. Calls in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting) reject(this.#createClosedError());
    await Promise.all([...this.#processes].map((process) => process.close()));
    await Promise.all(this.#leaving);
  }

  async #ask(process: LineProcess, request: LineRequest, limits: AskOptions): Promise<LineReply> {
    const mode = this.#mode;
    const answer = process.ask(request, limits);
    if (mode === "once") process.closeInput();
    const startedAt = performance.now();
    const closeIfSilent = () => {
      if (!process.hasSpoken) process.closeInput();
    };
    const timer = mode === null ? setTimeout(closeIfSilent, this.#silenceMs) : undefined;
    try {
      const reply = await answer;
      if (this.#mode === null) this.#learnMode(process, performance.now() - startedAt);
      return reply;
    } catch (error) {
      if (!(error instanceof UnreadRequest) || !process.isInputClosed || process.answers > 0) throw error;
      // It read to the end of its input and did not answer. A slow start may be the reason, but only once.
      if (mode === "once" || this.#isSecondTry) throw error.error;
      this.#waitLonger(performance.now() - startedAt);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #learnMode(process: LineProcess, elapsedMs: number): void {
    if (!process.isInputClosed) this.#mode = "lines";
    else if (this.#isSecondTry) this.#mode = "once";
    else this.#waitLonger(elapsedMs);
    this.#assign();
  }

  #waitLonger(elapsedMs: number): void {
    this.#isSecondTry = true;
    this.#silenceMs = 2 * elapsedMs + this.#silenceMs;
  }

  #acquire(id: string, signal: AbortSignal): Promise<LineProcess> {
    signal.throwIfAborted();
    const verdict = this.#isClosed ? this.#createClosedError() : this.#findVerdict();
    if (verdict !== null) throw verdict;
    let onAbort = () => {};
    return new Promise<LineProcess>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        signal.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        id,
        resolve: (process) => {
          leave();
          resolve(process);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      onAbort = () => waiter.reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiter);
      this.#assign();
    });
  }

  /** Gives waiting requests to free processes, and starts more processes if all are busy. */
  #assign(): void {
    if (this.#isClosed) return;
    if (this.#mode === "once") for (const process of this.#processes) if (process.answers > 0) process.closeInput();
    for (const waiter of this.#waiting) {
      const process = this.#findFree(waiter.id);
      if (process === null) continue;
      process.reserve(waiter.id);
      waiter.resolve(process);
    }
    while (this.#waiting.size > this.#starting && this.#canStart()) this.#track(this.#start());
  }

  #findFree(id: string): LineProcess | null {
    let best: LineProcess | null = null;
    for (const process of this.#processes)
      if (this.#isUsable(process) && process.canTake(id) && (best === null || process.load < best.load)) best = process;
    return best;
  }

  /** A process that has answered may not take another request once that is known. */
  #isUsable(process: LineProcess): boolean {
    return this.#mode !== "once" || process.answers + process.load === 0;
  }

  /** The first process runs alone until it has announced itself or answered, because it shows how many are needed. */
  #canStart(): boolean {
    const count = this.#processes.size + this.#starting;
    return count < (this.#mode === null ? 1 : this.#maxParallel) && this.#findVerdict() === null;
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    try {
      const process = await LineProcess.start(this.#describeProcess());
      if (this.#isClosed) await process.close();
      else this.#processes.add(process);
    } catch (cause) {
      this.#failWaiter(toStartError(this.#label, cause));
    } finally {
      this.#starting -= 1;
      this.#assign();
    }
  }

  #describeProcess() {
    const { words, cwd = process.cwd(), env, maxLineBytes, maxStderrBytes } = this.#options;
    return {
      words,
      cwd,
      // Python would hold back answers until its buffer is full.
      env: { PYTHONUNBUFFERED: "1", ...process.env, ...env },
      label: this.#label,
      maxLineBytes: maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      maxStderrBytes: maxStderrBytes ?? DEFAULT_MAX_STDERR_BYTES,
      onChange: (changed: LineProcess) => this.#onChange(changed),
    };
  }

  #onChange(process: LineProcess): void {
    if (process.answers > 0) this.#failedStarts = 0;
    if (process.hasAnnounced && this.#options.once === undefined) this.#mode = "lines";
    if (!process.isOpen && this.#processes.delete(process)) this.#retire(process);
    this.#assign();
  }

  #retire(process: LineProcess): void {
    this.#track(process.gone);
    if (process.failure !== null && process.answers === 0) this.#countFailure(process.failure);
    // The answer before it was taken already, and no other request has failed.
    else if (process.failure !== null && process.hasFailedIdle)
      this.#notes.push(`${process.failure.message} It was stopped, and another process got the next request.`);
    const { end, answers, isInputClosed } = process;
    // It ended by itself after one answer, so each process takes one request.
    if (end?.code === 0 && answers === 1 && !isInputClosed && this.#options.once === undefined) this.#mode = "once";
  }

  /** Something to wait for on close. */
  #track(work: Promise<void>): void {
    const done = work.catch(() => undefined).then(() => void this.#leaving.delete(done));
    this.#leaving.add(done);
  }

  #createClosedError(): ProgramError {
    return new ProgramError("PROGRAM_EXITED", `${this.#label} was closed.`);
  }

  #failWaiter(error: ProgramError): void {
    this.#countFailure(error);
    const [first] = this.#waiting;
    first?.reject(error);
  }

  #countFailure(failure: ProgramError): void {
    this.#lastFailure = failure;
    this.#failedStarts += 1;
    const verdict = this.#findVerdict();
    if (verdict !== null) for (const { reject } of this.#waiting) reject(verdict);
  }

  /** Why no more processes are started; null while they are. */
  #findVerdict(): ProgramError | null {
    if (this.#failedStarts < MAX_FAILED_STARTS) return null;
    const { code = "PROGRAM_EXITED", message = "", stderr = "" } = this.#lastFailure ?? {};
    const text = `${this.#label} failed ${MAX_FAILED_STARTS} times in a row without an answer, and is not started again. The last time: ${message}`;
    return new ProgramError(code, text, { stderr });
  }
}

function toStartError(label: string, cause: unknown): ProgramError {
  const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
  const problem = code === "ENOENT" ? "PROGRAM_NOT_FOUND" : "PROGRAM_NOT_STARTED";
  return new ProgramError(problem, `${label} did not start: ${getErrorMessage(cause)}`, { cause });
}
