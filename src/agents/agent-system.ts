import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ALL_AGENT_NAMES, computeCost, toDollars } from "../budget/index.js";
import type {
  Canary,
  Effort,
  Environment,
  Example,
  GraderSpec,
  Limits,
  McpServer,
  OfferedSkill,
  Output,
  Price,
  System,
  TrialBudget,
  TrialContext,
  UserSimulator,
  UserTurn,
  WorkspaceChanges,
  WorkspaceState,
} from "../core/index.js";
import { getErrorMessage, hasExampleFiles, readUserRole, TrialError, TrialStopped, UsageError } from "../core/index.js";
import {
  type BoxSettings,
  isFilePath,
  listOfferedSkills,
  listPackagePaths,
  listScriptPaths,
  requireImageIsolation,
  splitCommand,
  takeSnapshot,
  toSkillFiles,
  Workspace,
  writeSkills,
} from "../exec/index.js";
import type { Traffic } from "../models/index.js";
import { type ConversationUser, requireUserSimulator, startUser } from "../systems/index.js";
import {
  type AgentAdapter,
  type AgentFigures,
  type AgentModel,
  type LaunchRequest,
  type SessionRequest,
  toMcpSettings,
} from "./adapter.js";
import { listContinuingAgents } from "./adapters/index.js";
import { AgentMeter, type AgentUpstreams, hasUsage, isUnanswered, type TrialTraffic } from "./agent-meter.js";
import { type AgentSession, buildAgentOutput, maskKeys } from "./agent-output.js";
import { AgentRun } from "./agent-run.js";
import { type AgentExchange, combineFigures, findExchangeEnd, listAgentMessages } from "./agent-session.js";
import { createAgentCanary } from "./canary.js";
import { WorkWatcher } from "./work-watcher.js";

/** SIGTERM grace (2 s) + SIGKILL grace (2 s) + time to collect the workspace. */
const GRACE_MS = 30_000;

/** Time limit of the last check after a trial was stopped. */
const FINAL_CHECK_MS = 10_000;

/** Shared by all agents, because they load this machine whatever model they call. */
const POOL_NAME = "agents";

/** Placeholder key for the gateway, because programs refuse to start without a key. */
const PLACEHOLDER_KEY = "assay";

/** More would mostly compete for the CPU. */
const MAX_DEFAULT_CONCURRENCY = 4;

/** Default number of concurrent agent trials. */
export function getDefaultAgentConcurrency(): number {
  return Math.min(MAX_DEFAULT_CONCURRENCY, availableParallelism());
}

/** Options of `AgentSystem`; `openAgent` determines most of them. */
export interface AgentSystemOptions {
  readonly name: string;
  readonly adapter: AgentAdapter;
  /** Path of the program. */
  readonly program: string;
  /** As reported by the program; null when unknown. */
  readonly version: string | null;
  readonly model: AgentModel | null;
  readonly upstreams: AgentUpstreams;
  readonly limits: Limits;
  /** Concurrent trials of all agents. */
  readonly maxParallel: number;
  /** A folder to use as HOME, with its settings and login; null for a temporary one. */
  readonly home: string | null;
  /** How much its model thinks; null for its own default. */
  readonly effort: Effort | null;
  /** Environment variables to pass on besides the usual ones. */
  readonly passEnv: readonly string[];
  /** True when a trial that called another model than requested is an error. */
  readonly strictModel: boolean;
  /** The box for set-up, agent and graders; null for all rights of this process. */
  readonly box: BoxSettings | null;
  /** Where workspaces are kept after grading; null to remove them. */
  readonly keepWorkspaces: string | null;
  /** Records its model calls, or answers them from a recording; null for neither. */
  readonly traffic?: Traffic | null;
  /** Identifies what answers in place of its URLs, which differ each time. */
  readonly urlId?: string;
  /** Plays the users of examples that have one. */
  readonly user?: UserSimulator | undefined;
  /** The model that answers once the recording does not; null for its own. */
  readonly thenModel?: string | null;
  /** Whether a trivial task runs before its trials. Default: before ten or more. */
  readonly canary?: boolean | undefined;
}

/**
 * A coding agent: a program that gets a task and a folder to work in.
 * @example
 * const claude: AgentSystem = await openAgent({ agent: "claude", model: "claude-opus-5-5" });
 */
