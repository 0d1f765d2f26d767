import { messageOf } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored, ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { fingerprintOf } from "../core/fingerprint.js";
import type { Grade, Grader } from "../core/grader.js";
import { registry as defaultRegistry, type Registry } from "../core/registry.js";
import type { Output } from "../core/system.js";
import { gradeOf } from "./grade.js";
import { type GradedFolder, openFolder } from "./graded-folder.js";
import {
  closeAll,
  estimateAll,
  findPrices,
  type GradingCost,
  type GradingForecast,
  needsCare,
  prepareAll,
} from "./grader-care.js";
import { GraderError } from "./grader-error.js";
import { type ExampleGraders, gradersOf, type MadeGrader, VERDICT, WEIGHTED_SCORE } from "./graders-of.js";
import { ownFactories } from "./make-grader.js";
import { folderUseOf, mostUseOf } from "./own-grader.js";
import { type TrialVerdict, verdictOn } from "./verdict.js";
import type { GradedHere } from "./workspace-files.js";

/** Options of `GraderEvaluator`. */
export interface GraderEvaluatorOptions {
  /** Where custom graders are looked up. Default: the shared registry. */
  registry?: Registry;
}

/**
 * Scores a trial with the graders that its example names: `verdict` is 1 if it passed, `weighted_score` is the weighted
 * mean of the graders, and each grader has a field of its own name.
 * @example
 * const evaluator = new GraderEvaluator();
 * await evaluator.score({ id: 1, question: "Say hi", graders: [{ type: "output-contains", config: { substring: "hi" } }] }, { response: "hi" });
 * // { scores: { verdict: 1, weighted_score: 1, "output-contains": 1 }, … }
 */
export class GraderEvaluator implements Evaluator {
  readonly name = "graders";
  // No `fields`: they differ between examples.
  readonly primaryFields: readonly string[] = [VERDICT];
  readonly #registry: Registry;
  readonly #made = new WeakMap<Example, ExampleGraders | GraderError>();
  /** Only graders that must be prepared and closed; the others are released with their examples. */
  readonly #held = new Set<Grader>();
  #isPaid = false;

  constructor({ registry = defaultRegistry }: GraderEvaluatorOptions = {}) {
    this.#registry = registry;
  }

  /** True once an example has a grader that asks a model. */
  get isPaid(): boolean {
    return this.#isPaid;
  }

  async score(original: Example, processed: Output, context?: ScoreContext): Promise<Scored> {
    const made = this.#gradersOf(original);
    if (made instanceof GraderError) return { scores: {}, unscored: { [VERDICT]: made.message } };
    const signal = context?.signal ?? new AbortController().signal;
    const { meter, figures } = context ?? {};
    const grades = await gradesOf(made.graders, {
      example: original,
      output: processed,
      signal,
      ...(meter === undefined ? {} : { meter }),
      ...(figures === undefined ? {} : { figures }),
    });
    return scoredBy(made, grades);
  }

  /** Throws if a grader of the example cannot be made. */
  checkExample(example: Example): void {
    const made = this.#gradersOf(example);
    if (made instanceof GraderError) throw made;
  }

  canWatch(example: Example): boolean {
    const made = this.#gradersOf(example);
    if (made instanceof GraderError) return false;
    return made.graders.length > 0 && made.graders.every(isWatching);
  }

