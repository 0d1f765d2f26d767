import type { GraderSpec } from "../../../core/grader.js";
import { readGlob } from "../../../graders/glob.js";
import { verdictOn } from "../../../graders/verdict.js";
import type { YamlTree } from "../../../utils/files/yaml-tree.js";
import type { EvalSpec, Stimulus } from "../../spec/spec.js";
import type { Remark } from "../finding.js";
import { isCaseSensitive, namesIn, numberOf, partsOf, patternFits, textFits, textOf } from "./config-values.js";
import type { GivenFiles, GivenReader, GivenSkill } from "./given-files.js";
import { type PlaceOf, stimulusPlace, type WrittenGrader, writtenGraders } from "./places.js";
import type { EvalCode } from "./rules.js";

export type EvalRemark = Remark<EvalCode>;

/** A test case with everything that is known about it before it is run. */
export interface Subject {
  readonly spec: EvalSpec;
  readonly stimulus: Stimulus;
  readonly placeOf: PlaceOf;
  readonly graders: readonly WrittenGrader[];
  /** False when a grader could not be created, so nothing is known about the verdict. */
  readonly isWhole: boolean;
  readonly given: GivenFiles;
  readonly skills: readonly GivenSkill[];
  readonly model: VerdictModel;
  /** Everything the agent is told: the prompt and earlier turns. */
  readonly asked: string;
}

export interface SubjectSource {
  readonly spec: EvalSpec;
  readonly tree: YamlTree;
  readonly reader: GivenReader;
}

export async function subjectOf(stimulus: Stimulus, { spec, tree, reader }: SubjectSource): Promise<Subject> {
  const { environment, graders, threshold, turns, prompt } = stimulus;
  const given = await reader.files(environment);
  return {
    spec,
    stimulus,
    given,
    placeOf: stimulusPlace(stimulus, tree),
    ...writtenGraders(stimulus, tree),
    skills: await Promise.all((environment.skills ?? []).map((skill) => reader.skill(skill))),
    model: new VerdictModel(graders, threshold, given),
    asked: [...turns.map(({ content }) => content), prompt].join("\n"),
  };
}

/** False for graders that are only reported. */
export function counts({ spec: { weight = 1, required = false } }: WrittenGrader): boolean {
  return weight > 0 || required;
}

/** A grader as the verdict sees it. */
export interface Voter {
  readonly spec: GraderSpec;
  readonly weight: number;
  readonly required: boolean;
  /** Its outcome if that does not depend on the work; otherwise null. */
  readonly fate: Fate | null;
  /** True if its score is always 0 or 1. */
  readonly isBinary: boolean;
}

/** Two graders that cannot both pass. */
export interface Exclusion {
  readonly pair: readonly [number, number];
  readonly why: string;
}

const BINARY =
  /^(?:completed|exit-success|not|run-command|diff-empty|(?:output|transcript|file|diff)-(?:not-)?(?:contains|matches|exists))$/;
/** With more graders, combinations are not tried and nothing is reported about the verdict. */
const MAX_TRIED = 12;

/** Applies the verdict rules to every possible combination of passing and failing graders. */
export class VerdictModel {
  readonly voters: readonly Voter[];
  readonly exclusions: readonly Exclusion[];
  /** The verdict of each possible combination, with a bit for each grader; null when there are too many. */
  readonly #verdicts: ReadonlyMap<number, boolean> | null;

  constructor(graders: readonly GraderSpec[], threshold: number | null, given: Given) {
    this.voters = graders.map((spec) => ({
      spec,
      weight: spec.weight ?? 1,
      required: spec.required ?? false,
      fate: fateOf(spec, given),
      isBinary: BINARY.test(spec.type),
    }));
    this.exclusions = findExclusions(graders);
    this.#verdicts = graders.length > MAX_TRIED ? null : this.#tryAll(threshold);
  }

  get canPass(): boolean {
    return this.#verdicts === null || [...this.#verdicts.values()].includes(true);
  }

  get canFail(): boolean {
    return this.#verdicts === null || [...this.#verdicts.values()].includes(false);
  }

