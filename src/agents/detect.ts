import { tmpdir } from "node:os";
import { UsageError } from "../core/errors.js";
import { findProgram, runCommand } from "../exec/process/index.js";
import { describeNotExecutable, isMissingExecuteBit } from "../exec/process/not-started.js";
import type { AgentAdapter } from "./adapter.js";

/** Some programs load completely to report their version. */
export const VERSION_TIMEOUT_MS = 20_000;

/** An installed agent. */
export interface DetectedAgent {
  readonly program: string;
  /** Null when unknown. */
  readonly version: string | null;
}

/** Finds the program of an agent and its version. */
export async function detectAgent(adapter: AgentAdapter): Promise<DetectedAgent> {
  const program = findProgram(adapter.program);
  if (program === null) throw new UsageError(describeMissingAgent(adapter));
  return { program, version: adapter.command === undefined ? (await requestVersion(program)).version : null };
}

function describeMissingAgent({ program, install, command }: AgentAdapter): string {
  if (isMissingExecuteBit(program)) return describeNotExecutable(program);
  // At the end of the message, so that it can be copied.
  if (command === undefined)
    return `Program "${program}" not found in PATH (see: assay doctor). ${formatInstallHint(install)}`;
  return program.includes("/")
    ? `Program ${program} not found. Check the path.`
    : `Program "${program}" not found in PATH. ${install}`;
}

export function formatInstallHint(install: string): string {
  return `Install it with: ${install}`;
}

/** A program's response to a request for its version. */
export interface VersionAnswer {
  /** Null when unknown. */
  readonly version: string | null;
  /** True when it did not respond in time and was stopped. */
  readonly timedOut: boolean;
}

export async function requestVersion(program: string, timeoutMs = VERSION_TIMEOUT_MS): Promise<VersionAnswer> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME };
  const command = { command: program, args: ["--version"], cwd: tmpdir(), env, timeoutMs };
  const { stdout, stderr, timedOut } = await runCommand(command);
  // Some print it to stderr.
  return { version: /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null, timedOut };
}
