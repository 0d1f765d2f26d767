import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "./scripted-program.js";

/** One step of a scripted agent. */
export type ScriptStep =
  /**
   * Calls the model of its environment, reports that like `claude` unless it is silent, and runs the returned command. When
   * the call fails it ends, unless it is to retry once or to continue anyway.
   */
  | { readonly ask: true; readonly silent?: boolean; readonly again?: true; readonly anyway?: true }
  /** Reports a model call that was not made through the gateway. */
  | { readonly say: string; readonly input: number; readonly output: number }
  /** Writes a file in its working folder. */
  | { readonly write: string; readonly text: string }
  | { readonly print: unknown }
  /** Prints this line. */
  | { readonly line: string }
  /** Prints a tool result of this many bytes in one line. */
  | { readonly long: number }
  | { readonly wait: number }
  | { readonly hang: true }
  | { readonly stderr: string }
  /** Writes what it was given to a file: arguments, environment, folder and stdin. */
  | { readonly confess: string }
  | { readonly ignore: "SIGTERM" }
  /** Starts a program in its own session and leaves it running. */
  | { readonly detach: readonly [string, ...string[]] }
  /** Prints the final event. Its totals are the counted ones times `factor`. */
  | { readonly end: "done" | "failed"; readonly factor?: number; readonly message?: string; readonly status?: number }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals };

/** Steps by task; `*` for all others. */
export type AgentScript = Readonly<Record<string, readonly ScriptStep[]>>;

/**
 * A program that acts as an agent by following a script. Its own events are those of `claude`; for other agents it prints
 * what the script says.
 */
export interface ScriptedAgent {
  /** Folder to add to PATH. */
  readonly bin: string;
  /** How often it was given a task. */
  starts(): number;
  remove(): void;
}

export interface ScriptedAgentOptions {
  /** Folder of the program. */
  readonly bin: string;
  readonly script: AgentScript;
  readonly name?: string;
  /** Its version output. */
  readonly version?: string;
}

export function writeScriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const { bin, script, name = "claude", version = "2.1.325 (Claude Code)" } = options;
  const starts = join(bin, "starts.txt");
  mkdirSync(bin, { recursive: true });
  writeFileSync(starts, "");
  const given = { name, script, version, starts };
  const text = `#!${process.execPath}\nconst GIVEN = ${JSON.stringify(given)};\n${PROGRAM}`;
  writeFileSync(join(bin, name), text, { mode: 0o755 });
  return {
    bin,
    starts: () => readFileSync(starts, "utf8").length,
    remove: () => rmSync(join(bin, name)),
  };
}
