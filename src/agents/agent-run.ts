import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { AgentEvent, AgentEventBody } from "../core/index.js";
import { type ProgramBox, type ProgramEnd, startProgram } from "../exec/index.js";
import type { AgentAdapter, AgentLaunch, StreamReader } from "./adapter.js";
import { EventLog } from "./event-log.js";
import { findRefusedFlag } from "./refused-flag.js";
import { waitForAbort } from "./wait-for-abort.js";

/** Enough to see why a program failed. */
const STDERR_TAIL_CHARS = 8192;

export interface AgentRunOptions {
  readonly adapter: AgentAdapter;
  /** Path of the program. */
  readonly program: string;
  readonly launch: AgentLaunch;
  /** Names of the offered skills. */
  readonly skills: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where it runs; null or absent for everywhere. */
  readonly box?: ProgramBox | null;
  /** Ports of this machine that it may reach from a box. */
  readonly ports?: readonly number[];
  /** The trial's own folders: every process running in them belongs to it. */
  readonly folders: readonly string[];
  readonly signal: AbortSignal;
  /** Called when the program's own figures change. */
  readonly onFigures: (reader: StreamReader) => void;
}

export interface AgentRunEnd extends ProgramEnd {
  /** Number of processes it left running, which were stopped. */
  readonly leftBehind: number;
  /** Processes that could not be stopped. */
  readonly survivors: readonly number[];
}

