import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../core/index.js";
import { quoteShellWord } from "../../utils/index.js";
import { BoxNetwork } from "../box/box-network.js";
import { type BoxSettings, toBytes } from "../box/box-settings.js";
import { formatExports, listCertificates, removeProxies, setOddVariables } from "../box/box-variables.js";
import type { ExceededLimit } from "../box/control-group.js";
import { watchDisk } from "../box/disk-watch.js";
import { resolveReal } from "../box/program-paths.js";
import type { BoxPlaces, BoxRecord, TrialBox } from "../box/trial-box.js";
import type { BoxedStart, ProgramStart } from "../process/index.js";
import { machineCapacity } from "./capacity.js";
import { type ContainerMount, type Engine, formatMount, formatOwner, requireEngine } from "./engine.js";
import { prepareTools, TOOLS_FOLDER } from "./host-node.js";
import { findImage, type LocalImage } from "./image.js";
import { type FolderOwner, KEEPER_COMMAND, KEEPER_SCRIPT, Keeper } from "./keeper.js";

/** What the first program of a container needs itself. */
const KEEPER_PROCESSES = 24;
const KEEPER_BYTES = 96 * 2 ** 20;

/** Rights of root that programs of a trial do not need, and that could reach further than the container. */
const DROPPED_RIGHTS = ["AUDIT_WRITE", "MKNOD", "NET_RAW"];

/** The engine passes the proxies of this machine on, which cannot be reached and whose addresses may contain passwords. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** The shell counts the size of files in these. */
const BLOCK_BYTES = 512;

/**
 * Limits files, reads the program's variables and starts it: blocks of a file, file of the variables, command. When memory
 * runs out, it is ended before the first program of the container. Engines refuse some limits that a shell can set.
 */
const START_SCRIPT = `ulimit -c 0; ulimit -f "$1"
unset ${PROXIES.join(" ")}; . "$2"; shift 2
[ -x "$SHELL" ] || export SHELL=/bin/sh
echo 500 2>/dev/null >/proc/self/oom_score_adj
exec "$@"`;

/**
 * Runs programs in a container of an image: they see its files, the trial's folders at their own paths, and nothing else of
 * this machine. All programs of a trial run in the same container, so that what a set-up installs is there for the agent and
 * the graders; what one of them leaves running is ended with it.
 * @example
 * const box = await Container.open(settings, { scratch: join(root, "box"), writable: [folder] }, { environment });
 * await runCommand({ command: "pytest", shell: true, cwd: folder, env, box });
 * await box.close();
 */
export class Container implements TrialBox {
  readonly settings: BoxSettings;
  readonly isRoot = true;
  readonly laterFolders: string;
  readonly #engine: Engine;
  readonly #image: LocalImage;
  readonly #environment: Environment;
  readonly #places: BoxPlaces;
  readonly #network: BoxNetwork;
  readonly #name = `assay-${process.pid}-${randomBytes(6).toString("hex")}`;
  readonly #exceeded = new Set<ExceededLimit | "disk">();
  /** Where the image's own folders are on this machine; null if they are not. */
  #storage: string | null = null;
  #giveBack: () => void = () => undefined;
  #owners: readonly FolderOwner[] = [];
  /** Null while the container does not run. */
  #keeper: Promise<Keeper> | null = null;
  /** Programs that run in it. */
  #running = 0;
  #wasStarted = false;
  #starts = 0;
  /** The end of everything that the last programs have left. */
  #stopping: Promise<void> = Promise.resolve();

  private constructor(settings: BoxSettings, places: BoxPlaces, { engine, image, environment }: ContainerParts) {
    this.settings = settings;
    this.#places = places;
    this.#engine = engine;
    this.#image = image;
    this.#environment = environment;
    this.#network = new BoxNetwork(join(places.scratch, "net"), settings.allowHosts);
    this.laterFolders = join(places.scratch, "later");
  }

  /** Throws when the engine does not work, or when the image cannot be found or made. */
  static async open(
    settings: BoxSettings,
    places: BoxPlaces,
    { environment, signal }: { environment: Environment; signal?: AbortSignal | undefined },
  ): Promise<Container> {
    const engine = await requireEngine(settings);
    const image = await findImage(engine, environment);
    const limits = { ...settings.limits, cpus: Math.min(settings.limits.cpus, availableParallelism()) };
    const container = new Container({ ...settings, limits }, places, { engine, image, environment });
    container.#storage = await engine.findStorage();
    container.#giveBack = await machineCapacity.take(environment.guaranteed ?? {}, signal);
    try {
      await container.#create();
      return container;
    } catch (error) {
      container.#giveBack();
      throw error;
    }
  }

