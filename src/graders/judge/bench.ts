import type { Example } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { responseOf } from "../../evaluators/gold.js";
import type { Material } from "./fence.js";
import { type Interviewed, interview } from "./interview.js";
import { criteriaForm, type Form, type JudgeVote, scoreForm, type Verdict } from "./judgement.js";
import { referencesOf, taskOf } from "./material.js";
import { caseMessage, scoreInstructions } from "./prompt.js";

import type { JudgeSettings } from "./settings.js";

/** An output, and the example it answers. */
export interface Trialled {
  readonly original: Example;
  readonly processed: Output;
}

export interface Prompt {
  readonly system: string;
  readonly message: string;
}

/** How a judge votes: by scoring one answer, or by comparing two. */
export interface Bench {
  /** Why the output cannot be judged, or null. */
  obstacle(trialled: Trialled): string | null;
  /** The prompts for one output, one per call. */
  prompts(trialled: Trialled): readonly Prompt[];
  vote(trialled: Trialled, asked: Interviewed): Promise<Omit<JudgeVote, "judge">>;
}

/** Scores one answer at a time. */
export class ScoreBench implements Bench {
  readonly #form: Form<Verdict>;
  readonly #system: string;
  readonly #reference: boolean | undefined;

  constructor({ rules, scale, reference }: JudgeSettings) {
    const criteria = rules.criteria.map(([name]) => name);
    this.#form = criteria.length === 0 ? scoreForm(scale) : criteriaForm(criteria, scale);
    this.#system = scoreInstructions(rules, scale, this.#form);
    this.#reference = reference;
  }

  obstacle(trialled: Trialled): string | null {
    return noResponse(trialled.processed) ?? noReference(trialled.original, this.#reference);
  }

  prompts({ original, processed }: Trialled): readonly [Prompt] {
    const shown = {
      task: taskOf(original, processed),
      references: shownReferences(original, this.#reference),
      answers: [{ tag: "answer", text: responseOf(processed) }],
    };
    return [{ system: this.#system, message: caseMessage(shown, this.#form) }];
  }

  async vote(trialled: Trialled, asked: Interviewed): Promise<Omit<JudgeVote, "judge">> {
    const [prompt] = this.prompts(trialled);
    const heard = await interview(asked, { form: this.#form, ...prompt });
    return "said" in heard ? { verdict: heard.said } : { verdict: null, failure: heard.problem };
  }
}

/** A compressor outputs a context and no response, which differs from an empty response. */
export function noResponse({ response, context }: Output): string | null {
  const isContextOnly = response === undefined && typeof context === "string";
  return isContextOnly ? "the output has a context and no response" : null;
}

export function noReference(example: Example, reference: boolean | undefined): string | null {
  const isMissing = reference === true && referencesOf(example).length === 0;
  return isMissing ? "the example has no gold answer (answer, answers) to show to the judge" : null;
}

export function shownReferences(example: Example, reference: boolean | undefined): Material[] {
  return reference === false ? [] : referencesOf(example);
}
