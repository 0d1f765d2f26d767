import type { Evaluator, Example, Output, Scored, Scores } from "../core/index.js";
import { convertToText, describeMissingGold, forEachGold, markUnscored } from "./gold.js";
import { type NormalizeDetail, normalizeAnswer, normalizeAnswerAsync } from "./normalize.js";

const FIELDS = ["f1", "exact_match", "recall", "contains"] as const;
const CONTEXT_FIELDS = ["recall", "contains"] as const;
/** Longer texts are normalized in chunks that yield to other work. */
const LONG_TEXT_CHARS = 1 << 20;
const DETAILS: readonly NormalizeDetail[] = ["words", "articles", "all"];

/** Options of `AnswerQuality`. */
export interface AnswerQualityOptions {
  /** More responses that count as declining to answer, besides "unanswerable", "I don't know" and similar. */
  abstentions?: readonly string[];
  /**
   * Whether an empty response (or only an article) counts as declining to answer. Default: true. Set it to false where a
   * broken system could return nothing and so pass every unanswerable example.
   */
  acceptsSilence?: boolean;
}

/**
 * Compares the response with the gold answers as the SQuAD v1.1 script does; each field takes its best gold.
 * An output with a context and no response, as a compressor returns, gets `recall` and `contains` against that context.
 * @example
 * new AnswerQuality().score({ id: 1, question: "Who?", answer: "Ada Lovelace" }, { response: "It was Ada Lovelace." });
 * // { f1: 0.666…, exact_match: 0, recall: 1, contains: 1 }
 */
export class AnswerQuality implements Evaluator {
  readonly name = "answer_quality";
  readonly fields: readonly string[] = FIELDS;
  readonly primaryFields: readonly string[] = ["f1", "contains"];
  readonly #abstentions: ReadonlySet<string>;
  readonly #acceptsSilence: boolean;

  constructor(options: AnswerQualityOptions = {}) {
    this.#abstentions = new Set((options.abstentions ?? []).map((phrase) => normalizeAnswer(phrase)));
    this.#acceptsSilence = options.acceptsSilence ?? true;
  }

  score(original: Example, processed: Output): Scored | Promise<Scored> {
    const { response, context } = processed;
    const isContext = response === undefined && typeof context === "string";
    const text = isContext ? context : convertToText(response);
    if (text.length > LONG_TEXT_CHARS) return this.#scoreLongText(original, text, isContext);
    return isContext
      ? scoreContext(original, text, new BestScores())
      : this.#scoreResponse(original, text, new BestScores());
  }