export class AgentSystem implements System {
  readonly name: string;
  readonly limits: Limits;
  readonly endpoint = POOL_NAME;
  readonly endpointName: string;
  readonly maxParallel: number;
  readonly worksInPhases = true;
  readonly takesFaults = true;
  readonly graceMs = GRACE_MS;
  readonly harness: string;
  declare readonly model?: string;
  declare readonly effort?: Effort;
  declare readonly canary?: Canary;
  readonly #options: AgentSystemOptions;
  /** Workspaces of unfinished trials, removed on close when a run ends early. */
  readonly #open = new Set<Workspace>();
  /** Why workspaces could not be kept, reported on close because their trials have ended. */
  readonly #unkept: string[] = [];

  constructor(options: AgentSystemOptions) {
    this.#options = options;
    this.name = options.name;
    this.harness = options.adapter.name;
    this.endpointName = formatHosts(Object.values(options.upstreams.urls));
    this.limits = options.limits;
    this.maxParallel = options.maxParallel;
    if (options.model !== null) this.model = options.model.name;
    if (options.effort !== null) this.effort = options.effort;
    const canary = createAgentCanary(options.canary);
    if (canary !== undefined) this.canary = canary;
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const extensions = this.#requireExtensions(example);
    const workspace = await this.#prepare(example, extensions, trial);
    const traffic = this.#startTraffic(example, trial, workspace);
    const meter = await AgentMeter.open(this.#options.upstreams, this.limits, { ...trial, traffic });
    try {
      const messages = listAgentMessages(example);
      const user = this.#startUser(example, trial);
      const isSession = messages.length > 1 || user !== null;
      const own = { workspace, extensions, meter, trial, user };
      const prepared = {
        ...own,
        example,
        messages,
        isSession,
        launcher: await installExtensions(workspace, extensions, this.#extensionTarget),
      };
      const first = await this.#start(messages[0] ?? "", { session: isSession ? startSession() : null }, prepared);
      await workspace.box?.claim();
      const watch = new WorkWatcher(workspace, trial.passes);
      await watch.ready;
      const startedAt = { wall: Date.now(), clock: performance.now() };
      const session = await this.#converse(first, prepared).catch(async (error: unknown) => {
        await watch.cancel();
        throw error;
      });
      await meter.close();
      const miss = noteTraffic(traffic, trial);
      if (meter.isInPath) trial.budget?.report(meter.total);
      const wasInterrupted = trial.signal.aborted && !(trial.signal.reason instanceof TrialStopped);
      if (wasInterrupted || miss !== null) {
        await watch.cancel();
        throw wasInterrupted ? trial.signal.reason : miss;
      }
      const watched = await watch.stop(trial.signal.aborted ? FINAL_CHECK_MS : null);
      return await buildAgentOutput({
        system: this.#options,
        workspace,
        ...session,
        meter,
        trial,
        startedAt,
        watched,
      });
    } finally {
      await meter.close();
    }
  }

