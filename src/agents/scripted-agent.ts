import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "./scripted-program.js";

/** One thing that a scripted agent does. */
export type ScriptStep =
  /**
   * Calls the model where its environment says, tells of it as `claude` does unless it is silent, and runs the command it
   * is told. When the call fails it ends, unless it is to try again once, or to go on anyway.
   */
  | { readonly ask: true; readonly silent?: boolean; readonly again?: true; readonly anyway?: true }
  /** Tells of a call to a model that it has not made through anything that could count it. */
  | { readonly say: string; readonly input: number; readonly output: number }
  /** A file in the folder it works in. */
  | { readonly write: string; readonly text: string }
  | { readonly print: unknown }
  /** Prints this as it is. */
  | { readonly line: string }
  /** Prints the result of a tool that is this many bytes long, in one line. */
  | { readonly long: number }
  | { readonly wait: number }
  | { readonly hang: true }
  | { readonly stderr: string }
  /** Writes down what it was given: its arguments, its environment, its folder and what it can read from its stdin. */
  | { readonly confess: string }
  | { readonly ignore: "SIGTERM" }
  /** Starts a program in a session of its own, and leaves it. */
  | { readonly detach: readonly [string, ...string[]] }
  /** The final event. Its totals are those that it counted, times `factor`. */
  | { readonly end: "done" | "failed"; readonly factor?: number; readonly message?: string; readonly status?: number }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals };

/** What it does by the task that it is given; `*` for all others. */
export type Script = Readonly<Record<string, readonly ScriptStep[]>>;

/**
 * A program that passes for an agent: it does what it was told beforehand. Events of its own are those of `claude`; for
 * any other it prints what the script says.
 */
export interface ScriptedAgent {
  /** To be put into PATH. */
  readonly bin: string;
  /** How many times it was given a task. */
  starts(): number;
  remove(): void;
}

export interface ScriptedAgentOptions {
  /** Where the program is put. */
  readonly bin: string;
  readonly script: Script;
  readonly name?: string;
  /** What it prints when it is asked for its version. */
  readonly version?: string;
}

/** Writes the program. */
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
