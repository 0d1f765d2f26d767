import { mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import type {
  Environment,
  EnvironmentFile,
  Evaluator,
  Example,
  Registry,
  ScoredWithEvidence,
  WorkspaceState,
} from "../../core/index.js";
import { AssayError, getErrorMessage } from "../../core/index.js";
import {
  Baseline,
  type BoxSettings,
  buildScrubbedEnv,
  type CommandResult,
  collectChanges,
  copyFolder,
  createLiveState,
  getWorkspaceState,
  runCommand,
  TrialFolder,
  Workspace,
} from "../../exec/index.js";
import { VERDICT, WEIGHTED_SCORE } from "../../graders/index.js";
import type { ConcurrencyLimit } from "../../utils/index.js";
import { chooseOmissions, listOmissions, type RevertibleLine } from "./omissions.js";
import {
  type ApplicableGraders,
  type CheckedStimulus,
  isSurvivor,
  type OmissionSummary,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  selectApplicableGraders,
  type TriedOmission,
  type UncheckedStimulus,
  waitForAll,
} from "./result.js";

/** A test case for the oracle: its example, and what solves it. */
export interface OracleTask {
  readonly place: StimulusPlace;
  /** With the content of its files. */
  readonly example: Example;
  readonly goldenPatch: GoldenPatch | SolutionScript | null;
}

interface GoldenPatch {
  readonly file: string;
  readonly text: string;
}

/** A script that solves a task in its folder or container, instead of a patch. All graders of the task take part. */
interface SolutionScript {
  /** Its name in reports. */
  readonly file: string;
  /** Written into the folder before. */
  readonly files: readonly EnvironmentFile[];
  /** A shell command line. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Shared by the checks of all test cases. */
export interface OracleContext {
  readonly evaluator: Evaluator;
  readonly registry: Registry;
  readonly limit: ConcurrencyLimit;
  readonly maxOmissions: number;
  /** Where commands run; null for everywhere. */
  readonly box: BoxSettings | null;
  readonly signal: AbortSignal;
  /** Progress: how many more states will be graded, each graded state (null if it is not an omission), each finished test case. */
  readonly onPlan: (count: number) => void;
  readonly onTried: (tried: TriedOmission | null) => void;
  readonly onFinished: () => void;
}

/** `part` is an error if the graders could not be created. */
export interface PreparedTask extends OracleTask {
  readonly part: ApplicableGraders | Error;
}

/** Creates the graders of a task before anything is run. */
export function prepareTask(
  task: OracleTask,
  { evaluator, registry }: Pick<OracleContext, "evaluator" | "registry">,
): PreparedTask {
  const { goldenPatch, example } = task;
  if (goldenPatch === null) return { ...task, part: NO_GRADERS };
  try {
    const part = "text" in goldenPatch ? selectApplicableGraders(example, registry) : { example, leftOut: [] };
    if (part.example !== null) evaluator.checkExample?.(part.example);
    return { ...task, part };
  } catch (error) {
    return { ...task, part: new Error(getErrorMessage(error), { cause: error }) };
  }
}

const NO_GRADERS: ApplicableGraders = { example: null, leftOut: [] };

/** Grades the untouched state, the golden state and every state that lacks one line of the patch. */
export async function checkStimulus(
  { place, goldenPatch, part }: PreparedTask,
  bench: OracleContext,
): Promise<StimulusCheck> {
  if (goldenPatch === null) return reportUnchecked(place, "no-patch", "it has no golden patch");
  if (part instanceof Error) return reportUnchecked(place, "error", part.message);
  const { example, leftOut } = part;
  if (example === null)
    return { ...reportUnchecked(place, "no-grader", "none of its graders can judge a folder alone"), leftOut };
  try {
    const checked =
      "text" in goldenPatch
        ? await checkGoldenPatch(goldenPatch.text, example, bench)
        : await checkSolution(goldenPatch, example, bench);
    return { ...place, patchFile: goldenPatch.file, ...checked, leftOut };
  } catch (error) {
    const why = bench.signal.aborted ? "it was stopped" : getErrorMessage(error);
    return reportUnchecked(place, bench.signal.aborted ? "interrupted" : "error", why);
  }
}

function reportUnchecked(place: StimulusPlace, cause: UncheckedStimulus["cause"], why: string): UncheckedStimulus {
  return { ...place, status: "unchecked", cause, why, leftOut: [] };
}

type GoldenCheck = Pick<CheckedStimulus, "status" | "untouched" | "golden" | "omissions" | "notes">;

async function checkGoldenPatch(patch: string, example: Example, bench: OracleContext): Promise<GoldenCheck> {
  const folders = new PatchedFolderFactory(example.environment ?? {}, bench);
  try {
    const grading = { evaluator: bench.evaluator, example, folders, signal: bench.signal };
    bench.onPlan(2);
    const { notes, ...ends } = await gradeEndStates(patch, grading, bench);
    const isSound = ends.untouched.outcome === "fail" && ends.golden.outcome === "pass";
    if (!isSound) return { ...ends, status: "unsound", omissions: null, notes };
    const omissions = await tryOmissions(patch, { ...bench, grading, most: bench.maxOmissions });
    return { ...ends, status: "sound", omissions, notes: [...notes, ...describeOmissionLimits(patch, omissions)] };
  } finally {
    await folders.close();
  }
}

/** A script has no lines to leave out: only both ends are graded. */
async function checkSolution(solution: SolutionScript, example: Example, bench: OracleContext): Promise<GoldenCheck> {
  const { evaluator, limit, onPlan, onTried, signal } = bench;
  const notes: string[] = [];
  const grade = async (script: SolutionScript | null) => {
    const folder = await setUpSolved(script, example.environment ?? {}, bench);
    notes.push(...folder.notes);
    const verdict = await gradeFolder(folder, { evaluator, example, signal });
    onTried(null);
    return verdict;
  };
  onPlan(2);
  const [untouched, golden] = await waitForAll([limit.run(() => grade(null)), limit.run(() => grade(solution))]);
  const ends = { untouched: untouched ?? toErrorVerdict("not graded"), golden: golden ?? toErrorVerdict("not graded") };
  const isSound = ends.untouched.outcome === "fail" && ends.golden.outcome === "pass";
  return { ...ends, status: isSound ? "sound" : "unsound", omissions: null, notes };
}

/** Sets up the folder of a task, and runs the script in it, if there is one. The graders judge what it leaves. */
async function setUpSolved(
  script: SolutionScript | null,
  { skills: _, mcpServers: __, ...environment }: Environment,
  { signal, box }: Pick<OracleContext, "signal" | "box">,
): Promise<PatchedFolder & { readonly notes: readonly string[] }> {
  signal.throwIfAborted();
  const files = [...(environment.files ?? []), ...(script?.files ?? [])];
  const workspace = await Workspace.create({ environment: { ...environment, files }, signal, box });
  try {
    const notes = script === null ? [] : await runSolution(script, workspace, signal);
    const state = getWorkspaceState(workspace, await workspace.collectChanges());
    return { state, remove: () => workspace.remove(), notes };
  } catch (error) {
    await workspace.remove();
    throw error;
  }
}

/** Returns what is odd about it: the tests decide whether it has solved the task. */
async function runSolution(script: SolutionScript, workspace: Workspace, signal: AbortSignal): Promise<string[]> {
  const { command, timeoutMs } = script;
  const { path, box } = workspace;
  const ended = await runCommand({
    command,
    shell: true,
    cwd: path,
    env: workspace.env(script.env),
    timeoutMs,
    signal,
    folders: [path],
    box: box ?? undefined,
  });
  await box?.giveBack();
  signal.throwIfAborted();
  const said = (ended.stderr.trim() || ended.stdout.trim()).slice(-MAX_MESSAGE_LENGTH);
  const tail = said === "" ? "it printed nothing" : said;
  if (ended.timedOut) return [`the solution did not end within ${timeoutMs / 1000} s: ${tail}`];
  return ended.code === 0 ? [] : [`the solution ended with ${ended.code ?? ended.signal}: ${tail}`];
}

interface EndStates {
  readonly untouched: StateVerdict;
  readonly golden: StateVerdict;
}

/** Set-up may not work in a copied folder: then each state is set up from scratch. */
async function gradeEndStates(
  patch: string,
  grading: GradingContext,
  bench: OracleContext,
): Promise<EndStates & { notes: readonly string[] }> {
  const { folders } = grading;
  const ends = await gradeEndsOnce(patch, grading, bench);
  if (ends.golden.outcome !== "fail" || !folders.isCopying) return { ...ends, notes: [] };
  folders.stopCopying();
  bench.onPlan(2);
  const again = await gradeEndsOnce(patch, grading, bench);
  const isBetter = again.golden.outcome === "pass";
  return { ...again, notes: isBetter ? ["a copy of its folder does not pass: each state is set up separately"] : [] };
}

async function gradeEndsOnce(
  patch: string,
  grading: GradingContext,
  { limit, onTried, signal }: OracleContext,
): Promise<EndStates> {
  const graded = async (text: string) => {
    const verdict = await gradePatched(text, grading).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof PatchError)) throw error;
      return toErrorVerdict(
        new PatchError(`The golden patch does not apply: ${getErrorMessage(error)}`, { cause: error }),
      );
    });
    onTried(null);
    return verdict;
  };
  const [untouched, golden] = await waitForAll([limit.run(() => graded("")), limit.run(() => graded(patch))]);
  return { untouched: untouched ?? toErrorVerdict("not graded"), golden: golden ?? toErrorVerdict("not graded") };
}

