import { mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Environment, WorkspaceState } from "../../core/environment.js";
import { AssayError, messageOf } from "../../core/errors.js";
import type { Evaluator, ScoredWithEvidence } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Registry } from "../../core/registry.js";
import { type CommandResult, runCommand } from "../../exec/process/index.js";
import { Baseline } from "../../exec/workspace/baseline.js";
import { changesSince } from "../../exec/workspace/changes.js";
import { copyFolder, OwnFolder } from "../../exec/workspace/folder.js";
import { scrubbedEnv, stateOf, Workspace } from "../../exec/workspace/index.js";
import { liveState } from "../../exec/workspace/state.js";
import { VERDICT, WEIGHTED_SCORE } from "../../graders/graders-of.js";
import type { Limit } from "../../utils/limit.js";
import { chosenOf, omissionsOf, type UndoableLine } from "./omissions.js";
import {
  allEnded,
  type CheckedStimulus,
  isSurvivor,
  type OmissionSummary,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TakingPart,
  type TriedOmission,
  takingPart,
  type UncheckedStimulus,
} from "./result.js";

/** A test case for the oracle: its example, and the patch that solves it. */
export interface OracleTask {
  readonly place: StimulusPlace;
  /** With the content of its files. */
  readonly example: Example;
  readonly goldenPatch: { readonly file: string; readonly text: string } | null;
}

/** Shared by the checks of all test cases. */
export interface Bench {
  readonly evaluator: Evaluator;
  readonly registry: Registry;
  readonly limit: Limit;
  readonly maxOmissions: number;
  readonly signal: AbortSignal;
  /** Progress: how many more states will be graded, each graded state (null if it is not an omission), each finished test case. */
  readonly onPlan: (count: number) => void;
  readonly onTried: (tried: TriedOmission | null) => void;
  readonly onFinished: () => void;
}

/** `part` is an error if the graders could not be created. */
export interface GradableTask extends OracleTask {
  readonly part: TakingPart | Error;
}

/** Creates the graders of a task before anything is run. */
export function gradable(
  task: OracleTask,
  { evaluator, registry }: Pick<Bench, "evaluator" | "registry">,
): GradableTask {
  if (task.goldenPatch === null) return { ...task, part: NOBODY };
  try {
    const part = takingPart(task.example, registry);
    if (part.example !== null) evaluator.checkExample?.(part.example);
    return { ...task, part };
  } catch (error) {
    return { ...task, part: new Error(messageOf(error), { cause: error }) };
  }
}

const NOBODY: TakingPart = { example: null, leftOut: [] };

/** Grades the untouched state, the golden state and every state that lacks one line of the patch. */
export async function checkStimulus({ place, goldenPatch, part }: GradableTask, bench: Bench): Promise<StimulusCheck> {
  if (goldenPatch === null) return unchecked(place, "no-patch", "it has no golden patch");
  if (part instanceof Error) return unchecked(place, "error", part.message);
  const { example, leftOut } = part;
  if (example === null)
    return { ...unchecked(place, "no-grader", "none of its graders can judge a folder alone"), leftOut };
  try {
    const { file: patchFile, text } = goldenPatch;
    return { ...place, patchFile, ...(await heldAgainst(text, example, bench)), leftOut };
  } catch (error) {
    const why = bench.signal.aborted ? "it was stopped" : messageOf(error);
    return unchecked(place, bench.signal.aborted ? "interrupted" : "error", why);
  }
}

function unchecked(place: StimulusPlace, cause: UncheckedStimulus["cause"], why: string): UncheckedStimulus {
  return { ...place, status: "unchecked", cause, why, leftOut: [] };
}

type Found = Pick<CheckedStimulus, "status" | "untouched" | "golden" | "omissions" | "notes">;

async function heldAgainst(patch: string, example: Example, bench: Bench): Promise<Found> {
  const folders = new PatchedFolders(example.environment ?? {}, bench.signal);
  try {
    const grading = { evaluator: bench.evaluator, example, folders, signal: bench.signal };
    bench.onPlan(2);
    const { notes, ...ends } = await bothEnds(patch, grading, bench);
    const isSound = ends.untouched.outcome === "fail" && ends.golden.outcome === "pass";
    if (!isSound) return { ...ends, status: "unsound", omissions: null, notes };
    const omissions = await tryOmissions(patch, { ...bench, grading, most: bench.maxOmissions });
    return { ...ends, status: "sound", omissions, notes: [...notes, ...notesOn(patch, omissions)] };
  } finally {
    await folders.close();
  }
}

