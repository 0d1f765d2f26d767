import { tmpdir } from "node:os";
import { UsageError } from "../core/errors.js";
import { findProgram, runCommand } from "../processes/index.js";
import type { AgentAdapter } from "./adapter.js";

/** Some load all of themselves to say who they are. */
const TIMEOUT_MS = 30_000;

/** A program that is there. */
export interface DetectedAgent {
  readonly program: string;
  /** Null when it does not tell. */
  readonly version: string | null;
}

/** Finds the program of an agent, and asks for its version. */
export async function detectAgent(adapter: AgentAdapter): Promise<DetectedAgent> {
  const program = findProgram(adapter.program);
  if (program === null)
    throw new UsageError(`There is no program "${adapter.program}" in PATH. ${adapter.install} See: assay doctor.`);
  return { program, version: adapter.command === undefined ? await versionOf(program) : null };
}

async function versionOf(program: string): Promise<string | null> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME };
  const { stdout, stderr } = await runCommand({
    command: program,
    args: ["--version"],
    cwd: tmpdir(),
    env,
    timeoutMs: TIMEOUT_MS,
  });
  // Some say it on stderr.
  return /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
}