function describeOmissionLimits(patch: string, { found, tried }: OmissionSummary): string[] {
  const { whole } = listOmissions(patch);
  const skipped = found - tried;
  return [
    ...(skipped > 0
      ? [`${skipped} of the ${found} lines of the patch were not tried: --max-omissions ${found} tries all`]
      : []),
    ...(whole.length > 0 ? [`has no lines to leave out and is tried only as a whole: ${whole.join(", ")}`] : []),
  ];
}

interface OmissionContext {
  readonly grading: GradingContext;
  readonly limit: ConcurrencyLimit;
  /** Maximum number of lines to try. */
  readonly most: number;
  /** Called with the number of lines to try, and with each tried line. */
  readonly onPlan: (count: number) => void;
  readonly onTried: (tried: TriedOmission) => void;
}

/** Leaves out the lines of a patch one by one, and reports those that no grader notices. */
async function tryOmissions(patch: string, work: OmissionContext): Promise<OmissionSummary> {
  const { all } = listOmissions(patch);
  const chosen = chooseOmissions(all, work.most);
  work.onPlan(chosen.length);
  const tried = await waitForAll(chosen.map((one) => work.limit.run(() => tryOmission(patch, one, work))));
  return summarizeOmissions(tried, all.length);
}

async function tryOmission(
  patch: string,
  one: RevertibleLine,
  { grading, onTried }: OmissionContext,
): Promise<TriedOmission> {
  const { undoIn, ...omission } = one;
  const { outcome, reason, evidence } = await gradePatched(patch, grading, undoIn).catch((error: unknown) => {
    grading.signal.throwIfAborted();
    return toErrorVerdict(error);
  });
  const ends = { pass: "survived", fail: "caught", error: "error" } as const;
  const tried: TriedOmission = { ...omission, outcome: ends[outcome], reason, evidence };
  onTried(tried);
  return tried;
}

