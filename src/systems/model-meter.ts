import type { TrialBudget, Usage } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { promptOf } from "../core/usage.js";
import type { Delta } from "../models/dialects/index.js";

/** Counting every few letters would cost more than it tells. */
const COUNT_EVERY = 64;

/** What a budget has been told of one call, when it has been told nothing. */
const NOTHING: Usage = Object.freeze({ input: 0, output: 0 });

/** Keeps the budget of a trial up to date while answers stream in: with what the provider says, and until then with an estimate. */
export class ModelMeter {
  readonly #budget: TrialBudget | null;
  readonly #tokenizer: () => Tokenizer;
  /** Tokens of earlier calls that the provider never spoke of. */
  #unreportedOutput = 0;
  #unreportedInput = 0;
  #prompt: () => string = () => "";
  /** Tokens of this call's prompt, once they are needed. */
  #promptTokens: number | null = null;
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

  /** Starts a call with this prompt, which is counted when nothing better is known. */
  beginCall(prompt: () => string): void {
    this.#prompt = prompt;
    this.#promptTokens = null;
  }

  /** Takes in text of an answer. */
  addText({ text, hidden }: Delta): void {
    if (this.#budget === null) return;
    this.#uncounted += text + hidden;
    if (this.#uncounted.length < COUNT_EVERY) return;
    this.#count();
    this.#estimate(
      this.#unreportedOutput + this.#beyondReported(),
      this.#unreportedInput + this.#promptBeyondReported(),
    );
  }

  /** Takes in what the provider says this call has used so far. */
  addUsage(usage: Usage | null): void {
    if (this.#budget === null || usage === null || usage === this.#added) return;
    this.#budget.add(difference(usage, this.#added), promptOf(usage));
    this.#added = usage;
    this.#estimate(this.#unreportedOutput, this.#unreportedInput);
  }

  /** Ends a call. What was streamed and never reported stays an estimate. */
  endCall(isReported: boolean): void {
    if (this.#budget !== null && !isReported) {
      this.#count();
      // A call that was refused has cost nothing; one that has begun to answer has read its prompt.
      if (this.#streamed > 0) this.#unreportedInput += this.#promptBeyondReported();
      this.#unreportedOutput += this.#beyondReported();
      this.#estimate(this.#unreportedOutput, this.#unreportedInput);
    }
    this.#added = NOTHING;
    this.#uncounted = "";
    this.#streamed = 0;
  }

  #estimate(output: number, input: number): void {
    if (output + input > 0) this.#budget?.estimate(output, input);
  }

  #count(): void {
    if (this.#uncounted !== "") this.#streamed += this.#tokenizer().count(this.#uncounted);
    this.#uncounted = "";
  }

  #beyondReported(): number {
    return Math.max(0, this.#streamed - this.#added.output);
  }

  #promptBeyondReported(): number {
    if (promptOf(this.#added) > 0) return 0;
    this.#promptTokens ??= this.#tokenizer().count(this.#prompt());
    return this.#promptTokens;
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