interface Ends {
  readonly untouched: StateVerdict;
  readonly golden: StateVerdict;
}

/** Set-up may not work in a copied folder: then each state is set up from scratch. */
async function bothEnds(patch: string, grading: Grading, bench: Bench): Promise<Ends & { notes: readonly string[] }> {
  const { folders } = grading;
  const ends = await endsOf(patch, grading, bench);
  if (ends.golden.outcome !== "fail" || !folders.isCopying) return { ...ends, notes: [] };
  folders.stopCopying();
  bench.onPlan(2);
  const again = await endsOf(patch, grading, bench);
  const isBetter = again.golden.outcome === "pass";
  return { ...again, notes: isBetter ? ["a copy of its folder does not pass: each state is set up separately"] : [] };
}

async function endsOf(patch: string, grading: Grading, { limit, onTried, signal }: Bench): Promise<Ends> {
  const graded = async (text: string) => {
    const verdict = await gradePatched(text, grading).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof PatchError)) throw error;
      return notMade(new PatchError(`The golden patch does not apply: ${messageOf(error)}`, { cause: error }));
    });
    onTried(null);
    return verdict;
  };
  const [untouched, golden] = await allEnded([limit.run(() => graded("")), limit.run(() => graded(patch))]);
  return { untouched: untouched ?? notMade("not graded"), golden: golden ?? notMade("not graded") };
}

function notesOn(patch: string, { found, tried }: OmissionSummary): string[] {
  const { whole } = omissionsOf(patch);
  const skipped = found - tried;
  return [
    ...(skipped > 0
      ? [`${skipped} of the ${found} lines of the patch were not tried: --max-omissions ${found} tries all`]
      : []),
    ...(whole.length > 0 ? [`has no lines to leave out and is tried only as a whole: ${whole.join(", ")}`] : []),
  ];
}

interface OmissionWork {
  readonly grading: Grading;
  readonly limit: Limit;
  /** Maximum number of lines to try. */
  readonly most: number;
  /** Called with the number of lines to try, and with each tried line. */
  readonly onPlan: (count: number) => void;
  readonly onTried: (tried: TriedOmission) => void;
}

/** Leaves out the lines of a patch one by one, and reports those that no grader notices. */
async function tryOmissions(patch: string, work: OmissionWork): Promise<OmissionSummary> {
  const { all } = omissionsOf(patch);
  const chosen = chosenOf(all, work.most);
  work.onPlan(chosen.length);
  const tried = await allEnded(chosen.map((one) => work.limit.run(() => tryOne(patch, one, work))));
  return summaryOf(tried, all.length);
}

async function tryOne(patch: string, one: UndoableLine, { grading, onTried }: OmissionWork): Promise<TriedOmission> {
  const { undoIn, ...omission } = one;
  const { outcome, reason, evidence } = await gradePatched(patch, grading, undoIn).catch((error: unknown) => {
    grading.signal.throwIfAborted();
    return notMade(error);
  });
  const ends = { pass: "survived", fail: "caught", error: "error" } as const;
  const tried: TriedOmission = { ...omission, outcome: ends[outcome], reason, evidence };
  onTried(tried);
  return tried;
}