function summarizeOmissions(tried: readonly TriedOmission[], found: number): OmissionSummary {
  const count = (isMeant: (one: TriedOmission) => boolean) => tried.filter(isMeant).length;
  return {
    found,
    tried: tried.length,
    caught: count(({ outcome }) => outcome === "caught"),
    survived: count(isSurvivor),
    harmless: count(({ outcome, looksHarmless }) => outcome === "survived" && looksHarmless),
    failed: count(({ outcome }) => outcome === "error"),
    uncaught: tried.filter(({ outcome }) => outcome !== "caught"),
  };
}

interface GradingContext {
  readonly evaluator: Evaluator;
  /** Only with the graders that can judge a folder. */
  readonly example: Example;
  readonly folders: PatchedFolderFactory;
  readonly signal: AbortSignal;
}

/** Creates the state that a patch leads to, applies `change`, grades it and removes it. */
async function gradePatched(
  patch: string,
  { evaluator, example, folders, signal }: GradingContext,
  change?: FolderEdit,
): Promise<StateVerdict> {
  signal.throwIfAborted();
  return gradeFolder(await folders.create(patch, change), { evaluator, example, signal });
}

/** Grades a folder and removes it. */
async function gradeFolder(
  folder: PatchedFolder,
  { evaluator, example, signal }: Pick<GradingContext, "evaluator" | "example" | "signal">,
): Promise<StateVerdict> {
  try {
    const scored = await evaluator.score(example, { workspace: folder.state }, { signal });
    signal.throwIfAborted();
    return toStateVerdict(scored as ScoredWithEvidence);
  } finally {
    await folder.remove();
  }
}

/** The verdict on a state that could not be created. */
function toErrorVerdict(error: unknown): StateVerdict {
  return { outcome: "error", reason: getErrorMessage(error), evidence: {} };
}

function toStateVerdict({ scores, evidence = {}, unscored = {} }: ScoredWithEvidence): StateVerdict {
  const { [VERDICT]: reason = "", ...found } = evidence;
  const { [VERDICT]: whyNot = "", [WEIGHTED_SCORE]: _, ...silent } = unscored;
  const said = { ...found, ...silent };
  const verdict = scores[VERDICT];
  if (verdict === undefined) return { outcome: "error", reason: whyNot, evidence: said };
  return { outcome: verdict === 1 ? "pass" : "fail", reason, evidence: said };
}

/** A folder that is graded once, because graders leave files behind. */
interface PatchedFolder {
  readonly state: WorkspaceState;
  remove(): Promise<void>;
}

/** A change made after the patch is applied. */
type FolderEdit = (folder: string) => Promise<void>;

const makeNoChange: FolderEdit = async () => {};

