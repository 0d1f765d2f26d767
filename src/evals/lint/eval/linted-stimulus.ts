import type { GraderSpec } from "../../../core/index.js";
import { computeTrialVerdict, readGlob } from "../../../graders/index.js";
import type { YamlTree } from "../../../utils/index.js";
import type { EvalSpec, Stimulus } from "../../spec/spec.js";
import type { LintIssue } from "../finding.js";
import type { EnvironmentFileReader, SkillText, WorkspaceFiles } from "./environment-files.js";
import {
  containsGraderText,
  getConfigNumber,
  getConfigText,
  isCaseSensitive,
  listConfigNames,
  listGraderParts,
  matchesGraderPattern,
} from "./grader-config.js";
import { createStimulusLocator, type Locator, listWrittenGraders, type WrittenGrader } from "./locations.js";
import type { EvalCode } from "./rules.js";

export type EvalIssue = LintIssue<EvalCode>;

/** A test case with everything that is known about it before it is run. */
export interface LintedStimulus {
  readonly spec: EvalSpec;
  readonly stimulus: Stimulus;
  readonly placeOf: Locator;
  readonly graders: readonly WrittenGrader[];
  /** False when a grader could not be created, so nothing is known about the verdict. */
  readonly isWhole: boolean;
  readonly given: WorkspaceFiles;
  readonly skills: readonly SkillText[];
  readonly model: VerdictModel;
  /** Everything the agent is told: the prompt and earlier turns. */
  readonly asked: string;
}

export interface StimulusSource {
  readonly spec: EvalSpec;
  readonly tree: YamlTree;
  readonly reader: EnvironmentFileReader;
}

export async function prepareStimulus(
  stimulus: Stimulus,
  { spec, tree, reader }: StimulusSource,
): Promise<LintedStimulus> {
  const { environment, graders, threshold, turns, prompt } = stimulus;
  const given = await reader.readFiles(environment);
  return {
    spec,
    stimulus,
    given,
    placeOf: createStimulusLocator(stimulus, tree),
    ...listWrittenGraders(stimulus, tree),
    skills: await Promise.all((environment.skills ?? []).map((skill) => reader.readSkill(skill))),
    model: new VerdictModel(graders, threshold, given),
    asked: [...turns.map(({ content }) => content), prompt].join("\n"),
  };
}

/** False for graders that are only reported. */
export function hasInfluence({ spec: { weight = 1, required = false } }: WrittenGrader): boolean {
  return weight > 0 || required;
}

/** A grader as the verdict sees it. */
export interface GraderVote {
  readonly spec: GraderSpec;
  readonly weight: number;
  readonly required: boolean;
  /** Its outcome if that does not depend on the work; otherwise null. */
  readonly fate: ConstantOutcome | null;
  /** True if its score is always 0 or 1. */
  readonly isBinary: boolean;
}

/** Two graders that cannot both pass. */
export interface Exclusion {
  readonly pair: readonly [number, number];
  readonly why: string;
}

const BINARY_GRADERS =
  /^(?:completed|exit-success|not|run-command|diff-empty|(?:output|transcript|file|diff)-(?:not-)?(?:contains|matches|exists))$/;
/** With more graders, combinations are not tried and nothing is reported about the verdict. */
const MAX_COMBINED_GRADERS = 12;

/** Applies the verdict rules to every possible combination of passing and failing graders. */
export class VerdictModel {
  readonly voters: readonly GraderVote[];
  readonly exclusions: readonly Exclusion[];
  /** The verdict of each possible combination, with a bit for each grader; null when there are too many. */
  readonly #verdicts: ReadonlyMap<number, boolean> | null;

  constructor(graders: readonly GraderSpec[], threshold: number | null, given: InitialFiles) {
    this.voters = graders.map((spec) => ({
      spec,
      weight: spec.weight ?? 1,
      required: spec.required ?? false,
      fate: findConstantOutcome(spec, given),
      isBinary: BINARY_GRADERS.test(spec.type),
    }));
    this.exclusions = findExclusions(graders);
    this.#verdicts = graders.length > MAX_COMBINED_GRADERS ? null : this.#tryAllCombinations(threshold);
  }

  get canPass(): boolean {
    return this.#verdicts === null || [...this.#verdicts.values()].includes(true);
  }

  get canFail(): boolean {
    return this.#verdicts === null || [...this.#verdicts.values()].includes(false);
  }

