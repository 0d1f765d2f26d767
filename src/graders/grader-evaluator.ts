import type {
  Evaluator,
  Example,
  Grade,
  Grader,
  Output,
  ScoreContext,
  Scored,
  ScoredWithEvidence,
  Verdict,
} from "../core/index.js";
import {
  computeFingerprint,
  registry as defaultRegistry,
  getErrorMessage,
  omitUndefined,
  type Registry,
} from "../core/index.js";
import { findMaxFolderUse, getFolderUse, makeErrorVerdict, makeVerdict } from "./built-in-grader.js";
import { type GradedFolder, type GradedInput, openGradedFolder } from "./graded-workspace.js";
import { GraderError } from "./grader-error.js";
import {
  closeAllGraders,
  completeGrade,
  estimateAllGraders,
  findPrices,
  type GradingCost,
  type GradingForecast,
  needsLifecycle,
  prepareAllGraders,
  runGrader,
} from "./grader-lifecycle.js";
import {
  createBuiltInFactories,
  type ExampleGrader,
  type ExampleGraders,
  makeExampleGraders,
  VERDICT,
  WEIGHTED_SCORE,
} from "./make-grader.js";
import { type GradingInput, type TurnView, viewTurn } from "./turn-view.js";
import { computeTrialVerdict, type TrialVerdict } from "./verdict.js";

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
    const made = this.#getGraders(original);
    if (made instanceof GraderError) return { scores: {}, unscored: { [VERDICT]: made.message } };
    const signal = context?.signal ?? new AbortController().signal;
    const { meter, figures, trial } = context ?? {};
    const grades = await runGraders(made.graders, {
      example: original,
      output: processed,
      signal,
      ...omitUndefined({ meter, figures, trial }),
    });
    return scoreGrades(made, grades);
  }

  /** Throws if a grader of the example cannot be made. */
  checkExample(example: Example): void {
    const made = this.#getGraders(example);
    if (made instanceof GraderError) throw made;
  }

  canWatch(example: Example): boolean {
    const made = this.#getGraders(example);
    if (made instanceof GraderError) return false;
    return made.graders.length > 0 && made.graders.every(canWatchTrial);
  }

  /** Prepares the graders of all checked examples, so that a missing key is reported before anything is spent. */
  prepare(): Promise<void> {
    return prepareAllGraders(this.#held);
  }

  /** Releases the resources of its graders. The evaluator can be used again. */
  close(): Promise<void> {
    return closeAllGraders(this.#held);
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
    const made = this.#getGraders(example);
    const graders = made instanceof GraderError ? [] : made.graders.map(({ grader }) => grader);
    return estimateAllGraders(graders, example, forecast);
  }

  /** Judge models are not included: the examples name them. */
  fingerprint(): unknown {
    const own = createBuiltInFactories(this.#registry);
    const others = this.#registry.list("grader").filter((type) => !Object.hasOwn(own, type));
    return { evaluator: this.name, version: 1, others: others.map((type) => [type, this.#identifyType(type)]) };
  }

  #identifyType(type: string): unknown {
    const grader = this.#registry.get("grader", type);
    if (typeof grader !== "function") return computeFingerprint(grader, "grade");
    const { fingerprint } = grader as { fingerprint?: () => unknown };
    return typeof fingerprint === "function" ? fingerprint() : String(grader);
  }

  /** Made once for all trials of an example. */
  #getGraders(example: Example): ExampleGraders | GraderError {
    const known = this.#made.get(example);
    if (known !== undefined) return known;
    const made = this.#tryMake(example);
    this.#made.set(example, made);
    if (!(made instanceof GraderError)) for (const { grader } of made.graders) this.#trackGrader(grader);
    return made;
  }

  #trackGrader(grader: Grader): void {
    if (grader.kind === "llm") this.#isPaid = true;
    if (needsLifecycle(grader)) this.#held.add(grader);
  }

  #tryMake(example: Example): ExampleGraders | GraderError {
    try {
      return makeExampleGraders(example, this.#registry);
    } catch (error) {
      return error instanceof GraderError ? error : new GraderError(getErrorMessage(error), { cause: error });
    }
  }
}

/** Watching runs every grader repeatedly, including those that decide nothing, so none may cost money. */
function canWatchTrial({ grader, weight, required, spec }: ExampleGrader): boolean {
  if (spec.after_turn !== undefined) return false;
  const decidesNothing = weight === 0 && !required;
  return (grader.kind ?? "code") === "code" && (decidesNothing || grader.seesWorkspaceOnly === true);
}

type GradesByGrader = Map<ExampleGrader, Grade>;

/** Runs all graders; returns the grades in the order of the graders. */
async function runGraders(graders: readonly ExampleGrader[], work: GradingInput): Promise<Grade[]> {
  const grades: GradesByGrader = new Map();
  for (const { own, view } of groupByView(graders, work)) {
    if (view.kind === "seen") await runTogether(own, view.work, grades);
    else for (const one of own) grades.set(one, completeGrade(one.grader, one.spec, toUnseenVerdict(view)));
  }
  return graders.flatMap((one) => {
    const grade = grades.get(one);
    return grade === undefined ? [] : [nameTurn(grade, one)];
  });
}

interface GraderGroup {
  readonly own: ExampleGrader[];
  readonly view: TurnView;
}

/** Groups graders by the turn they judge. Those of the last turn belong to those of the end: they see the same folder. */
function groupByView(graders: readonly ExampleGrader[], work: GradingInput): GraderGroup[] {
  const atEnd: GraderGroup = { own: [], view: { kind: "seen", work } };
  const groups = new Map<number, GraderGroup>();
  for (const one of graders) {
    const { after_turn: turn } = one.spec;
    const view = turn === undefined ? atEnd.view : viewTurn(work, turn);
    const isAtEnd = turn === undefined || (view.kind === "seen" && view.work === work);
    const group = isAtEnd ? atEnd : (groups.get(turn) ?? { own: [], view });
    group.own.push(one);
    if (!isAtEnd) groups.set(turn, group);
  }
  return [...groups.values(), atEnd].filter(({ own }) => own.length > 0);
}

/** A turn that was never answered has failed; one that the output says nothing of cannot be judged. */
function toUnseenVerdict(view: Exclude<TurnView, { kind: "seen" }>): Verdict {
  return view.kind === "unanswered" ? makeVerdict(false, view.why) : makeErrorVerdict(view.why);
}

/** Says in the evidence which turn was judged. */
function nameTurn(grade: Grade, { spec }: ExampleGrader): Grade {
  return spec.after_turn === undefined
    ? grade
    : { ...grade, evidence: `after turn ${spec.after_turn}: ${grade.evidence}` };
}

/** They share one folder, which may be too large to copy for each: graders that only read it run before those that run programs in it. */
async function runTogether(
  graders: readonly ExampleGrader[],
  work: GradingInput,
  grades: GradesByGrader,
): Promise<void> {
  const folder = await openGradedFolder({ ...work, use: findMaxFolderUse(graders.map(({ grader }) => grader)) });
  try {
    const graded = buildGraded(folder, work);
    for (const one of sortByFolderUse(graders)) {
      work.signal.throwIfAborted();
      grades.set(one, await runGrader(one.grader, one.spec, graded));
    }
  } finally {
    await folder.remove();
  }
}

/** Reads the folder's path again each time a grader asks for it. */
function buildGraded(folder: GradedFolder, work: GradingInput): GradedInput {
  const { env, problem, state, box } = folder;
  return {
    ...work,
    ...(state === undefined ? {} : { output: { ...work.output, workspace: state } }),
    ...(problem === undefined ? {} : { whyNoWorkspace: problem }),
    env,
    box,
    get workspace() {
      return folder.path;
    },
  };
}

function sortByFolderUse(graders: readonly ExampleGrader[]): ExampleGrader[] {
  const runs = ({ grader }: ExampleGrader) => getFolderUse(grader) === "runs";
  return [...graders.filter((one) => !runs(one)), ...graders.filter(runs)];
}

interface AnsweredGrader extends ExampleGrader {
  readonly grade: Grade;
}

const NO_GRADERS = "there are no graders";

function scoreGrades({ graders, threshold }: ExampleGraders, grades: readonly Grade[]): ScoredWithEvidence {
  if (graders.length === 0) return { scores: {}, unscored: { [VERDICT]: NO_GRADERS } };
  const answers = graders.flatMap((one, index) => {
    const grade = grades[index];
    return grade === undefined ? [] : [{ ...one, grade }];
  });
  const verdict = computeTrialVerdict(
    answers.map(({ grade, weight, required }) => ({ ...grade, weight, required })),
    threshold,
  );
  const said = answers.map(({ grade, field }) => ({ ...grade, name: field }));
  const scored = { scores: {}, evidence: {}, unscored: {}, grades: said };
  addVerdict(scored, verdict, { answers, threshold });
  for (const { field, grade } of answers) addGrade(scored, field, grade);
  return scored;
}

type GraderScores = Required<Omit<ScoredWithEvidence, "measures">>;

interface VerdictDetails {
  answers: readonly AnsweredGrader[];
  threshold: number | null;
}

function addVerdict(
  { scores, evidence, unscored }: GraderScores,
  { passed, score }: TrialVerdict,
  said: VerdictDetails,
): void {
  const silent = said.answers.filter(({ grade }) => grade.status === "error").map(({ field }) => field);
  if (passed === null) unscored[VERDICT] = `it depends on graders that could not decide: ${silent.join(", ")}`;
  else {
    scores[VERDICT] = passed ? 1 : 0;
    evidence[VERDICT] = describeTrialVerdict(passed, score, said);
  }
  if (score === null) unscored[WEIGHTED_SCORE] = `no grader with a weight could decide: ${silent.join(", ")}`;
  else scores[WEIGHTED_SCORE] = score;
}

function describeTrialVerdict(passed: boolean, score: number | null, { answers, threshold }: VerdictDetails): string {
  const failed = answers.filter(({ grade }) => grade.status === "ok" && !grade.passed);
  const names = failed.map(({ field, required }) => `${field}${required ? " (required)" : ""}`);
  const reached = threshold === null ? "" : `: score ${Number((score ?? 0).toFixed(3))}, threshold ${threshold}`;
  const failures = names.length === 0 ? "" : `; failed graders: ${names.join(", ")}`;
  return `${passed ? "passed" : "not passed"}${reached}${failures}`;
}

function addGrade({ scores, evidence, unscored }: GraderScores, field: string, grade: Grade): void {
  if (grade.status === "error") unscored[field] = grade.evidence;
  else {
    scores[field] = grade.score;
    evidence[field] = grade.evidence;
  }
}
