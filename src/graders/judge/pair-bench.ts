import type { Example } from "../../core/example.js";
import { goldsOf, responseOf, textOf } from "../../evaluators/gold.js";
import { type Bench, noReference, noResponse, type Prompt, shownReferences, type Trialled } from "./bench.js";
import type { Material } from "./fence.js";
import { type Heard, type Interviewed, interview } from "./interview.js";
import type { JudgeVote } from "./judgement.js";
import { taskOf } from "./material.js";
import { fieldsOf } from "./objects-in-text.js";
import { PAIR_FORM, type Preference } from "./pair-form.js";
import { caseMessage, pairInstructions } from "./prompt.js";
import { SCORE_FIELD } from "./score-form.js";
import type { Against, JudgeSettings } from "./settings.js";
import type { CannotJudge, Winner } from "./verdict.js";

type Vote = Omit<JudgeVote, "judge">;

/** Compares the response with another answer, in both orders: judges favour places, most often the first. */
export class PairBench implements Bench {
  readonly #against: Against | null;
  readonly #reference: boolean | undefined;
  readonly #system: string;

  constructor({ rules, reference }: JudgeSettings, against: Against | null) {
    this.#against = against;
    this.#reference = reference;
    this.#system = pairInstructions(rules, PAIR_FORM);
  }

  obstacle({ original, processed }: Trialled): string | null {
    const isMissing = otherOf(original, this.#against) === null;
    const missing = isMissing ? `the example has no ${fieldNamed(this.#against)} to compare the response with` : null;
    return noResponse(processed) ?? missing ?? noReference(original, this.#reference);
  }

  prompts(trialled: Trialled): readonly [Prompt, Prompt] {
    const [own, other] = [responseOf(trialled.processed), otherOf(trialled.original, this.#against) ?? ""];
    return [this.#prompt(trialled, [own, other]), this.#prompt(trialled, [other, own])];
  }

  async vote(trialled: Trialled, asked: Interviewed): Promise<Vote> {
    if (responseOf(trialled.processed) === otherOf(trialled.original, this.#against)) return SAME;
    const [one, two] = this.prompts(trialled);
    const [first, second] = await both(
      interview(asked, { form: PAIR_FORM, ...one }),
      interview(asked, { form: PAIR_FORM, ...two }),
    );
    return combine(first, swapped(second));
  }

  #prompt({ original, processed }: Trialled, [a, b]: readonly [string, string]): Prompt {
    const golds = shownReferences(original, this.#reference);
    const answers: Material[] = [
      { tag: "answer-a", text: a },
      { tag: "answer-b", text: b },
    ];
    // An answer that is called good beforehand would win.
    const references = golds.filter(({ text }) => text !== a && text !== b);
    const message = caseMessage({ task: taskOf(original, processed), references, answers }, PAIR_FORM);
    return { system: this.#system, message };
  }
}

/** Waits for both even when one fails: a call that is still under way would be billed after the row is done. */
async function both<T>(first: Promise<T>, second: Promise<T>): Promise<readonly [T, T]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** Nobody needs to be asked which of two equal texts is better. */
const SAME: Vote = {
  verdict: { [SCORE_FIELD]: { score: 0.5, value: "tie", reason: "both answers are the same text" } },
};

function otherOf(example: Example, against: Against | null): string | null {
  if (typeof against === "function") return asText(against(example));
  if (against !== null) return asText(example[against]);
  return asText(example.baseline) ?? goldsOf(example)[0] ?? null;
}

/** A baseline may be an output as it was recorded. */
function asText(value: unknown): string | null {
  const fields = fieldsOf(value);
  if (fields !== null && "response" in fields) return textOf(fields.response);
  return value === undefined || value === null || typeof value === "object" ? null : textOf(value);
}

function fieldNamed(against: Against | null): string {
  return typeof against === "string" ? `field "${against}"` : "baseline and no gold answer";
}

type Compared = Heard<Preference | CannotJudge>;

/** The second comparison as if the response had been shown first. */
function swapped(compared: Compared): Compared {
  if (!("said" in compared) || "cannot" in compared.said) return compared;
  const { winner, reason } = compared.said;
  return { said: { winner: winner === "tie" ? winner : winner === "A" ? "B" : "A", reason } };
}

const POINTS: Readonly<Record<Winner, number>> = { A: 1, tie: 0.5, B: 0 };

/** The mean of both orders. Judged in one order only, an answer would have no score that can be compared. */
function combine(first: Compared, second: Compared): Vote {
  const failure = failureOf(first) ?? failureOf(second);
  if (failure !== null) return { verdict: null, failure };
  const [one, two] = [preferenceIn(first), preferenceIn(second)];
  if (one === null || two === null) return { verdict: null, failure: reasonIn(one === null ? first : second) };
  const score = (POINTS[one.winner] + POINTS[two.winner]) / 2;
  const orders = [one.winner, two.winner] as const;
  return { verdict: { [SCORE_FIELD]: { score, value: wordsFor(orders), reason: one.reason } }, orders };
}

function failureOf(compared: Compared): string | null {
  return "problem" in compared ? compared.problem : null;
}

function preferenceIn(compared: Compared): Preference | null {
  return "said" in compared && "winner" in compared.said ? compared.said : null;
}

function reasonIn(compared: Compared): string {
  return "said" in compared && "cannot" in compared.said ? compared.said.cannot : "";
}

const WORDS: Readonly<Record<Winner, string>> = { A: "better", B: "worse", tie: "a tie" };

function wordsFor([first, second]: readonly [Winner, Winner]): string {
  if (first === second) return first === "tie" ? "tie in both orders" : `${WORDS[first]} in both orders`;
  const isContradiction = first !== "tie" && second !== "tie";
  const each = `${WORDS[first]} when shown first, ${WORDS[second]} when shown second`;
  return isContradiction ? `tie, because the two orders contradict each other: ${each}` : each;
}