  /** Its calls are the same in another folder. */
  #startTraffic(example: Example, { trial }: TrialContext, { root }: Workspace): TrialTraffic | null {
    const { traffic = null, thenModel = null } = this.#options;
    if (traffic === null) return null;
    const key = { system: this.name, dataset: example.dataset ?? "", exampleId: example.id, trial };
    traffic.addName(key, root, "folder");
    return { traffic, trial: key, thenModel };
  }

  /**
   * Throws when the example has skills or MCP servers that the agent does not support, or images and files that it would
   * not get. Called before anything is spent.
   */
  checkExample(example: Example): void {
    if (hasExampleFiles(example))
      throw new UsageError(
        `The example ${JSON.stringify(example.id)} has images or files, which are only sent to models: ${this.name} would not get them. Put them into its folder, with \`files\` of its \`environment\`.`,
      );
    requireImageIsolation(getAgentEnvironment(example), this.#options.box);
    this.#requireExtensions(example);
    this.#requireContinuing(example);
  }

  /** Several messages need a session that can be continued. */
  #requireContinuing(example: Example): void {
    const { adapter } = this.#options;
    const { length } = listAgentMessages(example);
    requireUserSimulator(example, this.#options.user);
    const hasUser = readUserRole(example) !== null;
    if ((length < 2 && !hasUser) || adapter.canContinue === true) return;
    const isShipped = (ALL_AGENT_NAMES as readonly string[]).includes(adapter.name);
    const remedy = isShipped
      ? "Use another agent."
      : "Say how its command continues a session, with --agent-continue or with continueCommand in the config, or use another agent.";
    throw new UsageError(
      `The example ${JSON.stringify(example.id)} has ${hasUser ? "a simulated user, whose messages are" : `${length} messages of the user, to be`} sent one after the other into one session, which ${this.name} cannot continue. ${remedy} These can: ${listContinuingAgents().join(", ")}.`,
    );
  }

  /** Everything that affects the work, without secrets. */
  fingerprint(): unknown {
    const { adapter, version, model, effort, upstreams, urlId, home, passEnv, box, user } = this.#options;
    return {
      agent: adapter.name,
      command: adapter.command,
      ...(hasSettings(adapter) ? { settings: adapter.definition } : {}),
      version,
      model,
      ...(effort === null ? {} : { effort }),
      urls: urlId ?? upstreams.urls,
      hasOwnHome: home !== null,
      passEnv,
      ...(box === null ? {} : { box }),
      ...(user === undefined ? {} : { user: user.fingerprint() }),
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((workspace) => workspace.remove()));
    this.#open.clear();
    await this.#options.user?.close();
    const unkept = this.#unkept.splice(0);
    if (unkept.length > 0) throw new UsageError(`workspaces that could not be kept: ${unkept.join("; ")}`);
  }

  #requireExtensions(example: Example): AgentExtensions {
    const extensions = getExtensions(example);
    requireExtensionSupport(extensions, this.#extensionTarget);
    return extensions;
  }

  get #extensionTarget(): ExtensionTarget {
    const { adapter, home } = this.#options;
    return { name: this.name, adapter, usesOwnHome: home !== null };
  }

  /** Sends the messages of the user one after the other; the next one when the program has ended. */
  async #converse(first: StartedRun, prepared: PreparedLaunch): Promise<AgentSession> {
    const { trial, workspace, isSession, example } = prepared;
    const judged = listJudgedTurns(example);
    const exchanges = [await this.#exchange(first, prepared)];
    const turnStates: Record<string, WorkspaceState> = {};
    for (;;) {
      const last = exchanges.at(-1);
      if (last === undefined || first.session === null || !this.#mayContinue(last, prepared)) break;
      const message = await this.#selectNextMessage(exchanges, prepared);
      if (message === null) break;
      const turn = exchanges.length;
      if (judged.has(turn)) turnStates[turn] = await this.#captureTurn(workspace, trial);
      const session = { ...first.session, givenId: last.run.reader.sessionId ?? null, isContinued: true };
      const before = exchanges.map(({ run }) => run.reader.figures);
      exchanges.push(await this.#exchange(await this.#start(message, { session, before }, prepared), prepared));
    }
    const userMessages = exchanges.slice(prepared.messages.length).map(({ message }) => message);
    return { exchanges, isSession, turnStates, userMessages };
  }

  /** The next message of the script, then those of the simulated user; null when the conversation is over. */
  async #selectNextMessage(
    exchanges: readonly AgentExchange[],
    { messages, user, trial }: PreparedLaunch,
  ): Promise<string | null> {
    const scripted = messages[exchanges.length];
    if (scripted !== undefined || user === null) return scripted ?? null;
    const turns = exchanges.flatMap(({ message, run }): UserTurn[] => [
      { role: "user", text: message },
      { role: "assistant", text: run.reader.response },
    ]);
    try {
      return await user.writeNext(turns, exchanges.length);
    } catch (error) {
      // A trial that was stopped is graded on what it has.
      if (trial.signal.aborted) return null;
      throw error;
    }
  }

  #startUser(example: Example, trial: TrialContext): ConversationUser | null {
    const key = { system: this.name, dataset: example.dataset ?? "", exampleId: example.id, trial: trial.trial };
    return startUser(example, { simulator: this.#options.user, trial, key });
  }

  async #exchange({ message, run }: StartedRun, { trial }: PreparedLaunch): Promise<AgentExchange> {
    const { timed = (work) => work() } = trial;
    const startedAt = Date.now();
    const exit = await timed(() => run.run());
    return { message, startedAt, run, exit };
  }

  /** False when the agent was stopped or has failed, so no further message can be sent. */
  #mayContinue(last: AgentExchange, { meter, trial }: PreparedLaunch): boolean {
    const end = findExchangeEnd(last, this.#options.adapter.printsText === true);
    const hasFailed = end === null || end.kind === "failed";
    return !trial.signal.aborted && !hasFailed && !isUnanswered(meter.requests, last.run.reader.figures);
  }

  /** Copies the folder for graders of this turn. One that is too large to copy is rebuilt for them from its changes. */
  async #captureTurn(workspace: Workspace, trial: TrialContext): Promise<WorkspaceState> {
    const clean = (changes: WorkspaceChanges) => maskKeys(changes, Object.values(this.#options.upstreams.keys));
    try {
      const snapshot = await takeSnapshot(workspace, trial.signal, clean);
      trial.atEnd?.(() => snapshot.remove());
      return snapshot.state;
    } catch {
      trial.signal.throwIfAborted();
      return clean(await workspace.collectChanges());
    }
  }

  async #start(prompt: string, { session, before = [] }: RunStart, prepared: PreparedLaunch): Promise<StartedRun> {
    const { workspace, extensions, meter, trial, launcher } = prepared;
    const { adapter, program, version, model, effort, home } = this.#options;
    const promptFile = join(workspace.given, "prompt.txt");
    await writeFile(promptFile, prompt);
    const launch = adapter.launch({
      prompt,
      promptFile,
      model,
      effort,
      gateway: meter.urls,
      key: PLACEHOLDER_KEY,
      version,
      usesOwnHome: home !== null,
      isRoot: workspace.box === null ? process.getuid?.() === 0 : workspace.box.isRoot,
      session,
      ...launcher,
    });
    if (home === null && session?.isContinued !== true) await writeHome(workspace.home, launch.homeFiles);
    const run = new AgentRun({
      adapter,
      program,
      launch,
      skills: extensions.skills.map((skill) => skill.name),
      cwd: workspace.path,
      env: workspace.env({ ...this.#readPassedEnv(), ...launch.env }),
      folders: [workspace.root],
      box: workspace.box,
      ports: [meter.port],
      signal: trial.signal,
      onFigures: (reader) => {
        // Only one meter per trial: the gateway's, as soon as it is used.
        const figures = combineFigures([...before, reader.figures], adapter.reportsSession === true);
        if (!meter.isInPath) reportAgentFigures(figures, this.limits.price, trial.budget);
      },
    });
    return { message: prompt, session, run };
  }

  /** The user's variables named in `passEnv`. */
  #readPassedEnv(): Record<string, string> {
    const { passEnv } = this.#options;
    return Object.fromEntries(
      passEnv.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  async #prepare(example: Example, extensions: AgentExtensions, trial: TrialContext): Promise<Workspace> {
    try {
      const { home, box, adapter, program } = this.#options;
      const environment = addSkillFiles(getAgentEnvironment(example), extensions, this.#extensionTarget);
      const readable = [...listPackagePaths(program), ...listCommandPaths(adapter)];
      const place = { environment, box, readable, signal: trial.signal };
      const workspace = await Workspace.create({ ...place, ...(home !== null && { home }) });
      this.#open.add(workspace);
      trial.atEnd?.(() => this.#removeWorkspace(workspace, `${this.name}-${example.id}-${trial.trial}`));
      return workspace;
    } catch (cause) {
      trial.signal.throwIfAborted();
      throw new TrialError("system_error", `The workspace could not be set up: ${getErrorMessage(cause)}`, { cause });
    }
  }

  async #removeWorkspace(workspace: Workspace, name: string): Promise<void> {
    const { keepWorkspaces } = this.#options;
    try {
      if (keepWorkspaces !== null) await workspace.keep(keepWorkspaces, name);
    } catch (error) {
      this.#unkept.push(`${name}: ${getErrorMessage(error)}`);
    } finally {
      await workspace.remove();
      this.#open.delete(workspace);
    }
  }
}

/** Returns the error of a call without a recorded answer: what the agent made of that says nothing about its model. */
function noteTraffic(traffic: TrialTraffic | null, { log }: TrialContext): Error | null {
  if (traffic === null) return null;
  const note = traffic.traffic.describeTrial(traffic.trial);
  if (note !== null) log(note);
  return traffic.traffic.findMiss(traffic.trial);
}

/** Variables and files of a command affect its work. */
function hasSettings({ definition = { command: "" } }: AgentAdapter): boolean {
  const { env, homeFiles, continueCommand } = definition;
  return env !== undefined || homeFiles !== undefined || continueCommand !== undefined;
}

interface PreparedAgentTrial {
  readonly workspace: Workspace;
  readonly extensions: AgentExtensions;
  readonly meter: AgentMeter;
  readonly trial: TrialContext;
  /** Null without one. */
  readonly user: ConversationUser | null;
}

/** Skills and servers, which are installed once for all messages. */
type Launcher = Pick<LaunchRequest, "skillsDir" | "mcp">;

interface PreparedLaunch extends PreparedAgentTrial {
  readonly example: Example;
  readonly messages: readonly string[];
  readonly isSession: boolean;
  readonly launcher: Launcher;
}

interface RunStart {
  /** Null without a session. */
  readonly session: SessionRequest | null;
  /** What the program reported for earlier messages. */
  readonly before?: readonly AgentFigures[];
}

/** A run whose program has not been started yet. */
interface StartedRun {
  readonly message: string;
  /** Null without a session. */
  readonly session: SessionRequest | null;
  readonly run: AgentRun;
}

function startSession(): SessionRequest {
  return { id: randomUUID(), givenId: null, isContinued: false };
}

/** The turns whose workspace a grader of the example looks at. */
function listJudgedTurns({ graders }: Example): Set<number> {
  const specs = (Array.isArray(graders) ? graders : []) as readonly Partial<GraderSpec>[];
  return new Set(specs.flatMap(({ after_turn: turn }) => turn ?? []));
}

/** The scripts that a command names. */
function listCommandPaths({ definition }: AgentAdapter): string[] {
  if (definition === undefined) return [];
  const words = [definition.command, definition.continueCommand ?? ""].flatMap(splitCommand);
  return [...new Set(words)].flatMap((word) => (isFilePath(word, ".") ? listScriptPaths(resolve(word)) : []));
}

async function writeHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600 });
  }
}