  get record(): BoxRecord {
    return {
      ...this.settings,
      limitedBy: this.#wasStarted ? "cgroup" : null,
      exceeded: [...this.#exceeded],
      network: this.#network.traffic,
      image: { name: this.#image.name, id: this.#image.id },
    };
  }

  /** The folder of the image that the workspace begins with; null for none. */
  get #workdir(): string | null {
    return this.#environment.workdir ?? this.#image.workdir;
  }

  async close(): Promise<void> {
    await this.#stopAll();
    await this.#engine.run(["rm", "--force", this.#name]);
    this.#giveBack();
    await this.#network.close();
  }

  /** Its programs are root inside. */
  async claim(): Promise<void> {}

  async giveBack(): Promise<void> {
    if (!this.#wasStarted) return;
    const keeper = await this.#start();
    await keeper.give(this.#owners);
  }

  async openForGraders(): Promise<TrialBox> {
    return new SharedContainer(this);
  }

  /** Copies the files of the image's working folder to a folder of this machine. */
  async copyWorkdir(to: string): Promise<void> {
    const from = this.#workdir;
    if (from === null) return;
    const target = "/opt/assay/work";
    const script = `if [ -d ${quoteShellWord(from)} ]; then cp -a ${quoteShellWord(from)}/. ${target}; fi`;
    await this.#engine.read([
      "run",
      "--rm",
      ...formatOwner(),
      "--network=none",
      "--user=0:0",
      "--security-opt=label=disable",
      ...formatMount({ from: to, to: target, isWritable: true }),
      "--entrypoint=/bin/sh",
      this.#image.id,
      "-c",
      script,
    ]);
  }

  async wrap(start: ProgramStart): Promise<BoxedStart> {
    this.#running += 1;
    const number = this.#starts;
    this.#starts += 1;
    const file = join(this.#places.scratch, "starts", String(number));
    try {
      await this.#stopping;
      const ports = await this.#network.open(start.ports ?? []);
      const keeper = await this.#start();
      await keeper.open(ports);
      const env = { ...removeProxies(start.env), ...this.#network.env };
      await writeFile(file, formatVariables(env));
      const command = [...setOddVariables(env), this.#findInside(start.command), ...(start.args ?? [])];
      const blocks = Math.ceil(toBytes(this.settings.limits.diskGib) / BLOCK_BYTES);
      const script = ["/bin/sh", "-c", START_SCRIPT, "sh", String(blocks), file, ...command];
      const where = ["--user=0:0", `--workdir=${start.cwd ?? "/"}`];
      return this.#describeStart(["exec", "--interactive", ...where, this.#name, ...script], file);
    } catch (error) {
      await this.#finish(file);
      throw error;
    }
  }

  async #create(): Promise<void> {
    const { scratch, writable } = this.#places;
    await Promise.all(["net", "later", "starts"].map((name) => mkdir(join(scratch, name), { recursive: true })));
    const { processes, memoryGib, cpus } = this.settings.limits;
    const memory = toBytes(memoryGib) + KEEPER_BYTES;
    const { guaranteed } = this.#environment;
    await this.#engine.read([
      "create",
      "--interactive",
      ...formatOwner(),
      `--name=${this.#name}`,
      "--hostname=assay-box",
      "--network=none",
      "--user=0:0",
      `--pids-limit=${processes + KEEPER_PROCESSES}`,
      `--memory=${memory}`,
      `--memory-swap=${memory}`,
      ...(guaranteed?.memoryGib === undefined ? [] : [`--memory-reservation=${toBytes(guaranteed.memoryGib)}`]),
      `--cpus=${cpus}`,
      ...(guaranteed?.cpus === undefined ? [] : [`--cpu-shares=${Math.ceil(guaranteed.cpus * SHARES_OF_A_CORE)}`]),
      ...DROPPED_RIGHTS.map((right) => `--cap-drop=${right}`),
      "--security-opt=no-new-privileges",
      "--security-opt=label=disable",
      ...PROXIES.map((name) => `--env=${name}=`),
      ...(await this.#listMounts(writable)).flatMap(formatMount),
      `--entrypoint=${KEEPER_COMMAND[0]}`,
      this.#image.id,
      ...KEEPER_COMMAND.slice(1),
    ]);
  }

  async #listMounts(writable: readonly string[]): Promise<ContainerMount[]> {
    const { scratch, readable = [] } = this.#places;
    const shown = [...readable, ...this.settings.allowPaths, ...listCertificates(process.env)];
    const read = [...new Set(shown)].filter((path) => path.startsWith("/") && existsSync(path));
    const [work] = writable;
    return [
      ...(await prepareTools(join(scratch, "tools"), KEEPER_SCRIPT)),
      ...[...read, join(scratch, "net"), join(scratch, "starts")].map((path) => ({ from: path, to: path })),
      ...[...writable, this.laterFolders].map((path) => ({ from: path, to: path, isWritable: true })),
      ...(this.#workdir === null || work === undefined ? [] : [{ from: work, to: this.#workdir, isWritable: true }]),
    ];
  }

  #start(): Promise<Keeper> {
    this.#keeper ??= this.#startKeeper();
    return this.#keeper;
  }

  async #startKeeper(): Promise<Keeper> {
    try {
      const keeper = await Keeper.start(this.#engine, this.#name);
      if (!this.#wasStarted) this.#owners = await keeper.readOwners(this.#places.writable);
      this.#wasStarted = true;
      return keeper;
    } catch (error) {
      this.#keeper = null;
      throw error;
    }
  }

  #describeStart(args: readonly string[], file: string): BoxedStart {
    let isOver = false;
    let unwatch: () => void = () => undefined;
    return {
      command: this.#engine.program,
      args,
      cwd: "/",
      env: process.env,
      stdio: [],
      folders: [],
      attach: () => {
        const use = {
          folders: this.#places.writable,
          disks: [...this.#places.writable.slice(0, 1), ...(this.#storage === null ? [] : [this.#storage])],
          measureMore: () => this.#engine.measureChanges(this.#name),
        };
        unwatch = watchDisk(use, toBytes(this.settings.limits.diskGib), () => {
          this.#exceeded.add("disk");
          void this.#kill();
        });
      },
      terminate: async () => {
        if (!isOver) await (await this.#keeper)?.terminate();
      },
      release: async () => {
        isOver = true;
        unwatch();
        await this.#finish(file);
      },
    };
  }

  /** After the last program, everything that is left of them is ended. */
  async #finish(file: string): Promise<void> {
    this.#running -= 1;
    await rm(file, { force: true });
    if (this.#running === 0) await this.#stopAll();
  }

  #stopAll(): Promise<void> {
    this.#stopping = this.#stopping.then(() => this.#stopNow());
    return this.#stopping;
  }

  /** Ends the container's first program, and with it all others. Its files stay. */
  async #stopNow(): Promise<void> {
    const keeper = await this.#keeper?.catch(() => null);
    if (keeper == null) return;
    for (const limit of await keeper.listExceeded()) this.#exceeded.add(limit);
    await this.#kill();
    await keeper.end();
    this.#keeper = null;
  }

  async #kill(): Promise<void> {
    await this.#engine.run(["kill", this.#name]);
  }