  /** Whether a grader that passes instead of failing can turn a failed trial into a passed one. */
  canChangeVerdict(index: number): boolean {
    const { required = false, weight = 1 } = this.voters[index] ?? {};
    if (required) return true;
    if (weight === 0) return false;
    const verdicts = this.#verdicts;
    // Next to a score between 0 and 1, any weight can be decisive.
    const isBesideScores = this.voters.some((other, at) => at !== index && !other.isBinary && other.weight > 0);
    if (verdicts === null || isBesideScores) return true;
    return [...verdicts].some(([passing, passed]) => !passed && verdicts.get(passing | (1 << index)) === true);
  }

  #tryAllCombinations(threshold: number | null): Map<number, boolean> {
    const verdicts = new Map<number, boolean>();
    for (let passing = 0; passing < 1 << this.voters.length; passing++) {
      if (!this.#isPossible(passing)) continue;
      const grades = this.voters.map(({ weight, required }, index) => {
        const passed = isPassing(passing, index);
        return { passed, score: passed ? 1 : 0, status: "ok" as const, weight, required };
      });
      verdicts.set(passing, computeTrialVerdict(grades, threshold).passed === true);
    }
    return verdicts;
  }

  #isPossible(passing: number): boolean {
    if (this.exclusions.some(({ pair }) => pair.every((index) => isPassing(passing, index)))) return false;
    return this.voters.every(({ fate }, index) => fate === null || fate.passes === isPassing(passing, index));
  }
}

function isPassing(passing: number, index: number): boolean {
  return ((passing >> index) & 1) === 1;
}

function findExclusions(graders: readonly GraderSpec[]): Exclusion[] {
  return graders.flatMap((a, first) =>
    graders.slice(first + 1).flatMap((b, offset): Exclusion[] => {
      const why = explainExclusion(a, b);
      return why === null ? [] : [{ pair: [first, first + 1 + offset], why }];
    }),
  );
}

/** An outcome that is known before the run, because it does not depend on the work. */
export interface ConstantOutcome {
  readonly passes: boolean;
  /** Continues after the name of the grader. */
  readonly why: string;
}

export interface InitialFiles {
  readonly paths: ReadonlySet<string>;
}

/** A pattern that matches all of these matches any answer, as `.*` does. */
const SAMPLE_ANSWERS = ["", "a", "Z 9", "%", "\n", "\n\n", "\u4e2d", "- x_1\n<y>"];

/** Returns null when the outcome depends on the work. */
export function findConstantOutcome(spec: GraderSpec, given: InitialFiles): ConstantOutcome | null {
  if (spec.type === "all-of" || spec.type === "any-of") return findCombinedOutcome(spec, given);
  if (spec.type === "not") return findNegatedOutcome(spec, given);
  return findPatternOutcome(spec) ?? findFileOutcome(spec, given) ?? findCountOutcome(spec);
}

function findPatternOutcome(spec: GraderSpec): ConstantOutcome | null {
  const isWanted = spec.type === "output-matches";
  if (!isWanted && spec.type !== "output-not-matches") return null;
  if (!SAMPLE_ANSWERS.every((text) => matchesGraderPattern(spec, text))) return null;
  return {
    passes: isWanted,
    why: `the pattern ${getConfigText(spec, "pattern") ?? ""} matches any answer, even an empty one`,
  };
}

function findFileOutcome(spec: GraderSpec, { paths }: InitialFiles): ConstantOutcome | null {
  const path = getConfigText(spec, "path");
  if (spec.type !== "file-exists" || path === null) return null;
  const glob = readGlob(path);
  const there = [...paths].find((one) => glob.matches(one));
  return there === undefined ? null : { passes: true, why: `${there} exists before the agent starts` };
}

/** An agent that works takes at least one turn and some tokens. */
function findCountOutcome(spec: GraderSpec): ConstantOutcome | null {
  const max = getConfigNumber(spec, "max");
  const isUsed = ["turn-count", "token-budget", "step-count"].includes(spec.type);
  if (isUsed && max === 0) return { passes: false, why: "its maximum is 0, and an agent that works uses some" };
  const isCount = ["turn-count", "tool-call-count", "step-count", "error-count"].includes(spec.type);
  if (!isCount || max !== null || getConfigNumber(spec, "min") !== 0) return null;
  return { passes: true, why: "its minimum is 0, and it has no maximum" };
}

function findCombinedOutcome(spec: GraderSpec, given: InitialFiles): ConstantOutcome | null {
  const fates = listGraderParts(spec).map((part) => findConstantOutcome(part, given));
  // One passing part decides any-of, one failing part decides all-of.
  const deciding = spec.type === "any-of";
  const decided = fates.find((fate) => fate?.passes === deciding);
  if (decided !== undefined && decided !== null) return decided;
  const isSettled = fates.length > 0 && fates.every((fate) => fate !== null);
  return isSettled ? { passes: !deciding, why: fates.map((fate) => fate?.why ?? "").join("; ") } : null;
}