/** Reports the program's own figures when no request goes through the gateway. Its own cost takes precedence over the price. */
function reportAgentFigures({ usage, costUsd }: AgentFigures, price: Price | null, budget: TrialBudget | null): void {
  if (!hasUsage(usage)) return;
  const priced = price === null ? null : toDollars(computeCost(price, usage));
  budget?.report({ usage, costUsd: costUsd ?? priced, isEstimated: false });
}

/**
 * The environment with the offered skills. If they are not placed in its HOME, they are added as files before the agent
 * starts, so that they are not among its changes. They are not needed to recreate the folder for grading.
 */
function addSkillFiles(
  environment: Environment,
  { skills }: AgentExtensions,
  { adapter, usesOwnHome }: ExtensionTarget,
): Environment {
  if (!usesOwnHome || skills.length === 0 || typeof adapter.skills !== "object") return environment;
  return { ...environment, files: [...(environment.files ?? []), ...toSkillFiles(skills, adapter.skills.inProject)] };
}

/** Writes skills and MCP settings outside the agent's folder, and returns their paths. */
async function installExtensions(
  workspace: Workspace,
  extensions: AgentExtensions,
  target: ExtensionTarget,
): Promise<Pick<LaunchRequest, "skillsDir" | "mcp">> {
  return {
    skillsDir: await installSkills(workspace, extensions, target),
    mcp: await writeMcpConfig(workspace, extensions, target.adapter),
  };
}

