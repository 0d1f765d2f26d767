import { matcher } from "./matcher.js";
import type { Prompt } from "./prompt.js";
import type { MockBehaviour, ToolRule, ToolStep } from "./script.js";

interface Plan {
  readonly steps: readonly ToolStep[];
  readonly fits: (prompt: Prompt) => boolean;
}

/** Finds the step of a script that a request is to be answered with. */
export class ToolPlans {
  readonly #plans: readonly Plan[];

  constructor({ tools = [] }: Pick<MockBehaviour, "tools">) {
    const isRule = (one: ToolStep | ToolRule): one is ToolRule => "steps" in one;
    const all: readonly (ToolStep | ToolRule)[] = tools;
    const steps = all.filter((one): one is ToolStep => !isRule(one));
    this.#plans = steps.length > 0 ? [{ steps, fits: () => true }] : all.filter(isRule).map(planOf);
  }

  /** Undefined when all steps are done, no rule fits, or no tool is on offer: for a title or a summary no tool is called. */
  stepFor(prompt: Prompt): ToolStep | undefined {
    if (prompt.tools.length === 0) return undefined;
    return this.#plans.find(({ fits }) => fits(prompt))?.steps[prompt.toolResults];
  }
}

/** Any text of the user may be the task: agents put texts of their own before and after it. */
function planOf({ match, steps, model }: ToolRule): Plan {
  const matches = matcher(match);
  return {
    steps,
    fits: (prompt) => (model ?? prompt.model) === prompt.model && prompt.userTexts.some(matches),
  };
}
