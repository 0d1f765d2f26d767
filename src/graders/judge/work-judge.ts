import { messageOf } from "../../core/errors.js";
import type { ScoreContext } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Graded, Verdict } from "../../core/grader.js";
import type { Output } from "../../core/system.js";
import { usualParts, workText } from "../work-text.js";
import type { EstimateOptions, JudgingCost } from "./estimate.js";
import type { GraderSettings } from "./grader-config.js";
import { workCost } from "./grader-estimate.js";
import { type ShownPart, workInstructions, workMessage } from "./grader-prompt.js";
import { verdictFrom } from "./grader-verdict.js";
import { type Interviewed, interview, type Question } from "./interview.js";
import type { JudgeModelSource } from "./judge-model.js";
import { type JudgeVote, weigh } from "./judgement.js";
import { referencesOf, taskOf } from "./material.js";
import type { ModelPool, PooledModel } from "./model-pool.js";
import { criteriaForm, scoreForm } from "./score-form.js";
import type { Form, Verdict as JudgeVerdict } from "./verdict.js";

/** Has models judge the work of trials, as one grader is set. */
export class WorkJudge {
  readonly #settings: GraderSettings;
  readonly #models: readonly PooledModel[];
  readonly #form: Form<JudgeVerdict>;
  readonly #system: string;
  #sources: readonly JudgeModelSource[] | null = null;

  constructor(settings: GraderSettings, pool: ModelPool) {
    const { rules, scale, models } = settings;
    const criteria = rules.criteria.map(([name]) => name);
    this.#settings = settings;
    this.#models = models.map((name) => pool.of(name));
    this.#form = criteria.length === 0 ? scoreForm(scale) : criteriaForm(criteria, scale);
    this.#system = workInstructions(rules, scale, this.#form);
  }

  /** Throws when too few judges could be reached. */
  async grade(graded: Graded): Promise<Verdict> {
    const work = await this.#shown(graded);
    const question = { form: this.#form, system: this.#system, message: this.#message(graded, work) };
    const asked = await this.#asked(contextOf(graded));
    const votes = await Promise.all(asked.map((one) => voteOf(one, question)));
    const { rules, panel } = this.#settings;
    const criteria = rules.criteria.map(([name]) => name);
    return verdictFrom(weigh(votes, { criteria, panel }), this.#settings);
  }

  #asked(context: ScoreContext): Promise<Interviewed[]> {
    return Promise.all(
      this.#models.map(async (model) => ({ open: await model.open(this), desk: model.desk, context })),
    );
  }

  /** Makes the models, which fails when the key of one is missing. */
  async prepare(): Promise<void> {
    await Promise.all(this.#models.map((model) => model.open(this)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#models.map((model) => model.release(this)));
  }

  /** Finds the models, so that their prices are known; no key is needed. */
  async findPrice(): Promise<void> {
    this.#sources = await Promise.all(this.#models.map((model) => model.source()));
  }

  /** What one trial costs to judge; nobody knows before `findPrice`. */
  estimate(example: Example, options: EstimateOptions): JudgingCost {
    if (this.#sources === null) return { low: null, high: null };
    const { evidence } = this.#settings;
    const prompt = (work: readonly ShownPart[], output: Output) => ({
      system: this.#system,
      message: this.#message({ example, output }, work),
    });
    return workCost(example, { sources: this.#sources, evidence, prompt }, options);
  }

  #message({ example, output }: Pick<Graded, "example" | "output">, work: readonly ShownPart[]): string {
    return workMessage({ task: taskOf(example, output), references: referencesOf(example), work }, this.#form);
  }

  /** What was not asked for by name is shown where it is there. */
  async #shown(graded: Graded): Promise<ShownPart[]> {
    const shown: ShownPart[] = [];
    for (const part of this.#settings.evidence ?? usualParts(graded.output))
      shown.push({ part, text: await workText(part, graded) });
    return shown;
  }
}

function contextOf({ signal, meter }: Graded): ScoreContext {
  return { signal, ...(meter === undefined ? {} : { meter }) };
}

/** A judge whose endpoint fails costs the panel its vote; an abort ends them all. */
async function voteOf(asked: Interviewed, question: Question<JudgeVerdict>): Promise<JudgeVote> {
  const judge = asked.open.model.name;
  try {
    const heard = await interview(asked, question);
    return "said" in heard ? { judge, verdict: heard.said } : { judge, verdict: null, failure: heard.problem };
  } catch (error) {
    asked.context.signal.throwIfAborted();
    return { judge, verdict: null, failure: messageOf(error), isError: true };
  }
}