/** A command with a placeholder for skills always gets a folder, even an empty one. */
async function installSkills(
  workspace: Workspace,
  { skills }: AgentExtensions,
  { adapter, usesOwnHome }: ExtensionTarget,
) {
  if (adapter.skills === "told") return writeSkillFolder(join(workspace.given, "skills"), skills);
  if (skills.length === 0 || adapter.skills === undefined) return null;
  if (usesOwnHome) return join(workspace.path, adapter.skills.inProject);
  return writeSkillFolder(join(workspace.home, adapter.skills.inHome), skills);
}

async function writeSkillFolder(dir: string, skills: readonly OfferedSkill[]): Promise<string> {
  await writeSkills(dir, skills);
  return dir;
}

async function writeMcpConfig(
  { given, box }: Workspace,
  { servers }: AgentExtensions,
  { command, takesServers }: AgentAdapter,
) {
  const isTold = command !== undefined && takesServers !== undefined;
  if (Object.keys(servers).length === 0 && !isTold) return null;
  const file = join(given, "mcp.json");
  // Variables of a server may be secret. In a box, the agent is another user: the folder above keeps all others out.
  const mode = box === null ? 0o600 : 0o644;
  await writeFile(file, `${JSON.stringify({ mcpServers: toMcpSettings(servers) }, null, 2)}\n`, { mode });
  return { servers, file };
}

