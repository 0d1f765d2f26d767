import type { Example, Output } from "../../core/index.js";
import { getResponseText } from "../../evaluators/index.js";
import { askJudge, type JudgeSession } from "./judge-client.js";
import {
  type AnswerForm,
  createCriteriaForm,
  createScoreForm,
  type JudgeVerdict,
  type JudgeVote,
} from "./judgement.js";
import type { Material } from "./material.js";
import { buildTaskMaterial, listReferences } from "./material.js";
import { buildCaseMessage, buildScoreInstructions } from "./prompt.js";

import type { JudgeSettings } from "./settings.js";

/** An output, and the example it answers. */
export interface JudgedCase {
  readonly original: Example;
  readonly processed: Output;
}

export interface JudgePrompt {
  readonly system: string;
  readonly message: string;
}

/** How a judge votes: by scoring one answer, or by comparing two. */
export interface JudgingMode {
  /** Why the output cannot be judged, or null. */
  obstacle(trialled: JudgedCase): string | null;
  /** The prompts for one output, one per call. */
  prompts(trialled: JudgedCase): readonly JudgePrompt[];
  vote(trialled: JudgedCase, asked: JudgeSession): Promise<Omit<JudgeVote, "judge">>;
}

/** Scores one answer at a time. */
export class ScoringMode implements JudgingMode {
  readonly #form: AnswerForm<JudgeVerdict>;
  readonly #system: string;
  readonly #reference: boolean | undefined;

  constructor({ rules, scale, reference }: JudgeSettings) {
    const criteria = rules.criteria.map(([name]) => name);
    this.#form = criteria.length === 0 ? createScoreForm(scale) : createCriteriaForm(criteria, scale);
    this.#system = buildScoreInstructions(rules, scale, this.#form);
    this.#reference = reference;
  }

  obstacle(trialled: JudgedCase): string | null {
    return findMissingResponse(trialled.processed) ?? findMissingReference(trialled.original, this.#reference);
  }

  prompts({ original, processed }: JudgedCase): readonly [JudgePrompt] {
    const shown = {
      task: buildTaskMaterial(original, processed),
      references: selectReferences(original, this.#reference),
      answers: [{ tag: "answer", text: getResponseText(processed) }],
    };
    return [{ system: this.#system, message: buildCaseMessage(shown, this.#form) }];
  }

  async vote(trialled: JudgedCase, asked: JudgeSession): Promise<Omit<JudgeVote, "judge">> {
    const [prompt] = this.prompts(trialled);
    const heard = await askJudge(asked, { form: this.#form, ...prompt });
    return "said" in heard ? { verdict: heard.said } : { verdict: null, failure: heard.problem };
  }
}

/** A compressor outputs a context and no response, which differs from an empty response. */
export function findMissingResponse({ response, context }: Output): string | null {
  const isContextOnly = response === undefined && typeof context === "string";
  return isContextOnly ? "the output has a context and no response" : null;
}

export function findMissingReference(example: Example, reference: boolean | undefined): string | null {
  const isMissing = reference === true && listReferences(example).length === 0;
  return isMissing ? "the example has no gold answer (answer, answers) to show to the judge" : null;
}

export function selectReferences(example: Example, reference: boolean | undefined): Material[] {
  return reference === false ? [] : listReferences(example);
}