function findNegatedOutcome(spec: GraderSpec, given: InitialFiles): ConstantOutcome | null {
  const [part] = listGraderParts(spec);
  const fate = part === undefined ? null : findConstantOutcome(part, given);
  return fate === null ? null : { passes: !fate.passes, why: fate.why };
}

/** Returns null when both can pass, as far as is known. Those that judge different turns always can. */
export function explainExclusion(a: GraderSpec, b: GraderSpec): string | null {
  if (a.after_turn !== b.after_turn) return null;
  return explainOneWayExclusion(a, b) ?? explainOneWayExclusion(b, a);
}

function explainOneWayExclusion(wants: GraderSpec, refuses: GraderSpec): string | null {
  return (
    explainFileExclusion(wants, refuses) ?? explainTextExclusion(wants, refuses) ?? explainCallExclusion(wants, refuses)
  );
}

function explainFileExclusion(wants: GraderSpec, refuses: GraderSpec): string | null {
  const path = getConfigText(wants, "path");
  if (refuses.type === "diff-empty" && wants.type === "diff-contains")
    return coversFiles(refuses, wants) ? "one requires a change, the other forbids any" : null;
  if (!isFileGrader(wants.type) || refuses.type !== "file-not-exists" || !coversFiles(refuses, wants)) return null;
  return `one requires the file ${path ?? ""}, the other forbids it`;
}

function isFileGrader(type: string): boolean {
  return type === "file-exists" || type === "file-contains" || type === "file-matches";
}

/** Whether `wide` checks all files that `narrow` checks; without a path, a grader checks all files. */
function coversFiles(wide: GraderSpec, narrow: GraderSpec): boolean {
  const [outer, inner] = [getConfigText(wide, "path"), getConfigText(narrow, "path")];
  if (outer === null || outer === inner) return true;
  return inner !== null && !/[*?[{]/.test(inner) && readGlob(outer).matches(inner);
}

/** Which texts are searched: an answer is a part of the transcript. */
const SEARCHED_TEXTS: Readonly<Record<string, readonly string[]>> = {
  "output-contains": ["output-not-contains", "transcript-not-contains"],
  "transcript-contains": ["transcript-not-contains"],
  "file-contains": ["file-not-contains"],
  "diff-contains": ["diff-not-contains"],
  "output-matches": ["output-not-matches"],
  "file-matches": ["file-not-matches"],
};

function explainTextExclusion(wants: GraderSpec, refuses: GraderSpec): string | null {
  if (SEARCHED_TEXTS[wants.type]?.includes(refuses.type) !== true) return null;
  if (/^(?:file|diff)-/.test(wants.type) && !coversFiles(refuses, wants)) return null;
  const pattern = getConfigText(wants, "pattern");
  if (pattern !== null) {
    const isSame =
      pattern === getConfigText(refuses, "pattern") &&
      getConfigText(wants, "flags") === getConfigText(refuses, "flags");
    return isSame ? `one requires a match of ${pattern}, the other forbids it` : null;
  }
  const key = wants.type.startsWith("file-") || wants.type.startsWith("diff-") ? "value" : "substring";
  const wanted = getConfigText(wants, key);
  // A case-sensitive grader may miss other spellings of the wanted text.
  const isSure = isCaseSensitive(wants) || !isCaseSensitive(refuses);
  if (wanted === null || !isSure || !containsGraderText(refuses, key, wanted)) return null;
  return `one requires "${wanted}", the other forbids "${getConfigText(refuses, key) ?? ""}"`;
}

function explainCallExclusion(wants: GraderSpec, refuses: GraderSpec): string | null {
  const isOfCalls = wants.type === "tool-calls" || wants.type === "skill-invocation";
  const required = isOfCalls ? listConfigNames(wants, "required") : [];
  const [first] = required;
  if (first === undefined) return null;
  const isNoCall = refuses.type === "tool-call-count" && getConfigNumber(refuses, "max") === 0;
  if (isNoCall && wants.type === "tool-calls" && refuses.config?.tools === undefined)
    return `one requires a call of ${first}, the other forbids all calls`;
  if (refuses.type !== wants.type) return null;
  const refused = listUnconditionalNames(refuses, "disallowed");
  const both = listUnconditionalNames(wants, "required").find((name) => refused.includes(name));
  return both === undefined ? null : `one requires ${both}, the other forbids it`;
}

/** Names without further conditions: with one, other calls of the same name may pass. */
function listUnconditionalNames({ config }: GraderSpec, key: string): string[] {
  const list = config?.[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (typeof entry === "string") return [entry];
    const isPlain = typeof entry === "object" && entry !== null && Object.keys(entry).join() === "name";
    return isPlain ? [String((entry as { name: unknown }).name)] : [];
  });
}
