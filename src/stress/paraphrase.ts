import { computeCost, toDollars } from "../budget/index.js";
import { DEFAULT_RETRY, type Example, getRetry, type Output, UsageError } from "../core/index.js";
import type { ModelSystem } from "../systems/index.js";
import { type RetryState, retry } from "../utils/index.js";
import { getTaskText } from "./perturb.js";

/** Raise it with every change of the instruction: paraphrases of another version are rejected. */
export const PARAPHRASE_VERSION = 1;

const INSTRUCTION = `You reword tasks. You are given a task between <task> and </task>. Write the same task in other words.

Rules:
- Whoever does the task must come to exactly the same result.
- Keep all names, numbers, quotations, code, file names, lists of choices with their letters, and demands on the form of the answer exactly as they are.
- Add nothing, leave nothing out, and do not do the task.
- Write only the reworded task.`;

type ParaphraseModel = Pick<ModelSystem, "name" | "ask" | "limits">;

/** Writes paraphrases with a model. */
export class Paraphraser {
  readonly #system: ParaphraseModel;
  #costUsd: number | null = 0;

  constructor(system: ParaphraseModel) {
    this.#system = system;
  }

  get model(): string {
    return this.#system.name;
  }

  /** What the paraphrases have cost so far; null if the price is unknown. */
  get costUsd(): number | null {
    return this.#costUsd;
  }

  /** The task in other words. An empty answer is an error: it would be another task. */
  async paraphrase(example: Example, signal: AbortSignal = new AbortController().signal): Promise<string> {
    const task = getTaskText(example) ?? "";
    const question = `<task>\n${task}\n</task>`;
    const asked = { system: INSTRUCTION, messages: [{ role: "user", parts: [question] }] } as const;
    const output = await retry(() => this.#system.ask(asked, signal), { signal, waitAfter: chooseWait });
    const price = this.#system.limits?.price ?? null;
    const paid =
      output.costUsd ??
      (price === null || output.usage === undefined ? null : toDollars(computeCost(price, output.usage)));
    this.#costUsd = paid === null || this.#costUsd === null ? null : this.#costUsd + paid;
    const text = cleanParaphrase(output);
    if (text === "")
      throw new UsageError(
        `${this.#system.name} wrote no paraphrase of example "${example.id}". Use another --perturb-model.`,
      );
    return text;
  }
}

function chooseWait(error: unknown, { failed, waitedMs }: RetryState): number | null {
  const asked = getRetry(error);
  if (asked === null || failed > DEFAULT_RETRY.maxRetries) return null;
  const ms = asked.afterMs ?? 500 * 2 ** failed;
  return waitedMs + ms > DEFAULT_RETRY.maxWaitMs ? null : ms;
}

function cleanParaphrase({ response = "" }: Output): string {
  return response
    .trim()
    .replace(/^<task>\s*|\s*<\/task>$/g, "")
    .trim();
}