  /** Whether a grader that passes instead of failing can turn a failed trial into a passed one. */
  hasSay(index: number): boolean {
    const { required = false, weight = 1 } = this.voters[index] ?? {};
    if (required) return true;
    if (weight === 0) return false;
    const verdicts = this.#verdicts;
    // Next to a score between 0 and 1, any weight can be decisive.
    const isBesideScores = this.voters.some((other, at) => at !== index && !other.isBinary && other.weight > 0);
    if (verdicts === null || isBesideScores) return true;
    return [...verdicts].some(([passing, passed]) => !passed && verdicts.get(passing | (1 << index)) === true);
  }

  #tryAll(threshold: number | null): Map<number, boolean> {
    const verdicts = new Map<number, boolean>();
    for (let passing = 0; passing < 1 << this.voters.length; passing++) {
      if (!this.#isPossible(passing)) continue;
      const grades = this.voters.map(({ weight, required }, index) => {
        const passed = isPassing(passing, index);
        return { passed, score: passed ? 1 : 0, status: "ok" as const, weight, required };
      });
      verdicts.set(passing, verdictOn(grades, threshold).passed === true);
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
      const why = whyExclusive(a, b);
      return why === null ? [] : [{ pair: [first, first + 1 + offset], why }];
    }),
  );
}

/** An outcome that is known before the run, because it does not depend on the work. */
export interface Fate {
  readonly passes: boolean;
  /** Continues after the name of the grader. */
  readonly why: string;
}

export interface Given {
  readonly paths: ReadonlySet<string>;
}

/** A pattern that matches all of these matches any answer, as `.*` does. */
const ANYTHING = ["", "a", "Z 9", "%", "\n", "\n\n", "\u4e2d", "- x_1\n<y>"];

/** Returns null when the outcome depends on the work. */
export function fateOf(spec: GraderSpec, given: Given): Fate | null {
  if (spec.type === "all-of" || spec.type === "any-of") return fateOfSeveral(spec, given);
  if (spec.type === "not") return fateOfNot(spec, given);
  return fateOfPattern(spec) ?? fateOfFile(spec, given) ?? fateOfCount(spec);
}

function fateOfPattern(spec: GraderSpec): Fate | null {
  const isWanted = spec.type === "output-matches";
  if (!isWanted && spec.type !== "output-not-matches") return null;
  if (!ANYTHING.every((text) => patternFits(spec, text))) return null;
  return {
    passes: isWanted,
    why: `the pattern ${textOf(spec, "pattern") ?? ""} matches any answer, even an empty one`,
  };
}

function fateOfFile(spec: GraderSpec, { paths }: Given): Fate | null {
  const path = textOf(spec, "path");
  if (spec.type !== "file-exists" || path === null) return null;
  const glob = readGlob(path);
  const there = [...paths].find((one) => glob.matches(one));
  return there === undefined ? null : { passes: true, why: `${there} exists before the agent starts` };
}

/** An agent that works takes at least one turn and some tokens. */
function fateOfCount(spec: GraderSpec): Fate | null {
  const max = numberOf(spec, "max");
  const isUsed = ["turn-count", "token-budget", "step-count"].includes(spec.type);
  if (isUsed && max === 0) return { passes: false, why: "its maximum is 0, and an agent that works uses some" };
  const isCount = ["turn-count", "tool-call-count", "step-count", "error-count"].includes(spec.type);
  if (!isCount || max !== null || numberOf(spec, "min") !== 0) return null;
  return { passes: true, why: "its minimum is 0, and it has no maximum" };
}

function fateOfSeveral(spec: GraderSpec, given: Given): Fate | null {
  const fates = partsOf(spec).map((part) => fateOf(part, given));
  // One passing part decides any-of, one failing part decides all-of.
  const deciding = spec.type === "any-of";
  const decided = fates.find((fate) => fate?.passes === deciding);
  if (decided !== undefined && decided !== null) return decided;
  const isSettled = fates.length > 0 && fates.every((fate) => fate !== null);
  return isSettled ? { passes: !deciding, why: fates.map((fate) => fate?.why ?? "").join("; ") } : null;
}