  async #scoreLongText(original: Example, text: string, isContext: boolean): Promise<Scored> {
    const best = await BestScores.prepare(text);
    return isContext ? scoreContext(original, text, best) : this.#scoreResponse(original, text, best);
  }

  #scoreResponse(original: Example, text: string, scores: BestScores): Scored {
    if (isUnanswerable(original) && this.#isAbstention(text)) return fillScores(1);
    forEachGold(original, (gold) => {
      if (gold === text) scores.markPerfect();
      else scores.add(gold, text);
    });
    if (scores.golds > 0) return scores.toScores();
    return isUnanswerable(original) ? fillScores(0) : markUnscored(FIELDS, explainNoGold(original));
  }

  fingerprint(): unknown {
    const abstentions = [...this.#abstentions].sort();
    return { evaluator: this.name, version: 2, abstentions, ...(!this.#acceptsSilence && { acceptsSilence: false }) };
  }

  #isAbstention(text: string): boolean {
    if (!this.#acceptsSilence && normalizeAnswer(text) === "") return false;
    return isAbstention(text, this.#abstentions);
  }
}

function explainNoGold(original: Example): string {
  return `${describeMissingGold(original)} and is not marked unanswerable`;
}

function scoreContext(original: Example, context: string, scores: BestScores): Scored {
  forEachGold(original, (gold) => scores.add(gold, context));
  if (scores.golds > 0) return { recall: scores.recall, contains: scores.contains };
  return markUnscored(
    CONTEXT_FIELDS,
    isUnanswerable(original)
      ? "the example is unanswerable, so its context has no answer to find"
      : explainNoGold(original),
  );
}

/** The best value of each field over the gold answers so far. */
class BestScores {
  f1 = 0;
  exact = 0;
  recall = 0;
  contains = 0;
  golds = 0;
  /** The normalized text, which is the same for every gold. */
  readonly #normal: Partial<Record<NormalizeDetail, string>> = {};

  /** For texts that take long to normalize. */
  static async prepare(text: string): Promise<BestScores> {
    const best = new BestScores();
    best.#normal.words = await normalizeAnswerAsync(text, "words");
    return best;
  }

  markPerfect(): void {
    this.golds += 1;
    this.f1 = this.exact = this.recall = this.contains = 1;
  }

  add(gold: string, text: string): void {
    this.golds += 1;
    // Use the first detail that leaves something of the gold: SQuAD's own except for answers such as "A" or "+".
    let detail: NormalizeDetail = "words";
    let wanted = "";
    for (detail of DETAILS) {
      wanted = normalizeAnswer(gold, detail);
      if (wanted !== "") break;
    }
    this.#normal[detail] ??= normalizeAnswer(text, detail);
    const found = this.#normal[detail] ?? "";
    if (found === wanted) {
      this.f1 = this.exact = this.recall = this.contains = 1;
    } else if (found !== "") {
      this.#updateOverlap(wanted, found);
    }
  }

  #updateOverlap(wanted: string, found: string): void {
    if (` ${found} `.includes(` ${wanted} `)) this.contains = 1;
    const gold = wanted.split(" ");
    const { shared, total } = countSharedWords(gold, found);
    if (shared === 0) return;
    const precision = shared / total;
    const recall = shared / gold.length;
    this.recall = Math.max(this.recall, recall);
    this.f1 = Math.max(this.f1, (2 * precision * recall) / (precision + recall));
  }

  toScores(): Scores {
    return { f1: this.f1, exact_match: this.exact, recall: this.recall, contains: this.contains };
  }
}

/** Counts each gold word once. */
function countSharedWords(gold: readonly string[], text: string): { shared: number; total: number } {
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  let total = 0;
  // Word by word instead of split(): a context of a megabyte would become an array of a hundred thousand strings.
  for (let start = 0; start <= text.length; total++) {
    const space = text.indexOf(" ", start);
    const end = space === -1 ? text.length : space;
    const word = text.slice(start, end);
    const count = left.get(word);
    if (count !== undefined && count > 0) {
      left.set(word, count - 1);
      shared += 1;
    }
    start = end + 1;
  }
  return { shared, total };
}

function isUnanswerable(example: Example): boolean {
  if (isTrueFlag(example.unanswerable) || isTrueFlag(example.is_impossible)) return true;
  return isFalseFlag(example.answerable);
}

/** Untyped files such as CSV write flags as text. */
function isTrueFlag(value: unknown): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}

function isFalseFlag(value: unknown): boolean {
  return value === false || (typeof value === "string" && value.toLowerCase() === "false");
}

function fillScores(value: number): Scores {
  return { f1: value, exact_match: value, recall: value, contains: value };
}

/** Longer texts are answers, whatever they begin with. */
const MAX_ABSTENTION_CHARS = 300;

// The patterns match normalized text: lower case, no punctuation ("dont", "na"), no articles.
const IT = "(?:(?:(?:my |final |correct )?answer|(?:this )?question|this|that|it)(?: to (?:this )?question)? )?";
const CANNOT = "(?:cannot|can not|cant|could not|couldnt)";
const THIS = "(?: (?:this|that|it|question|answer))*";
const PHRASES = [
  `${IT}(?:is )?(?:(?:un|non|not )answerable|unknown|not known|not (?:given|stated|mentioned|specified|provided|available))`,
  "(?:there is )?(?:no answer|(?:no|not enough|insufficient) (?:information|evidence|context))(?: (?:available|provided|given|found|possible))?",
  `(?:i|we) (?:do not|dont) (?:know|have enough information)${THIS}`,
  `(?:i|we) (?:${CANNOT}|(?:am|are) (?:unable|not able) to) (?:answer|determine|tell|say|find)${THIS}`,
  `${IT}${CANNOT} be (?:answered|determined|known|found|inferred|established)`,
  "(?:i am |im )?not sure|none|na|null",
];
const APOLOGY = "(?:(?:(?:i am |im )?sorry|unfortunately) (?:but )?)?";
const REASON = "(?: (?:from|in|by|based|given|with|within|using|because|since|according|to) (?!.*\\bbut\\b).*)?";
const ABSTENTION = new RegExp(`^${APOLOGY}(?:${PHRASES.join("|")})${REASON}$`);

/**
 * Whether a response declines to answer: it is empty, or only says "unanswerable", "I don't know" or similar.
 * A guess after the phrase ("I don't know, perhaps Paris") is an answer.
 * @example
 * isAbstention("The question cannot be answered from the context."); // true
 */
export function isAbstention(response: string, phrases: ReadonlySet<string> = new Set()): boolean {
  if (response.length > MAX_ABSTENTION_CHARS) return false;
  const normal = normalizeAnswer(response.replaceAll("’", "'"));
  return normal === "" || phrases.has(normal) || ABSTENTION.test(normal);
}