/** One run of an agent's program, with its output. */
export class AgentRun {
  readonly reader: StreamReader;
  /** Lines that were not events. */
  malformed = 0;
  /** Lines that were too long. */
  dropped = 0;
  readonly #log = new EventLog();
  #stderr = "";
  /** The beginning of stderr: a usage text after it may be long. */
  #stderrHead = "";
  readonly #options: AgentRunOptions;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.reader = options.adapter.reader();
  }

  get events(): AgentEvent[] {
    return this.#log.events;
  }

  /** Events that did not fit into the trajectory. */
  get unkept(): number {
    return this.#log.unkept;
  }

  get skills(): readonly string[] {
    return this.#options.skills;
  }

  /** The end of its stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  /** The line in which the program says that it does not know a flag; null when there is none. */
  get refusedFlag(): string | null {
    const malformed = this.events.flatMap((event) => (event.type === "custom" ? [String(event.data)] : []));
    return findRefusedFlag([this.#stderrHead, this.#stderr, ...malformed].join("\n"));
  }

  /** Starts the program and waits for its end, or stops it when the signal is aborted. No process is left running. */
  async run(): Promise<AgentRunEnd> {
    const { program: command, launch, cwd, env, folders, signal, ports, box } = this.#options;
    const { args, input } = launch;
    const where = { cwd, folders, box: box ?? undefined, ...(ports !== undefined && { ports }) };
    const program = await startProgram({ command, args, env, ...where, ...(input !== undefined && { input }) });
    this.#readOutput(program.stdout);
    this.#readStderr(program.stderr);
    const stopping = waitForAbort(signal);
    const wasStopped = await Promise.race([program.ended.then(() => false), stopping.aborted.then(() => true)]);
    stopping.release();
    const report = wasStopped ? await program.stop() : await program.sweep();
    await program.closed;
    return { ...(await program.ended), leftBehind: wasStopped ? 0 : report.running, survivors: report.left };
  }

  #readOutput(stdout: Readable): void {
    if (this.#options.adapter.printsText === true) this.#readText(stdout);
    else this.#readEvents(stdout);
  }

  #readText(stdout: Readable): void {
    const decoder = new StringDecoder("utf8");
    const read = (text: string) => {
      if (text !== "") this.#recordEvents(this.reader.read(text));
    };
    stdout.on("data", (chunk: Buffer) => read(decoder.write(chunk)));
    stdout.on("end", () => read(decoder.end()));
  }

  #readEvents(stdout: Readable): void {
    const lines = new LineSplitter();
    const read = (complete: readonly string[]) => {
      for (const line of complete) this.#readEvent(parseEventLine(line));
      this.dropped = lines.dropped;
    };
    stdout.on("data", (chunk: Buffer) => read(lines.push(chunk)));
    stdout.on("end", () => read(lines.end()));
  }

  #readEvent(event: unknown): void {
    if (isMalformedLine(event)) {
      this.malformed += 1;
      this.#recordEvents([{ type: "custom", name: "malformed line", data: event.malformed }]);
      return;
    }
    this.#recordEvents(this.reader.read(event));
    this.#options.onFigures(this.reader);
  }

  #recordEvents(bodies: readonly AgentEventBody[]): void {
    const timestamp = Date.now();
    for (const body of addSkillActivations(bodies, this.#options.skills)) this.#log.add(body, timestamp);
  }

  #readStderr(stderr: Readable): void {
    const decoder = new StringDecoder("utf8");
    stderr.on("data", (chunk: Buffer) => {
      const text = decoder.write(chunk);
      if (this.#stderrHead.length < STDERR_TAIL_CHARS)
        this.#stderrHead = (this.#stderrHead + text).slice(0, STDERR_TAIL_CHARS);
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
  }
}

function isMalformedLine(event: unknown): event is MalformedLine {
  return typeof event === "object" && event !== null && "malformed" in event && !("type" in event);
}

/** Tools that activate a skill by name, in lowercase and without separators. */
const SKILL_TOOLS = new Set([
  "skill",
  "activateskill",
  "useskill",
  "loadskill",
  "invokeskill",
  "runskill",
  "readskill",
]);

/** Argument with the skill's name; the last is for Claude Code before 2.1. */
const NAME_FIELDS = ["skill", "name", "skill_name", "skillName", "command"];

/** Tools whose arguments mention files without reading them: they write, plan, or instruct another agent. */
const WRITING_TOOLS = /write|edit|patch|create|replace|filechange|todo|plan|task|agent|collab/;

type AgentToolCall = Extract<AgentEventBody, { type: "tool_call" }>;

/**
 * Adds an activation after each tool call that activates a skill: with a tool for skills, or by reading the SKILL.md of an
 * offered skill. The result of the call does not matter, because the agent has chosen the skill.
 * @example
 * const [call, activation] = addSkillActivations([catTidySkill], ["tidy"]);
 */
export function addSkillActivations(
  bodies: readonly AgentEventBody[],
  offered: readonly string[],
): readonly AgentEventBody[] {
  if (!bodies.some(({ type }) => type === "tool_call")) return bodies;
  return bodies.flatMap((body): readonly AgentEventBody[] => {
    if (body.type !== "tool_call") return [body];
    return [body, ...findActivatedSkills(body, offered).map((name) => createSkillActivation(name, body))];
  });
}

/** Has the time of the call, if the stream reports it. */
function createSkillActivation(name: string, call: AgentToolCall): AgentEventBody {
  const when = "timestamp" in call ? { timestamp: call.timestamp } : {};
  return { type: "skill_activation", name, ...when };
}

/** A tool for skills may also name one of the agent's own. */
function findActivatedSkills(call: AgentToolCall, offered: readonly string[]): readonly string[] {
  const tool = toPlainToolName(call.name);
  if (SKILL_TOOLS.has(tool)) return findNamedSkills(call.arguments, offered);
  if (offered.length === 0 || WRITING_TOOLS.test(tool)) return [];
  const texts = collectArgumentTexts(call.arguments);
  return offered.filter((name) => texts.some((text) => isReadingSkill(text, name)));
}

/** Without MCP server name, case and separators. */
function toPlainToolName(name: string): string {
  const own = name.split(/__|[./:]/).at(-1) ?? name;
  return own.toLowerCase().replace(/[_\s-]/g, "");
}

function findNamedSkills(given: unknown, offered: readonly string[]): readonly string[] {
  const fields = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const values = typeof given === "string" ? [given] : NAME_FIELDS.map((field) => fields[field]);
  const named = values.find((value): value is string => typeof value === "string" && value.trim() !== "");
  if (named === undefined) return [];
  const [word = ""] = named.trim().replace(/^\//, "").split(/\s/);
  // Skills of a plugin have its name as a prefix.
  const own = word.split(":").at(-1) ?? word;
  return [offered.includes(own) ? own : word];
}

/** All texts in a call's arguments, at any depth. */
function collectArgumentTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectArgumentTexts) : [];
}

/** True when the text names the file with its folder, or changes into that folder first. */
function isReadingSkill(text: string, name: string): boolean {
  if (!text.includes("SKILL.md") || !text.includes(name)) return false;
  const own = name.replaceAll(".", "\\.");
  const inFolder = new RegExp(`(?<![\\w.-])${own}[/\\\\]+(?:\\./)?SKILL\\.md\\b`);
  const afterGoing = new RegExp(
    `\\bcd\\s[^;&|\\n]*(?<![\\w.-])${own}[/\\\\]?["']?\\s*(?:&&|;|\\n)[^/]*?[\\s"'](?:\\./)?SKILL\\.md\\b`,
  );
  return inFolder.test(text) || afterGoing.test(text);
}

/** Longer lines are dropped; even whole files in a tool's result are far shorter. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** How much of a line that is not JSON is kept. */
const MAX_MALFORMED_CHARS = 2000;

const LF = 10;
const CR = 13;

/**
 * Splits a stream into lines. Only a line feed ends a line, because U+2028 and U+2029 occur in texts. Empty lines are
 * omitted.
 * @example
 * const lines = new LineSplitter();
 * child.stdout.on("data", (chunk) => lines.push(chunk).map(parseEventLine).forEach(read));
 * child.stdout.on("end", () => lines.end().map(parseEventLine).forEach(read));
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Chunks of the incomplete line, joined once so that long lines take linear time. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isDropping = false;
  #dropped = 0;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Number of lines that were too long. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Returns the lines completed by this chunk. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let feed = chunk.indexOf(LF); feed !== -1; feed = chunk.indexOf(LF, start)) {
      this.#hold(chunk.subarray(start, feed));
      this.#complete(lines);
      start = feed + 1;
    }
    this.#hold(chunk.subarray(start));
    return lines;
  }

  /** Returns the last line if it has no line feed. */
  end(): string[] {
    const lines: string[] = [];
    this.#complete(lines);
    return lines;
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0 || this.#isDropping) return;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes <= this.#maxBytes) return;
    this.#isDropping = true;
    this.#dropped += 1;
    this.#release();
  }

  #complete(lines: string[]): void {
    const [first] = this.#held;
    const bytes = this.#held.length === 1 && first !== undefined ? first : Buffer.concat(this.#held);
    this.#release();
    this.#isDropping = false;
    const line = bytes.toString("utf8", 0, bytes.at(-1) === CR ? bytes.length - 1 : bytes.length);
    if (line.trim() !== "") lines.push(line);
  }

  #release(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** A line that is not JSON, possibly truncated. */
interface MalformedLine {
  readonly malformed: string;
}

/**
 * Parses a line as an event.
 * @example
 * parseEventLine('{"type":"result"}'); // { type: "result" }
 * parseEventLine("Segmentation fault"); // { malformed: "Segmentation fault" }
 */
export function parseEventLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { malformed: line.slice(0, MAX_MALFORMED_CHARS) } satisfies MalformedLine;
  }
}
