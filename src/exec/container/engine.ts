import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { getErrorMessage, SandboxError } from "../../core/index.js";
import type { BoxSettings } from "../box/box-settings.js";
import { type CommandResult, findProgram, runCommand } from "../process/index.js";
import { readProcess } from "../process/process-table.js";

/** A program that runs containers. Podman takes the same commands as Docker. */
export type EngineName = "docker" | "podman";

/** Long enough for an image of some GB over a slow line. */
const MAX_MS = 3_600_000;

const TAIL_CHARS = 2000;

/**
 * Runs the commands of an engine with the user's own variables, so that its settings apply: DOCKER_HOST, CONTAINERS_CONF.
 * @example
 * await new Engine("podman").read(["version"]);
 */
export class Engine {
  readonly name: EngineName;

  constructor(name: EngineName) {
    this.name = name;
  }

  /** The folder where containers keep their files; null if that is not on this machine. */
  async findStorage(): Promise<string | null> {
    const format = { docker: "{{.DockerRootDir}}", podman: "{{.Store.GraphRoot}}" }[this.name];
    const { stdout, code } = await this.run(["info", "--format", format]);
    return code === 0 && existsSync(stdout.trim()) ? stdout.trim() : null;
  }

  /** Bytes of the files that a container has made or changed in its image's own folders; 0 when unknown. */
  async measureChanges(container: string): Promise<number> {
    const { stdout } = await this.run(["container", "inspect", "--size", "--format", "{{.SizeRw}}", container]);
    return Number(stdout) || 0;
  }

  /** The path of its program. Throws when it is not installed. */
  get program(): string {
    const path = findProgram(this.name);
    if (path === null) throw new SandboxError(`${this.name} is not installed, or not on PATH.`);
    return path;
  }

  /** Runs a command of the engine, whatever becomes of it. */
  run(args: readonly string[], input?: string): Promise<CommandResult> {
    const what = { command: this.program, args, cwd: "/", env: process.env, timeoutMs: MAX_MS };
    return runCommand({ ...what, ...(input !== undefined && { input }) });
  }

  /** Returns what the command printed; throws `SandboxError` with its last line when it fails. */
  async read(args: readonly string[], input?: string): Promise<string> {
    const result = await this.run(args, input);
    if (result.code === 0) return result.stdout;
    throw new SandboxError(`${this.name} ${args[0]} failed: ${getLastLine(result)}`);
  }
}

/** The last line of what a command printed, which says what is wrong. */
export function getLastLine({ stderr, stdout, code }: CommandResult): string {
  const lines = (stderr.trim() || stdout.trim()).split("\n");
  return lines.at(-1)?.slice(0, TAIL_CHARS) || `it ended with ${code}`;
}

/** The end of what a command printed, for people who have to find the cause. */
export function getTail({ stderr, stdout }: CommandResult): string {
  return `${stdout}\n${stderr}`.trim().slice(-TAIL_CHARS);
}

/** Whether an engine can run containers on this machine. */
export interface EngineSupport {
  readonly works: boolean;
  /** For people. */
  readonly detail: string;
}

const known = new Map<EngineName, Promise<EngineSupport>>();

/** Tries it once for each process. */
export function findEngineSupport(name: EngineName): Promise<EngineSupport> {
  const found = known.get(name) ?? tryEngine(new Engine(name));
  known.set(name, found);
  return found;
}

/** The engine of an isolation such as `container:podman`. Throws when it cannot run containers. */
export async function requireEngine({ kind }: Pick<BoxSettings, "kind">): Promise<Engine> {
  const name = kind.replace("container:", "") as EngineName;
  const { works, detail } = await findEngineSupport(name);
  if (works) return new Engine(name);
  throw new SandboxError(`No container can be made on this machine: ${detail}`);
}

async function tryEngine(engine: Engine): Promise<EngineSupport> {
  try {
    const { stdout } = await requireSuccess(engine, ["version", "--format", "{{.Client.Version}}"]);
    await requireSuccess(engine, ["info"]);
    await removeAbandoned(engine);
    const problem = await findRunProblem(engine);
    if (problem !== null) return { works: false, detail: `${engine.name} cannot run a container: ${problem}` };
    return { works: true, detail: `${engine.name} ${stdout.trim()}` };
  } catch (error) {
    return { works: false, detail: getErrorMessage(error) };
  }
}

async function requireSuccess(engine: Engine, args: readonly string[]): Promise<CommandResult> {
  const result = await engine.run(args);
  if (result.code === 0) return result;
  throw new SandboxError(`${engine.name} does not work: \`${engine.name} ${args[0]}\` says: ${getLastLine(result)}`);
}

/** An archive without files. */
const EMPTY_TAR = "\0".repeat(10_240);

const PROBE_IMAGE = "assay-probe:1";

/** Runs our own Node in an image without any file, which needs no registry. Null when it ran. */
async function findRunProblem(engine: Engine): Promise<string | null> {
  const { listNodeMounts, NODE_COMMAND } = await import("./host-node.js");
  const mounts = await listNodeMounts();
  if (mounts === null) return null;
  if ((await engine.run(["image", "inspect", PROBE_IMAGE])).code !== 0)
    await engine.read(["import", "-", PROBE_IMAGE], EMPTY_TAR);
  const flags = ["--rm", "--network", "none", ...mounts.flatMap(formatMount)];
  const result = await engine.run(["run", ...flags, PROBE_IMAGE, ...NODE_COMMAND, "--version"]);
  return result.code === 0 ? null : getLastLine(result);
}

/** A file or folder of the machine, and where it is in the container. */
export interface ContainerMount {
  readonly from: string;
  readonly to: string;
  readonly isWritable?: boolean;
}

/** The flags that mount it. */
export function formatMount({ from, to, isWritable = false }: ContainerMount): string[] {
  return ["--volume", `${from}:${to}${isWritable ? "" : ":ro"}`];
}

/** Which process a container belongs to. */
const OWNER_LABEL = "assay.owner";

/** The flag that says to which process a container belongs. */
export function formatOwner(): string[] {
  return ["--label", `${OWNER_LABEL}=${describeOwner(process.pid)}`];
}

/** Removes the containers of Assay processes on this machine that were killed. */
async function removeAbandoned(engine: Engine): Promise<void> {
  const ids = await engine.read(["ps", "--all", "--quiet", "--filter", `label=${OWNER_LABEL}`]);
  for (const id of ids.split("\n").filter(Boolean)) {
    const format = `{{index .Config.Labels "${OWNER_LABEL}"}}`;
    // Another process may have removed it meanwhile.
    const { stdout, code } = await engine.run(["inspect", "--format", format, id]);
    if (code === 0 && isAbandoned(stdout.trim())) await engine.run(["rm", "--force", id]);
  }
}

/** On this machine: the process, and when it was started, because its id may be used again. */
function describeOwner(pid: number): string {
  return `${hostname()}:${pid}:${readProcess(pid)?.startedAt ?? 0}`;
}

function isAbandoned(owner: string): boolean {
  const [machine, pid] = owner.split(":");
  return machine === hostname() && pid !== undefined && describeOwner(Number(pid)) !== owner;
}
