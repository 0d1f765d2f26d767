import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { SandboxError } from "../../core/index.js";
import { FORWARDER_SCRIPT, type ForwardedPort } from "../box/box-forwarder.js";
import type { ExceededLimit } from "../box/control-group.js";
import { OPEN_INPUT, type PipedProgram, startProgram } from "../process/index.js";
import type { Engine } from "./engine.js";
import { KEEPER_FILE, NODE_COMMAND } from "./host-node.js";

/**
 * The first program of a container. It passes connections on, and does what only a program inside can do. It ends with its
 * input, and the container with it: when Assay is killed, nothing goes on. Each line of its input is a command, and each line
 * of its output the answer.
 */
export const KEEPER_SCRIPT = `
process.title = "assay";
const fs = require("node:fs");
const path = require("node:path");
${FORWARDER_SCRIPT}
const opened = new Set();
const readNumber = (file, name) => {
  try { return Number(new RegExp("^" + name + " (\\\\d+)$", "m").exec(fs.readFileSync(file, "utf8"))[1]); } catch { return 0; }
};
const give = (file, owner) => {
  const stats = fs.lstatSync(file);
  if (stats.uid !== owner.uid || stats.gid !== owner.gid) fs.lchownSync(file, owner.uid, owner.gid);
  if (stats.isDirectory()) for (const name of fs.readdirSync(file)) give(path.join(file, name), owner);
};
const commands = {
  open: async ({ ports }) => {
    const added = ports.filter(({ port }) => !opened.has(port));
    await Promise.all(added.map(listen));
    for (const { port } of added) opened.add(port);
  },
  terminate: () => { try { process.kill(-1, "SIGTERM"); } catch {} },
  owners: ({ folders }) => folders.map((folder) => { const { uid, gid } = fs.lstatSync(folder); return { folder, uid, gid }; }),
  give: ({ owners }) => { for (const owner of owners) give(owner.folder, owner); },
  exceeded: () => {
    const group = "/sys/fs/cgroup";
    const killed = readNumber(group + "/memory.events", "oom_kill") + readNumber(group + "/memory/memory.oom_control", "oom_kill");
    const refused = readNumber(group + "/pids.events", "max") + readNumber(group + "/pids/pids.events", "max");
    return [...(killed > 0 ? ["memory"] : []), ...(refused > 0 ? ["processes"] : [])];
  },
};
let last = Promise.resolve();
const answer = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
const obey = async (line) => {
  const command = JSON.parse(line);
  try { answer({ result: (await commands[command.do](command)) ?? null }); } catch (error) { answer({ error: error.message }); }
};
require("node:readline").createInterface({ input: process.stdin })
  .on("line", (line) => { last = last.then(() => obey(line)); })
  .on("close", () => process.exit(0));
answer({ result: "ready" });
`;

/** The shell takes processes off the table whose parents have ended. */
const SHELL_SCRIPT = `trap '' TERM INT HUP; "$@"; exit $?`;

const NODE_FLAGS = ["--max-semi-space-size=1"];

/** The command that a container runs. */
export const KEEPER_COMMAND = [
  "/bin/sh",
  "-c",
  SHELL_SCRIPT,
  "sh",
  ...NODE_COMMAND,
  ...NODE_FLAGS,
  KEEPER_FILE,
] as const;

/** A program inside that has been stopped by another does not answer any more. */
const ANSWER_MS = 30_000;

/** A folder, and the user that it belongs to. */
export interface FolderOwner {
  readonly folder: string;
  readonly uid: number;
  readonly gid: number;
}

/** The running first program of a container. */
export class Keeper {
  readonly #program: PipedProgram;
  readonly #answers: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();
  #stderr = "";

  private constructor(program: PipedProgram) {
    this.#program = program;
    this.#answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    program.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-2000);
    });
  }

  /** Starts a container that was created with `KEEPER_COMMAND`. */
  static async start(engine: Engine, container: string): Promise<Keeper> {
    const args = ["start", "--attach", "--interactive", container];
    const program = await startProgram({
      command: engine.program,
      args,
      cwd: "/",
      env: process.env,
      input: OPEN_INPUT,
    });
    const keeper = new Keeper(program);
    try {
      await keeper.#readAnswer();
    } catch (cause) {
      await program.stop();
      const said = keeper.#stderr.trim().split("\n").at(-1);
      throw new SandboxError(`${engine.name} cannot start the container: ${said || "it ended at once"}`, { cause });
    }
    return keeper;
  }

  /** Makes ports of the container lead to sockets. */
  async open(ports: readonly ForwardedPort[]): Promise<void> {
    if (ports.length > 0) await this.#ask({ do: "open", ports });
  }

  /** Asks all programs in the container to end. */
  async terminate(): Promise<void> {
    await this.#ask({ do: "terminate" }).catch(() => undefined);
  }

  /** The users, as they are seen in the container, that the folders belong to. */
  async readOwners(folders: readonly string[]): Promise<FolderOwner[]> {
    return (await this.#ask({ do: "owners", folders })) as FolderOwner[];
  }

  /** Gives everything in the folders to these users. */
  async give(owners: readonly FolderOwner[]): Promise<void> {
    await this.#ask({ do: "give", owners });
  }

  /** The limits that programs of the container ran into. */
  async listExceeded(): Promise<ExceededLimit[]> {
    try {
      return (await this.#ask({ do: "exceeded" })) as ExceededLimit[];
    } catch {
      return [];
    }
  }

  /** Call when the container was stopped. */
  async end(): Promise<void> {
    this.#program.stdin?.end();
    await this.#program.sweep();
  }

  /** One command after the other, so that the answers are in their order. */
  #ask(command: Readonly<Record<string, unknown>>): Promise<unknown> {
    const asked = this.#last.then(() => {
      this.#program.stdin?.write(`${JSON.stringify(command)}\n`);
      return this.#readAnswer();
    });
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #readAnswer(): Promise<unknown> {
    const timer = new AbortController();
    const late = wait(ANSWER_MS, null, { signal: timer.signal }).catch(() => null);
    const next = await Promise.race([this.#answers.next(), late]);
    timer.abort();
    if (next === null || next.done === true) throw new SandboxError("The container has ended, or does not answer.");
    const { result, error } = JSON.parse(next.value) as { result?: unknown; error?: string };
    if (error !== undefined) throw new SandboxError(`The container could not be prepared: ${error}`);
    return result;
  }
}
