import { tmpdir } from "node:os";
import { UsageError } from "../core/errors.js";
import { findProgram, runCommand } from "../exec/process/index.js";
import { lacksExecuteBit, notExecutable } from "../exec/process/not-started.js";
import type { AgentAdapter } from "./adapter.js";

/** How long a program may take to tell its version: some load all of themselves for that. */
export const VERSION_TIMEOUT_MS = 20_000;

/** A program that is there. */
export interface DetectedAgent {
  readonly program: string;
  /** Null when it does not tell. */
  readonly version: string | null;
}

/** Finds the program of an agent, and asks for its version. */
export async function detectAgent(adapter: AgentAdapter): Promise<DetectedAgent> {
  const program = findProgram(adapter.program);
  if (program === null) throw new UsageError(missing(adapter));
  return { program, version: adapter.command === undefined ? (await askVersion(program)).version : null };
}

function missing({ program, install, command }: AgentAdapter): string {
  if (lacksExecuteBit(program)) return notExecutable(program);
  // The last word, so that it can be copied.
  if (command === undefined)
    return `There is no program "${program}" in PATH (see: assay doctor). ${howToInstall(install)}`;
  return program.includes("/")
    ? `There is no program ${program}. Check the path.`
    : `There is no program "${program}" in PATH. ${install}`;
}

/** The line that gets an agent, for messages. */
export function howToInstall(install: string): string {
  return `Install it with: ${install}`;
}

/** What a program said when it was asked for its version. */
export interface VersionAnswer {
  /** Null when it does not tell. */
  readonly version: string | null;
  /** True when it said nothing in time, and was ended. */
  readonly timedOut: boolean;
}

/** Asks a program for its version. */
export async function askVersion(program: string, timeoutMs = VERSION_TIMEOUT_MS): Promise<VersionAnswer> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME };
  const command = { command: program, args: ["--version"], cwd: tmpdir(), env, timeoutMs };
  const { stdout, stderr, timedOut } = await runCommand(command);
  // Some say it on stderr.
  return { version: /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null, timedOut };
}
