import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { AgentEvent, AgentHappening } from "../core/trajectory.js";
import { type ProgramEnd, startProgram } from "../exec/process/index.js";
import { abortionOf } from "./abortion.js";
import type { AgentAdapter, Launch, StreamReader } from "./adapter.js";
import { withActivations } from "./skill-activation.js";
import { eventOf, type MalformedLine, StreamLines } from "./stream-lines.js";

/** Enough to see why a program failed. */
const STDERR_TAIL = 8192;

/** Of all that an agent says and does, in characters: a program that prints without end must not fill the memory. */
const LONGEST_TRAJECTORY = 64 * 1024 * 1024;

/** What is left out beyond that is told apart from what is kept. */
const MOST_EVENTS = 200_000;

export interface AgentRunOptions {
  readonly adapter: AgentAdapter;
  /** Where the program is. */
  readonly program: string;
  readonly launch: Launch;
  /** The names of those it is offered. */
  readonly skills: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The trial's own: whatever runs in them belongs to it. */
  readonly folders: readonly string[];
  readonly signal: AbortSignal;
  /** Told what the program itself says it has used, whenever that changes. */
  readonly onFigures: (reader: StreamReader) => void;
}

/** How a program came to its end. */
export interface AgentRunEnd extends ProgramEnd {
  /** Processes that it had left running, and that were ended. */
  readonly leftBehind: number;
  /** Processes that could not be ended. */
  readonly survivors: readonly number[];
}

/** One run of an agent's program: what it printed, as it came. */
export class AgentRun {
  readonly reader: StreamReader;
  readonly events: AgentEvent[] = [];
  /** Lines that were no event. */
  malformed = 0;
  /** Lines that were too long. */
  dropped = 0;
  /** Events that the trajectory has no room for. */
  unkept = 0;
  #length = 0;
  #stderr = "";
  readonly #options: AgentRunOptions;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.reader = options.adapter.reader();
  }

  /** The names of the skills that it is offered. */
  get skills(): readonly string[] {
    return this.#options.skills;
  }

  /** The end of what it wrote to its stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  /** Starts the program and waits for its end, or stops it when the signal says so: nothing of it runs on afterwards. */
  async go(): Promise<AgentRunEnd> {
    const { program: command, launch, cwd, env, folders, signal } = this.#options;
    const { args, input } = launch;
    const program = await startProgram({ command, args, cwd, env, folders, ...(input !== undefined && { input }) });
    this.#listen(program.stdout);
    this.#keepTail(program.stderr);
    const stopping = abortionOf(signal);
    const wasStopped = await Promise.race([program.ended.then(() => false), stopping.aborted.then(() => true)]);
    stopping.release();
    const report = wasStopped ? await program.stop() : await program.sweep();
    await program.closed;
    return { ...(await program.ended), leftBehind: wasStopped ? 0 : report.running, survivors: report.left };
  }

  #listen(stdout: Readable): void {
    if (this.#options.adapter.printsText === true) this.#listenToText(stdout);
    else this.#listenToEvents(stdout);
  }

  #listenToText(stdout: Readable): void {
    const decoder = new StringDecoder("utf8");
    const read = (text: string) => {
      if (text !== "") this.#tell(this.reader.read(text));
    };
    stdout.on("data", (chunk: Buffer) => read(decoder.write(chunk)));
    stdout.on("end", () => read(decoder.end()));
  }

  #listenToEvents(stdout: Readable): void {
    const lines = new StreamLines();
    const read = (complete: readonly string[]) => {
      for (const line of complete) this.#take(eventOf(line));
      this.dropped = lines.dropped;
    };
    stdout.on("data", (chunk: Buffer) => read(lines.push(chunk)));
    stdout.on("end", () => read(lines.end()));
  }

  #take(event: unknown): void {
    if (isMalformed(event)) {
      this.malformed += 1;
      this.#tell([{ type: "custom", name: "malformed line", data: event.malformed }]);
      return;
    }
    this.#tell(this.reader.read(event));
    this.#options.onFigures(this.reader);
  }

  #tell(happenings: readonly AgentHappening[]): void {
    const timestamp = Date.now();
    for (const happening of withActivations(happenings, this.#options.skills)) {
      this.#length += lengthOf(happening);
      const hasRoom = this.#length <= LONGEST_TRAJECTORY && this.events.length < MOST_EVENTS;
      if (hasRoom) this.events.push({ timestamp, ...happening });
      else this.unkept += 1;
    }
  }

  #keepTail(stderr: Readable): void {
    const decoder = new StringDecoder("utf8");
    stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + decoder.write(chunk)).slice(-STDERR_TAIL);
    });
  }
}

/** Roughly: what is short costs next to nothing. */
function lengthOf(happening: AgentHappening): number {
  if ("text" in happening) return happening.text.length;
  if (happening.type === "tool_result") return happening.result.length;
  if (happening.type === "tool_call") return JSON.stringify(happening.arguments)?.length ?? 0;
  return happening.type === "custom" ? (JSON.stringify(happening.data)?.length ?? 0) : 0;
}

function isMalformed(event: unknown): event is MalformedLine {
  return typeof event === "object" && event !== null && "malformed" in event && !("type" in event);
}