/**
 * Creates folders from an environment with a patch applied. If set-up does more than write files, it is done once and
 * copied.
 */
class PatchedFolderFactory {
  readonly #environment: Environment;
  readonly #signal: AbortSignal;
  readonly #box: BoxSettings | null;
  #original: Promise<Workspace> | null = null;
  #isCopying: boolean;

  constructor(
    { skills: _, mcpServers: __, ...environment }: Environment,
    { signal, box }: Pick<OracleContext, "signal" | "box">,
  ) {
    this.#environment = environment;
    this.#signal = signal;
    this.#box = box;
    // What a set-up does to a container is not in its folder.
    const isInImage = environment.image !== undefined || environment.dockerfile !== undefined;
    this.#isCopying = !isInImage && (environment.git !== undefined || (environment.commands ?? []).length > 0);
  }

  /** True when folders are copies. A set-up that stored the path of its folder may not work in a copy. */
  get isCopying(): boolean {
    return this.#isCopying;
  }

  /** From now on, sets up every folder from scratch. */
  stopCopying(): void {
    this.#isCopying = false;
  }

  /** An empty patch leaves the folder untouched. */
  create(patch: string, change: FolderEdit = makeNoChange): Promise<PatchedFolder> {
    return this.#isCopying ? this.#copy(patch, change) : this.#setUp(patch, change);
  }

  async close(): Promise<void> {
    const original = await this.#original?.catch(() => null);
    await original?.remove();
  }

  async #setUp(patch: string, change: FolderEdit): Promise<PatchedFolder> {
    const workspace = await this.#createWorkspace();
    try {
      const { path, home, tmp } = workspace;
      await applyPatch({ folder: path, patch, home, tmp, signal: this.#signal });
      await change(path);
      return {
        state: getWorkspaceState(workspace, await workspace.collectChanges()),
        remove: () => workspace.remove(),
      };
    } catch (error) {
      await workspace.remove();
      throw error;
    }
  }

  /** The copy is inside of the original's folder, so it is removed with it. */
  async #copy(patch: string, change: FolderEdit): Promise<PatchedFolder> {
    this.#original ??= this.#createWorkspace();
    const { path, root, home, tmp } = await this.#original;
    const holder = await mkdtemp(join(root, "state-"));
    const folder = join(holder, "work");
    const signal = this.#signal;
    await copyFolder({ from: path, to: folder, maxBytes: Infinity, signal });
    const own = new TrialFolder(holder, folder);
    const baseline = await Baseline.capture(folder, join(holder, "baseline"));
    const remove = async () => {
      baseline.close();
      await own.remove();
    };
    try {
      await applyPatch({ folder, patch, home, tmp, signal });
      await change(folder);
      const changes = await collectChanges(baseline, folder);
      const before = (file: string) => baseline.readBefore(file);
      const path = () => (own.exists ? folder : undefined);
      return { state: createLiveState({ changes, before, path, box: this.#box, liveBox: null }), remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #createWorkspace(): Promise<Workspace> {
    return Workspace.create({ environment: this.#environment, signal: this.#signal, box: this.#box });
  }
}

const TIMEOUT_MS = 120_000;
const MAX_MESSAGE_LENGTH = 2000;

interface PatchRequest {
  /** Need not be a repository. */
  readonly folder: string;
  readonly patch: string;
  readonly home: string;
  readonly tmp: string;
  readonly signal: AbortSignal;
}

/** Applies all of a patch or nothing. Throws with git's message if it does not apply. */
async function applyPatch({ folder, patch, home, tmp, signal }: PatchRequest): Promise<void> {
  if (patch.trim() === "") return;
  const ended = await runCommand({
    command: "git",
    args: ["apply", "--whitespace=nowarn", "-"],
    cwd: folder,
    env: buildScrubbedEnv({ home, tmp, extra: buildGitEnv(folder) }),
    // Git rejects a last line without a line break as damaged.
    input: patch.endsWith("\n") ? patch : `${patch}\n`,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (ended.code !== 0) throw new PatchError(`git apply failed: ${formatGitOutput(ended)}`);
}

/** Ignores user settings and enclosing repositories, and fixes the language of messages. */
function buildGitEnv(folder: string): Record<string, string> {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CEILING_DIRECTORIES: dirname(folder),
    LC_ALL: "C.UTF-8",
  };
}

function formatGitOutput({ stderr, stdout, timedOut, code }: CommandResult): string {
  if (timedOut) return `no result within ${TIMEOUT_MS / 1000} s`;
  const words = (stderr.trim() || stdout.trim()).slice(0, MAX_MESSAGE_LENGTH);
  return words === "" ? `no message (exit code ${code})` : words;
}

class PatchError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PATCH", message, options);
  }
}
