import type { TrialBudget, Usage } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import type { Delta } from "../dialects/index.js";

/** Counting every few letters would cost more than it tells. */
const COUNT_EVERY = 64;

/** What a budget has been told of one call, when it has been told nothing. */
const NOTHING: Usage = Object.freeze({ input: 0, output: 0 });

/** Keeps the budget of a trial up to date while answers stream in: with what the provider says, and until then with an estimate. */
export class ModelMeter {
  readonly #budget: TrialBudget | null;
  readonly #tokenizer: () => Tokenizer;
  /** Output tokens of earlier calls that the provider never spoke of. */
  #unreported = 0;
  #added = NOTHING;
  #streamed = 0;
  #uncounted = "";

  constructor(budget: TrialBudget | null, tokenizer: () => Tokenizer) {
    this.#budget = budget;
    this.#tokenizer = tokenizer;
  }

  get isExceeded(): boolean {
    return this.#budget?.bill.exceeded ?? false;
  }

  /** Output tokens counted in the text of this call; null when nobody asked for it. */
  get streamedTokens(): number | null {
    return this.#budget === null ? null : this.#streamed;
  }

  /** Takes in text of an answer. */
  addText({ text, hidden }: Delta): void {
    if (this.#budget === null) return;
    this.#uncounted += text + hidden;
    if (this.#uncounted.length < COUNT_EVERY) return;
    this.#count();
    this.#budget.estimate(this.#unreported + this.#beyondReported());
  }

  /** Takes in what the provider says this call has used so far. */
  addUsage(usage: Usage | null): void {
    if (this.#budget === null || usage === null || usage === this.#added) return;
    this.#budget.add(difference(usage, this.#added), promptOf(usage));
    this.#added = usage;
    if (this.#unreported > 0) this.#budget.estimate(this.#unreported);
  }

  /** Ends a call. What was streamed and never reported stays an estimate. */
  endCall(isReported: boolean): void {
    if (this.#budget !== null && !isReported) {
      this.#count();
      this.#unreported += this.#beyondReported();
      if (this.#unreported > 0) this.#budget.estimate(this.#unreported);
    }
    this.#added = NOTHING;
    this.#uncounted = "";
    this.#streamed = 0;
  }

  #count(): void {
    if (this.#uncounted !== "") this.#streamed += this.#tokenizer().count(this.#uncounted);
    this.#uncounted = "";
  }

  #beyondReported(): number {
    return Math.max(0, this.#streamed - this.#added.output);
  }
}

/** Never negative, because a reader's classes never decrease. */
function difference(usage: Usage, before: Usage): Usage {
  const cacheWrite = (usage.cacheWrite ?? 0) - (before.cacheWrite ?? 0);
  return {
    input: usage.input - before.input,
    output: usage.output - before.output,
    cacheRead: (usage.cacheRead ?? 0) - (before.cacheRead ?? 0),
    cacheWrite,
    // Told later than the whole it is a part of, it cannot be billed apart any more.
    cacheWrite1h: Math.min(cacheWrite, (usage.cacheWrite1h ?? 0) - (before.cacheWrite1h ?? 0)),
    reasoning: (usage.reasoning ?? 0) - (before.reasoning ?? 0),
  };
}

function promptOf({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite;
}