function fateOfNot(spec: GraderSpec, given: Given): Fate | null {
  const [part] = partsOf(spec);
  const fate = part === undefined ? null : fateOf(part, given);
  return fate === null ? null : { passes: !fate.passes, why: fate.why };
}

/** Returns null when both can pass, as far as is known. */
export function whyExclusive(a: GraderSpec, b: GraderSpec): string | null {
  return oneWay(a, b) ?? oneWay(b, a);
}

function oneWay(wants: GraderSpec, refuses: GraderSpec): string | null {
  return filesExclude(wants, refuses) ?? textsExclude(wants, refuses) ?? callsExclude(wants, refuses);
}

function filesExclude(wants: GraderSpec, refuses: GraderSpec): string | null {
  const path = textOf(wants, "path");
  if (refuses.type === "diff-empty" && wants.type === "diff-contains")
    return covers(refuses, wants) ? "one requires a change, the other forbids any" : null;
  if (!isAboutFile(wants.type) || refuses.type !== "file-not-exists" || !covers(refuses, wants)) return null;
  return `one requires the file ${path ?? ""}, the other forbids it`;
}

function isAboutFile(type: string): boolean {
  return type === "file-exists" || type === "file-contains" || type === "file-matches";
}

/** Whether `wide` checks all files that `narrow` checks; without a path, a grader checks all files. */
function covers(wide: GraderSpec, narrow: GraderSpec): boolean {
  const [outer, inner] = [textOf(wide, "path"), textOf(narrow, "path")];
  if (outer === null || outer === inner) return true;
  return inner !== null && !/[*?[{]/.test(inner) && readGlob(outer).matches(inner);
}

/** Which texts are searched: an answer is a part of the transcript. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  "output-contains": ["output-not-contains", "transcript-not-contains"],
  "transcript-contains": ["transcript-not-contains"],
  "file-contains": ["file-not-contains"],
  "diff-contains": ["diff-not-contains"],
  "output-matches": ["output-not-matches"],
  "file-matches": ["file-not-matches"],
};

function textsExclude(wants: GraderSpec, refuses: GraderSpec): string | null {
  if (WITHIN[wants.type]?.includes(refuses.type) !== true) return null;
  if (/^(?:file|diff)-/.test(wants.type) && !covers(refuses, wants)) return null;
  const pattern = textOf(wants, "pattern");
  if (pattern !== null) {
    const isSame = pattern === textOf(refuses, "pattern") && textOf(wants, "flags") === textOf(refuses, "flags");
    return isSame ? `one requires a match of ${pattern}, the other forbids it` : null;
  }
  const key = wants.type.startsWith("file-") || wants.type.startsWith("diff-") ? "value" : "substring";
  const wanted = textOf(wants, key);
  // A case-sensitive grader may miss other spellings of the wanted text.
  const isSure = isCaseSensitive(wants) || !isCaseSensitive(refuses);
  if (wanted === null || !isSure || !textFits(refuses, key, wanted)) return null;
  return `one requires "${wanted}", the other forbids "${textOf(refuses, key) ?? ""}"`;
}

function callsExclude(wants: GraderSpec, refuses: GraderSpec): string | null {
  const isOfCalls = wants.type === "tool-calls" || wants.type === "skill-invocation";
  const required = isOfCalls ? namesIn(wants, "required") : [];
  const [first] = required;
  if (first === undefined) return null;
  const isNoCall = refuses.type === "tool-call-count" && numberOf(refuses, "max") === 0;
  if (isNoCall && wants.type === "tool-calls" && refuses.config?.tools === undefined)
    return `one requires a call of ${first}, the other forbids all calls`;
  if (refuses.type !== wants.type) return null;
  const refused = plainNames(refuses, "disallowed");
  const both = plainNames(wants, "required").find((name) => refused.includes(name));
  return both === undefined ? null : `one requires ${both}, the other forbids it`;
}

/** Names without further conditions: with one, other calls of the same name may pass. */
function plainNames({ config }: GraderSpec, key: string): string[] {
  const list = config?.[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (typeof entry === "string") return [entry];
    const isPlain = typeof entry === "object" && entry !== null && Object.keys(entry).join() === "name";
    return isPlain ? [String((entry as { name: unknown }).name)] : [];
  });
}
