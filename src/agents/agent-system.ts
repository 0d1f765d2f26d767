import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { costOf, dollars } from "../budget/index.js";
import type { Environment, McpServer, OfferedSkill } from "../core/environment.js";
import { messageOf, TrialError, TrialStopped, UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { Limits, Price } from "../core/price.js";
import type { Output, System, TrialBudget, TrialContext } from "../core/system.js";
import { offeredSkills, skillFiles, Workspace, writeSkills } from "../exec/workspace/index.js";
import { type AgentAdapter, type AgentFigures, type AgentModel, type LaunchRequest, mcpSettings } from "./adapter.js";
import { AgentMeter, type Upstreams } from "./agent-meter.js";
import { conclude } from "./agent-output.js";
import { AgentRun } from "./agent-run.js";
import { hasUsed } from "./model-calls.js";
import { WorkWatch } from "./work-watch.js";

/** Two seconds to listen, two to be killed, and time to see what the work left behind. */
const GRACE_MS = 30_000;

/** A trial that was stopped has to come to its end: it is not looked at for longer than this. */
const LAST_LOOK_MS = 10_000;

/** The place that all agents share: they load this machine, whomever they call. */
const LANE = "agents";

/** What the gateway takes for a key. Programs refuse to start without one. */
const MEANINGLESS_KEY = "assay";

/** More at a time would mostly wait for each other's processor time. */
const MOST_PARALLEL = 4;

/** Trials of agents at a time, unless told. */
export function usualParallel(): number {
  return Math.min(MOST_PARALLEL, availableParallelism());
}

/** How an `AgentSystem` is made; `openAgent` finds most of it by itself. */
export interface AgentSystemOptions {
  readonly name: string;
  readonly adapter: AgentAdapter;
  /** The program's path. */
  readonly program: string;
  /** As the program tells it; null when it does not. */
  readonly version: string | null;
  readonly model: AgentModel | null;
  readonly upstreams: Upstreams;
  readonly limits: Limits;
  /** Trials of all agents at a time. */
  readonly maxParallel: number;
  /** A folder to use as HOME, with the settings and the login that are in it; null for a throw-away one. */
  readonly home: string | null;
  /** Variables that are passed on besides the few that every program needs. */
  readonly passEnv: readonly string[];
  /** True when a trial in which another model was called than the one asked for is an error. */
  readonly strictModel: boolean;
  /** Where workspaces are kept after grading; null to remove them. */
  readonly keepWorkspaces: string | null;
}

/**
 * A coding agent: a program that is given a task and a folder to work in.
 * @example
 * const claude: AgentSystem = await openAgent({ agent: "claude", model: "claude-opus-5" });
 */
export class AgentSystem implements System {
  readonly name: string;
  readonly limits: Limits;
  readonly endpoint = LANE;
  readonly maxParallel: number;
  readonly worksInPhases = true;
  readonly graceMs = GRACE_MS;
  readonly harness: string;
  declare readonly model?: string;
  readonly #options: AgentSystemOptions;
  /** Of trials that are not over: removed on closing when a run ends early. */
  readonly #open = new Set<Workspace>();
  /** Why workspaces could not be kept: told on closing, since their trials are over by then. */
  readonly #unkept: string[] = [];

  constructor(options: AgentSystemOptions) {
    this.#options = options;
    this.name = options.name;
    this.harness = options.adapter.name;
    this.limits = options.limits;
    this.maxParallel = options.maxParallel;
    if (options.model !== null) this.model = options.model.name;
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const offer = this.#offerOf(example);
    const workspace = await this.#prepare(example, offer, trial);
    const meter = await AgentMeter.open(this.#options.upstreams, this.limits, trial.budget);
    try {
      const run = await this.#start(example, { workspace, offer, meter, trial });
      const timed = trial.timed ?? ((work) => work());
      const watch = new WorkWatch(workspace, trial.passes);
      await watch.ready;
      const startedAt = { wall: Date.now(), clock: performance.now() };
      const exit = await timed(() => run.go());
      await meter.close();
      if (meter.isInPath) trial.budget?.report(meter.total);
      const wasInterrupted = trial.signal.aborted && !(trial.signal.reason instanceof TrialStopped);
      if (wasInterrupted) {
        await watch.cancel();
        throw trial.signal.reason;
      }
      const watched = await watch.end(trial.signal.aborted ? LAST_LOOK_MS : null);
      return await conclude({ system: this.#options, workspace, run, exit, meter, trial, startedAt, watched });
    } finally {
      await meter.close();
    }
  }

  /** Throws when the example offers skills or servers that the agent cannot take: to be asked before anything is spent. */
  checkExample(example: Example): void {
    this.#offerOf(example);
  }

  /** Everything that changes the work, and nothing that is secret. */
  fingerprint(): unknown {
    const { adapter, version, model, upstreams, home, passEnv } = this.#options;
    return {
      agent: adapter.name,
      command: adapter.command,
      version,
      model,
      urls: upstreams.urls,
      hasOwnHome: home !== null,
      passEnv,
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((workspace) => workspace.remove()));
    this.#open.clear();
    const unkept = this.#unkept.splice(0);
    if (unkept.length > 0) throw new UsageError(`workspaces that could not be kept: ${unkept.join("; ")}`);
  }

  #offerOf(example: Example): Offer {
    const offer = offerOf(example);
    requireTaken(offer, this.#taker);
    return offer;
  }

  get #taker(): Taker {
    const { adapter, home } = this.#options;
    return { name: this.name, adapter, usesOwnHome: home !== null };
  }

  async #start(example: Example, { workspace, offer, meter, trial }: Ready): Promise<AgentRun> {
    const { adapter, program, model, home } = this.#options;
    const prompt = promptOf(example);
    const promptFile = join(workspace.root, "prompt.txt");
    await writeFile(promptFile, prompt);
    const launch = adapter.launch({
      prompt,
      promptFile,
      model,
      gateway: meter.urls,
      key: MEANINGLESS_KEY,
      usesOwnHome: home !== null,
      isRoot: process.getuid?.() === 0,
      ...(await placeOffer(workspace, offer, this.#taker)),
    });
    if (home === null) await writeHome(workspace.home, launch.homeFiles);
    return new AgentRun({
      adapter,
      program,
      launch,
      skills: offer.skills.map((skill) => skill.name),
      cwd: workspace.path,
      env: workspace.env({ ...this.#passedEnv(), ...launch.env }),
      folders: [workspace.root],
      signal: trial.signal,
      onFigures: (reader) => {
        // One meter for a trial: the gateway's as soon as it is in the path.
        if (!meter.isInPath) reportOwn(reader.figures, this.limits.price, trial.budget);
      },
    });
  }

  /** Those of the user's variables that were asked for. */
  #passedEnv(): Record<string, string> {
    const { passEnv } = this.#options;
    return Object.fromEntries(
      passEnv.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  async #prepare(example: Example, offer: Offer, trial: TrialContext): Promise<Workspace> {
    try {
      const { home } = this.#options;
      const environment = withSkills(environmentOf(example), offer, this.#taker);
      const workspace = await Workspace.create({ environment, signal: trial.signal, ...(home !== null && { home }) });
      this.#open.add(workspace);
      trial.atEnd?.(() => this.#clearAway(workspace, `${this.name}-${example.id}-${trial.trial}`));
      return workspace;
    } catch (cause) {
      trial.signal.throwIfAborted();
      throw new TrialError("system_error", `The workspace could not be set up: ${messageOf(cause)}`, { cause });
    }
  }

  async #clearAway(workspace: Workspace, name: string): Promise<void> {
    const { keepWorkspaces } = this.#options;
    try {
      if (keepWorkspaces !== null) await workspace.keep(keepWorkspaces, name);
    } catch (error) {
      this.#unkept.push(`${name}: ${messageOf(error)}`);
    } finally {
      await workspace.remove();
      this.#open.delete(workspace);
    }
  }
}

/** What a run needs besides the task. */
interface Ready {
  readonly workspace: Workspace;
  readonly offer: Offer;
  readonly meter: AgentMeter;
  readonly trial: TrialContext;
}

async function writeHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600 });
  }
}

/** The program's own word, where nothing of it goes through the gateway. What it says of its cost beats the price. */
function reportOwn({ usage, costUsd }: AgentFigures, price: Price | null, budget: TrialBudget | null): void {
  if (!hasUsed(usage)) return;
  const priced = price === null ? null : dollars(costOf(price, usage));
  budget?.report({ usage, costUsd: costUsd ?? priced, isEstimated: false });
}

/** What an agent is told: the context, the turns so far, and what is asked. */
export function promptOf({ context = "", turns = [], question = "" }: Example): string {
  const conversation = turns.length === 1 ? (turns[0]?.content ?? "") : turns.map(spoken).join("\n\n");
  return [context, conversation, question].filter((part) => part !== "").join("\n\n");
}

function spoken({ role, content }: { role: string; content: string }): string {
  return `${role}: ${content}`;
}

/**
 * The environment as the agent finds it. Skills that have no place in its HOME are among the files of the folder, put there
 * before it begins, so that they are none of its changes; to make the folder again for grading they are not needed.
 */
function withSkills(environment: Environment, { skills }: Offer, { adapter, usesOwnHome }: Taker): Environment {
  if (!usesOwnHome || skills.length === 0 || typeof adapter.skills !== "object") return environment;
  return { ...environment, files: [...(environment.files ?? []), ...skillFiles(skills, adapter.skills.inProject)] };
}

/** Writes what the agent is offered outside of its folder, and says where everything is. */
async function placeOffer(
  workspace: Workspace,
  offer: Offer,
  taker: Taker,
): Promise<Pick<LaunchRequest, "skillsDir" | "mcp">> {
  return {
    skillsDir: await placeSkills(workspace, offer, taker),
    mcp: await placeServers(workspace, offer, taker.adapter),
  };
}

/** A command that has a place for skills is told a folder, also an empty one. */
async function placeSkills(workspace: Workspace, { skills }: Offer, { adapter, usesOwnHome }: Taker) {
  if (adapter.skills === "told") return writtenTo(join(workspace.root, "skills"), skills);
  if (skills.length === 0 || adapter.skills === undefined) return null;
  if (usesOwnHome) return join(workspace.path, adapter.skills.inProject);
  return writtenTo(join(workspace.home, adapter.skills.inHome), skills);
}

async function writtenTo(dir: string, skills: readonly OfferedSkill[]): Promise<string> {
  await writeSkills(dir, skills);
  return dir;
}

async function placeServers({ root }: Workspace, { servers }: Offer, { command, takesServers }: AgentAdapter) {
  const isTold = command !== undefined && takesServers !== undefined;
  if (Object.keys(servers).length === 0 && !isTold) return null;
  const file = join(root, "mcp.json");
  // Variables of a server may hold what is nobody else's.
  await writeFile(file, `${JSON.stringify({ mcpServers: mcpSettings(servers) }, null, 2)}\n`, { mode: 0o600 });
  return { servers, file };
}

/** What an example offers an agent besides its folder. */
export interface Offer {
  readonly skills: readonly OfferedSkill[];
  readonly servers: Readonly<Record<string, McpServer>>;
}

/** As it was checked when the dataset was loaded; an example from elsewhere is checked when its folder is made. */
function environmentOf({ environment }: Example): Environment {
  return environment ?? {};
}

export function offerOf(example: Example): Offer {
  const environment = environmentOf(example);
  return { skills: offeredSkills(environment), servers: serversOf(environment) };
}

/** A server gets the variables of the example from all agents: some pass on a few of their own, some all. */
function serversOf({ mcpServers = {}, env = {} }: Environment): Record<string, McpServer> {
  const hasEnv = Object.keys(env).length > 0;
  const entries = Object.entries(mcpServers).map(([name, server]) =>
    "command" in server && hasEnv ? [name, { ...server, env: { ...env, ...server.env } }] : [name, server],
  );
  return Object.fromEntries(entries) as Record<string, McpServer>;
}

/** Who is offered something: an agent by its name, and whether its HOME is one that was there before. */
export interface Taker {
  readonly name: string;
  readonly adapter: AgentAdapter;
  readonly usesOwnHome: boolean;
}

/** Refuses an example that offers what an agent cannot take: it would be measured without, and nobody would know. */
export function requireTaken({ skills, servers }: Offer, taker: Taker): void {
  const problem =
    (skills.length === 0 ? null : problemWithSkills(skills, taker)) ??
    (Object.keys(servers).length === 0 ? null : problemWithServers(taker));
  if (problem === null) return;
  const names = problem.of === "skills" ? skills.map(({ name }) => name) : Object.keys(servers);
  const list = names.map((name) => `"${name}"`).join(", ");
  throw new UsageError(`${taker.name} ${problem.what} ${list}${problem.why}`);
}

interface Problem {
  readonly of: "skills" | "servers";
  readonly what: string;
  readonly why: string;
}

function problemWithSkills(skills: readonly OfferedSkill[], { adapter }: Taker): Problem | null {
  const problem = { of: "skills", what: "cannot be offered the skills" } as const;
  if (adapter.skills === undefined) return { ...problem, why: `. ${remedy(adapter, "{skills}")}` };
  const needsNames = adapter.skills !== "told" && adapter.skills.needsName === true;
  if (!needsNames || skills.every(saysName)) return null;
  return { ...problem, why: ": it passes over those without a name. Write name: NAME at the head of each SKILL.md." };
}

/** A key of its own among the lines between the dashes. */
const NAME_LINE = /^\uFEFF?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?name[ \t]*:/;

function saysName({ files }: OfferedSkill): boolean {
  return files.some(({ dest, content }) => dest === "SKILL.md" && NAME_LINE.test(content));
}

function problemWithServers({ adapter, usesOwnHome }: Taker): Problem | null {
  const problem = { of: "servers", what: "cannot be connected to the MCP servers" } as const;
  if (adapter.takesServers === undefined) return { ...problem, why: `. ${remedy(adapter, "{mcp_config}")}` };
  if (adapter.takesServers === "always" || !usesOwnHome) return null;
  return { ...problem, why: " in a HOME that is there already. Leave out --agent-home." };
}

function remedy({ command }: AgentAdapter, word: string): string {
  if (command === undefined) return "Use another agent, or leave them out of the environment.";
  return `Write ${word} where its command takes them, or leave them out of the environment.`;
}
