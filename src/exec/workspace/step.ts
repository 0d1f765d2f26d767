import type { CommandResult } from "../process/index.js";
import { runCommand } from "../process/index.js";
import { WorkspaceError } from "./workspace-error.js";

const TAIL_CHARS = 2000;

/** One thing that is run to set a folder up. */
export interface Step {
  /** As messages name it. */
  readonly what: string;
  readonly command: string;
  /** Without them the command is a line for the shell. */
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs it and gives back what it printed; throws when it fails. */
export async function runStep({ what, args, ...step }: Step): Promise<string> {
  const result = await runCommand({ ...step, ...(args === undefined ? { shell: true } : { args }) });
  if (result.code === 0 && !result.timedOut) return result.stdout;
  throw new WorkspaceError(withoutLogins(`${what} ${howItEnded(result, step.timeoutMs)}${tailOf(result)}`));
}

function howItEnded({ code, signal, timedOut }: CommandResult, timeoutMs: number): string {
  if (timedOut) return `did not end within ${timeoutMs / 1000} s.`;
  return code === null ? `was ended by ${signal}.` : `failed with exit code ${code}.`;
}

function tailOf({ stdout, stderr }: CommandResult): string {
  const text = (stderr.trim() || stdout.trim()).slice(-TAIL_CHARS);
  return text === "" ? " It printed nothing." : ` It said at the end:\n${text}`;
}

/** An address may hold a password. */
function withoutLogins(message: string): string {
  return message.replaceAll(/:\/\/[^/@\s]+@/g, "://***@");
}