/** The skills and MCP servers that an example offers. */
export interface AgentExtensions {
  readonly skills: readonly OfferedSkill[];
  readonly servers: Readonly<Record<string, McpServer>>;
}

/** Already checked when the dataset was loaded; other examples are checked when their folder is created. */
/** The hosts that its model calls go to. A command that chooses its own model may call any provider. */
function formatHosts(urls: readonly string[]): string {
  const hosts = new Set(urls.map((url) => new URL(url).host));
  return hosts.size === 0 ? "its model endpoint" : [...hosts].join(" or ");
}

function getAgentEnvironment({ environment }: Example): Environment {
  return environment ?? {};
}

export function getExtensions(example: Example): AgentExtensions {
  const environment = getAgentEnvironment(example);
  return { skills: listOfferedSkills(environment), servers: resolveMcpServers(environment) };
}

/** All servers get the example's variables, because agents differ in which of their own they pass on. */
function resolveMcpServers({ mcpServers = {}, env = {} }: Environment): Record<string, McpServer> {
  const hasEnv = Object.keys(env).length > 0;
  const entries = Object.entries(mcpServers).map(([name, server]) =>
    "command" in server && hasEnv ? [name, { ...server, env: { ...env, ...server.env } }] : [name, server],
  );
  return Object.fromEntries(entries) as Record<string, McpServer>;
}

/** The agent that gets the extensions, and whether its HOME existed before. */
export interface ExtensionTarget {
  readonly name: string;
  readonly adapter: AgentAdapter;
  readonly usesOwnHome: boolean;
}

/** Throws when an agent does not support the extensions; it would silently be measured without them. */
export function requireExtensionSupport({ skills, servers }: AgentExtensions, target: ExtensionTarget): void {
  const problem =
    (skills.length === 0 ? null : findSkillProblem(skills, target)) ??
    (Object.keys(servers).length === 0 ? null : findServerProblem(target));
  if (problem === null) return;
  const names = problem.of === "skills" ? skills.map(({ name }) => name) : Object.keys(servers);
  const list = names.map((name) => `"${name}"`).join(", ");
  throw new UsageError(`${target.name} ${problem.what} ${list}${problem.why}`);
}

interface ExtensionProblem {
  readonly of: "skills" | "servers";
  readonly what: string;
  readonly why: string;
}

function findSkillProblem(skills: readonly OfferedSkill[], { adapter }: ExtensionTarget): ExtensionProblem | null {
  const problem = { of: "skills", what: "does not support the skills" } as const;
  if (adapter.skills === undefined) return { ...problem, why: `. ${suggestPlaceholder(adapter, "{skills}")}` };
  const needsNames = adapter.skills !== "told" && adapter.skills.needsName === true;
  if (!needsNames || skills.every(hasNameField)) return null;
  return {
    ...problem,
    why: ": it ignores skills without a name. Add name: NAME to the front matter of each SKILL.md.",
  };
}

/** A `name:` key in the front matter. */
const NAME_LINE = /^\uFEFF?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?name[ \t]*:/;

function hasNameField({ files }: OfferedSkill): boolean {
  return files.some(({ dest, content }) => dest === "SKILL.md" && NAME_LINE.test(content));
}

function findServerProblem({ adapter, usesOwnHome }: ExtensionTarget): ExtensionProblem | null {
  const problem = { of: "servers", what: "does not support the MCP servers" } as const;
  if (adapter.takesServers === undefined)
    return { ...problem, why: `. ${suggestPlaceholder(adapter, "{mcp_config}")}` };
  if (adapter.takesServers === "always" || !usesOwnHome) return null;
  return { ...problem, why: " in an existing HOME. Remove --agent-home." };
}

function suggestPlaceholder({ command }: AgentAdapter, word: string): string {
  if (command === undefined) return "Use another agent, or remove them from the environment.";
  return `Add ${word} to its command, or remove them from the environment.`;
}