function summaryOf(tried: readonly TriedOmission[], found: number): OmissionSummary {
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

interface Grading {
  readonly evaluator: Evaluator;
  /** Only with the graders that can judge a folder. */
  readonly example: Example;
  readonly folders: PatchedFolders;
  readonly signal: AbortSignal;
}

/** Creates the state that a patch leads to, applies `change`, grades it and removes it. */
async function gradePatched(
  patch: string,
  { evaluator, example, folders, signal }: Grading,
  change?: FolderChange,
): Promise<StateVerdict> {
  signal.throwIfAborted();
  const folder = await folders.make(patch, change);
  try {
    const scored = await evaluator.score(example, { workspace: folder.state }, { signal });
    signal.throwIfAborted();
    return verdictIn(scored as ScoredWithEvidence);
  } finally {
    await folder.remove();
  }
}

/** The verdict on a state that could not be created. */
function notMade(error: unknown): StateVerdict {
  return { outcome: "error", reason: messageOf(error), evidence: {} };
}

function verdictIn({ scores, evidence = {}, unscored = {} }: ScoredWithEvidence): StateVerdict {
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
type FolderChange = (folder: string) => Promise<void>;

const NO_CHANGE: FolderChange = async () => {};

/**
 * Creates folders from an environment with a patch applied. If set-up does more than write files, it is done once and
 * copied.
 */
class PatchedFolders {
  readonly #environment: Environment;
  readonly #signal: AbortSignal;
  #original: Promise<Workspace> | null = null;
  #isCopying: boolean;

  constructor({ skills: _, mcpServers: __, ...environment }: Environment, signal: AbortSignal) {
    this.#environment = environment;
    this.#signal = signal;
    this.#isCopying = environment.git !== undefined || (environment.commands ?? []).length > 0;
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
  make(patch: string, change: FolderChange = NO_CHANGE): Promise<PatchedFolder> {
    return this.#isCopying ? this.#copy(patch, change) : this.#setUp(patch, change);
  }

  async close(): Promise<void> {
    const original = await this.#original?.catch(() => null);
    await original?.remove();
  }

  async #setUp(patch: string, change: FolderChange): Promise<PatchedFolder> {
    const workspace = await this.#newWorkspace();
    try {
      const { path, home, tmp } = workspace;
      await applyPatch({ folder: path, patch, home, tmp, signal: this.#signal });
      await change(path);
      return { state: stateOf(workspace, await workspace.changes()), remove: () => workspace.remove() };
    } catch (error) {
      await workspace.remove();
      throw error;
    }
  }

  /** The copy is inside of the original's folder, so it is removed with it. */
  async #copy(patch: string, change: FolderChange): Promise<PatchedFolder> {
    this.#original ??= this.#newWorkspace();
    const { path, root, home, tmp } = await this.#original;
    const holder = await mkdtemp(join(root, "state-"));
    const folder = join(holder, "work");
    const signal = this.#signal;
    await copyFolder({ from: path, to: folder, maxBytes: Infinity, signal });
    const own = new OwnFolder(holder, folder);
    const baseline = await Baseline.take(folder, join(holder, "baseline"));
    const remove = async () => {
      baseline.close();
      await own.remove();
    };
    try {
      await applyPatch({ folder, patch, home, tmp, signal });
      await change(folder);
      const changes = await changesSince(baseline, folder);
      const before = (file: string) => baseline.before(file);
      return { state: liveState({ changes, before, path: () => (own.isThere ? folder : undefined) }), remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #newWorkspace(): Promise<Workspace> {
    return Workspace.create({ environment: this.#environment, signal: this.#signal });
  }
}

const TIMEOUT_MS = 120_000;
const LONGEST_WORDS = 2000;

interface PatchToApply {
  /** Need not be a repository. */
  readonly folder: string;
  readonly patch: string;
  readonly home: string;
  readonly tmp: string;
  readonly signal: AbortSignal;
}

/** Applies all of a patch or nothing. Throws with git's message if it does not apply. */
async function applyPatch({ folder, patch, home, tmp, signal }: PatchToApply): Promise<void> {
  if (patch.trim() === "") return;
  const ended = await runCommand({
    command: "git",
    args: ["apply", "--whitespace=nowarn", "-"],
    cwd: folder,
    env: scrubbedEnv({ home, tmp, extra: gitSettings(folder) }),
    // Git rejects a last line without a line break as damaged.
    input: patch.endsWith("\n") ? patch : `${patch}\n`,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (ended.code !== 0) throw new PatchError(`git apply failed: ${wordsOf(ended)}`);
}

/** Ignores user settings and enclosing repositories, and fixes the language of messages. */
function gitSettings(folder: string): Record<string, string> {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CEILING_DIRECTORIES: dirname(folder),
    LC_ALL: "C.UTF-8",
  };
}

function wordsOf({ stderr, stdout, timedOut, code }: CommandResult): string {
  if (timedOut) return `no result within ${TIMEOUT_MS / 1000} s`;
  const words = (stderr.trim() || stdout.trim()).slice(0, LONGEST_WORDS);
  return words === "" ? `no message (exit code ${code})` : words;
}

class PatchError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PATCH", message, options);
  }
}