  /** Prepares the graders of all checked examples, so that a missing key is reported before anything is spent. */
  prepare(): Promise<void> {
    return prepareAll(this.#held);
  }

  /** Releases the resources of its graders. The evaluator can be used again. */
  close(): Promise<void> {
    return closeAll(this.#held);
  }

  /**
   * Finds the prices that `estimate` needs for the checked examples. Requires no API key.
   * @example
   * await evaluator.findPrices();
   */
  findPrices(): Promise<void> {
    return findPrices(this.#held);
  }

  /**
   * Estimates the cost of grading one trial of an example; null if a price is unknown.
   * @example
   * evaluator.estimate(example, { count: (text) => text.length / 4, answerTokens: 500 }); // { low: 0.0002, high: 0.03 }
   */
  estimate(example: Example, forecast: GradingForecast): GradingCost {
    const made = this.#gradersOf(example);
    const graders = made instanceof GraderError ? [] : made.graders.map(({ grader }) => grader);
    return estimateAll(graders, example, forecast);
  }

  /** Judge models are not included: the examples name them. */
  fingerprint(): unknown {
    const own = ownFactories(this.#registry);
    const others = this.#registry.list("grader").filter((type) => !Object.hasOwn(own, type));
    return { evaluator: this.name, version: 1, others: others.map((type) => [type, this.#sourceOf(type)]) };
  }

  #sourceOf(type: string): unknown {
    const grader = this.#registry.get("grader", type);
    if (typeof grader !== "function") return fingerprintOf(grader, "grade");
    const { fingerprint } = grader as { fingerprint?: () => unknown };
    return typeof fingerprint === "function" ? fingerprint() : String(grader);
  }

  /** Made once for all trials of an example. */
  #gradersOf(example: Example): ExampleGraders | GraderError {
    const known = this.#made.get(example);
    if (known !== undefined) return known;
    const made = this.#tryMake(example);
    this.#made.set(example, made);
    if (!(made instanceof GraderError)) for (const { grader } of made.graders) this.#hold(grader);
    return made;
  }

  #hold(grader: Grader): void {
    if (grader.kind === "llm") this.#isPaid = true;
    if (needsCare(grader)) this.#held.add(grader);
  }

  #tryMake(example: Example): ExampleGraders | GraderError {
    try {
      return gradersOf(example, this.#registry);
    } catch (error) {
      return error instanceof GraderError ? error : new GraderError(messageOf(error), { cause: error });
    }
  }
}

/** Watching runs every grader repeatedly, including those that decide nothing, so none may cost money. */
function isWatching({ grader, weight, required }: MadeGrader): boolean {
  const decidesNothing = weight === 0 && !required;
  return (grader.kind ?? "code") === "code" && (decidesNothing || grader.seesWorkspaceOnly === true);
}

type Work = Omit<GradedHere, "workspace" | "env" | "whyNoWorkspace">;

/**
 * Runs all graders; returns the grades in the order of the graders. They share one folder, which may be too large to copy
 * for each: graders that only read it run before those that run programs in it.
 */
async function gradesOf(graders: readonly MadeGrader[], work: Work): Promise<Grade[]> {
  const folder = await openFolder({ ...work, use: mostUseOf(graders.map(({ grader }) => grader)) });
  try {
    const graded = gradedIn(folder, work);
    const grades = new Map<MadeGrader, Grade>();
    for (const one of inTurn(graders)) {
      work.signal.throwIfAborted();
      grades.set(one, await gradeOf(one.grader, one.spec, graded));
    }
    return graders.flatMap((one) => grades.get(one) ?? []);
  } finally {
    await folder.remove();
  }
}

/** Reads the folder's path again each time a grader asks for it. */
function gradedIn(folder: GradedFolder, work: Work): GradedHere {
  const { env, problem, state } = folder;
  return {
    ...work,
    ...(state === undefined ? {} : { output: { ...work.output, workspace: state } }),
    ...(problem === undefined ? {} : { whyNoWorkspace: problem }),
    env,
    get workspace() {
      return folder.path;
    },
  };
}

function inTurn(graders: readonly MadeGrader[]): MadeGrader[] {
  const runs = ({ grader }: MadeGrader) => folderUseOf(grader) === "runs";
  return [...graders.filter((one) => !runs(one)), ...graders.filter(runs)];
}

interface Answer extends MadeGrader {
  readonly grade: Grade;
}

const NO_GRADERS = "there are no graders";

function scoredBy({ graders, threshold }: ExampleGraders, grades: readonly Grade[]): ScoredWithEvidence {
  if (graders.length === 0) return { scores: {}, unscored: { [VERDICT]: NO_GRADERS } };
  const answers = graders.flatMap((one, index) => {
    const grade = grades[index];
    return grade === undefined ? [] : [{ ...one, grade }];
  });
  const verdict = verdictOn(
    answers.map(({ grade, weight, required }) => ({ ...grade, weight, required })),
    threshold,
  );
  const said = answers.map(({ grade, field }) => ({ ...grade, name: field }));
  const scored = { scores: {}, evidence: {}, unscored: {}, grades: said };
  addVerdict(scored, verdict, { answers, threshold });
  for (const { field, grade } of answers) addGrade(scored, field, grade);
  return scored;
}

type Sheet = Required<Omit<ScoredWithEvidence, "measures">>;

interface Said {
  answers: readonly Answer[];
  threshold: number | null;
}

function addVerdict({ scores, evidence, unscored }: Sheet, { passed, score }: TrialVerdict, said: Said): void {
  const silent = said.answers.filter(({ grade }) => grade.status === "error").map(({ field }) => field);
  if (passed === null) unscored[VERDICT] = `it depends on graders that could not decide: ${silent.join(", ")}`;
  else {
    scores[VERDICT] = passed ? 1 : 0;
    evidence[VERDICT] = inWords(passed, score, said);
  }
  if (score === null) unscored[WEIGHTED_SCORE] = `no grader with a weight could decide: ${silent.join(", ")}`;
  else scores[WEIGHTED_SCORE] = score;
}

function inWords(passed: boolean, score: number | null, { answers, threshold }: Said): string {
  const failed = answers.filter(({ grade }) => grade.status === "ok" && !grade.passed);
  const names = failed.map(({ field, required }) => `${field}${required ? " (required)" : ""}`);
  const reached = threshold === null ? [] : [`score ${Number((score ?? 0).toFixed(3))} of ${threshold}`];
  const parts = [...reached, ...(names.length === 0 ? [] : [`failed: ${names.join(", ")}`])];
  return [passed ? "passed" : "not passed", ...parts].join("; ");
}

function addGrade({ scores, evidence, unscored }: Sheet, field: string, grade: Grade): void {
  if (grade.status === "error") unscored[field] = grade.evidence;
  else {
    scores[field] = grade.score;
    evidence[field] = grade.evidence;
  }
}
