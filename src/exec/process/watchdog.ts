import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { MARK_NAME } from "./traces.js";

/**
 * Keeps the list of what runs, and when nobody is left to write to it ends what is still on it. Several times over, as
 * what is being killed may still be starting others.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
list=
while read -r what mark; do
  group=\${what#?} rest=
  for item in $list; do
    [ "\${item%%=*}" = "$group" ] || rest="$rest $item"
  done
  case $what in
    +*) list="$rest $group=$mark" ;;
    *) list=$rest ;;
  esac
done
[ -n "$list" ] || exit 0
for round in 1 2 3; do
  for item in $list; do
    kill -9 "-\${item%%=*}"
    for file in $(grep -lsz "^${MARK_NAME}=\${item#*=}" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      kill -9 "\${file%/environ}"
    done
  done
  sleep 0.2
done
`;

/**
 * Ends the programs of an Assay process that was killed and could not do so itself: a small shell that outlives it. All
 * else works without it, so that it does not matter when there is no shell.
 */
export class Watchdog {
  /** Group → mark of the programs that run. */
  readonly #watched = new Map<number, string>();
  readonly #shellPath: string;
  #shell: ChildProcess | null = null;

  constructor(shellPath = "/bin/sh") {
    this.#shellPath = shellPath;
  }

  /** Puts a program on the list. */
  watch(group: number, mark: string): void {
    this.#watched.set(group, mark);
    if (this.#shell === null) this.#start();
    else this.#write(`+${group} ${mark}`);
  }

  /** The shell's number while there is one. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** Takes a program off the list: nothing of it is left. */
  release(group: number): void {
    if (this.#watched.delete(group)) this.#write(`-${group}`);
  }

  /** Lets go of the shell as the end of this process would: what is on the list is ended. */
  hangUp(): void {
    this.#shell?.stdin?.end();
  }

  #start(): void {
    // Its folder and its environment are nobody's, so that it holds no folder and passes for no part of a trial.
    const options = { cwd: "/", env: { PATH: process.env.PATH ?? "/usr/bin:/bin" }, detached: true } as const;
    const shell = spawn(this.#shellPath, ["-c", SCRIPT], { ...options, stdio: ["pipe", "ignore", "ignore"] });
    this.#shell = shell;
    const forget = () => {
      if (this.#shell === shell) this.#shell = null;
    };
    shell.on("error", forget).on("exit", forget).unref();
    const input = shell.stdin as Socket | undefined;
    input?.on("error", forget).unref();
    for (const [group, mark] of this.#watched) this.#write(`+${group} ${mark}`);
  }

  #write(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

/** One for the whole process, as it is the end of the process that it waits for; started with the first program. */
export const watchdog = new Watchdog();