  /** A program of this machine is in the container if its package is; one of the system is looked up in the image. */
  #findInside(command: string): string {
    if (!command.startsWith("/") || command === "/bin/sh") return command;
    const real = resolveReal(command) ?? command;
    const shown = [...(this.#places.readable ?? []), ...this.#places.writable];
    if (shown.some((path) => real === path || real.startsWith(`${path}/`))) return real;
    return command.split("/").at(-1) ?? command;
  }
}

const SHARES_OF_A_CORE = 1024;

interface ContainerParts {
  readonly engine: Engine;
  readonly image: LocalImage;
  readonly environment: Environment;
}

/** The same container, for the programs that come after the agent. */
class SharedContainer implements TrialBox {
  readonly isRoot = true;
  readonly settings: BoxSettings;
  readonly laterFolders: string;
  readonly #container: Container;

  constructor(container: Container) {
    this.#container = container;
    this.settings = container.settings;
    this.laterFolders = container.laterFolders;
  }

  get record(): BoxRecord {
    return this.#container.record;
  }

  async claim(): Promise<void> {}

  giveBack(): Promise<void> {
    return this.#container.giveBack();
  }

  openForGraders(): Promise<TrialBox> {
    return this.#container.openForGraders();
  }

  wrap(start: ProgramStart): Promise<BoxedStart> {
    return this.#container.wrap(start);
  }

  /** The container belongs to the trial. */
  async close(): Promise<void> {}
}

/** The image's own PATH is for its programs; a PATH that the example sets replaces it. */
function formatVariables({ PATH: path = "", ...env }: Readonly<Record<string, string>>): string {
  const own = path === (process.env.PATH ?? path) ? `"$PATH"` : quoteShellWord(path);
  return `export PATH=${own}:${TOOLS_FOLDER}\n${formatExports(env)}`;
}
