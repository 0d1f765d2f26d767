import {
  type ComparedVariant,
  didYouMean,
  findClosestName,
  listComparedVariants,
  type Population,
  type QualityKey,
  type StoredBaseline,
  type UntilConfig,
  UsageError,
} from "../../core/index.js";
import type { SequentialQuestion } from "../../stats/index.js";

/** When a run stops before its last task: a question, or a question with details. */
export interface UntilOptions {
  /**
   * "decided": which system is better than the first. "best": which is best of all. "pass_rate>=0.9": does each system
   * reach it. "precision<=0.03": the interval of one system is this narrow. "none": run every task.
   */
  question: string;
  /** With "decided": the largest acceptable loss of quality. Each system is then tested for non-inferiority to the first. */
  margin?: number | undefined;
  /** Default: "pass_rate". */
  quality?: string | undefined;
  /** Default: "tasks": all tasks like these. "dataset": these tasks and nothing else. */
  population?: string | undefined;
  /** The chance that the verdict is right. Default: 0.95. */
  confidence?: number | undefined;
  /** Systems that count as one, in this order: the first is the baseline. Default: each system by itself. */
  variants?: readonly ComparedVariant[] | undefined;
  /**
   * The folder of a stored run, whose system is the first: the one that others are compared with. A task is compared by
   * the stored trials of that system, which are not run again.
   */
  against?: string | undefined;
  /** The system of that run. Default: its only one. */
  againstSystem?: string | undefined;
}

const QUALITIES: readonly QualityKey[] = ["pass_rate", "mean_score"];
const POPULATIONS: readonly Population[] = ["tasks", "dataset"];
const DEFAULT_CONFIDENCE = 0.95;
const QUESTIONS = ["decided", "best", "pass_rate>=0.9", "mean_score>=0.8", "precision<=0.03", "none"];
const BOUND = /^([\w^@]+)\s*(>=|<=|==|=|>|<|≥|≤)\s*(\S+)$/;

/** A condition such as pass_rate>=0.9. */
interface Bound {
  name: string;
  sign: string;
  limit: number;
}

/** Checks when a run of these systems may stop. Returns null for a run of every task. */
export function resolveUntil(
  options: UntilOptions,
  names: readonly string[],
  against?: StoredBaseline,
): UntilConfig | null {
  const { margin, variants, confidence = DEFAULT_CONFIDENCE } = options;
  const text = options.question.trim().toLowerCase();
  const population = requireOneOf("--population", options.population ?? "tasks", POPULATIONS);
  const quality = requireOneOf("--quality", options.quality ?? "pass_rate", QUALITIES);
  if (!(confidence > 0.5 && confidence < 1))
    throw new UsageError(
      `--confidence must be between 0.5 and 1, got ${confidence}. It is a share, such as 0.95, not a percentage.`,
    );
  if (margin !== undefined && !(margin > 0 && margin < 1))
    throw new UsageError(
      `--margin must be between 0 and 1, got ${margin}. It is a share, such as 0.02, not a percentage.`,
    );
  if (margin !== undefined && text !== "decided")
    throw new UsageError(`--margin is for --until decided, not for --until ${quoteQuestion(options.question)}.`);
  if (against !== undefined && text !== "decided")
    throw new UsageError(
      `--against compares with a stored run, so it is for --until decided, not for --until ${quoteQuestion(options.question)}.`,
    );
  if (text === "none") return null;
  const alpha = Number((1 - confidence).toPrecision(12));
  const compared = {
    ...(variants === undefined ? {} : { variants: checkVariants(variants, names) }),
    ...(against === undefined ? {} : { against }),
  };
  const systems = listComparedVariants(compared, names).map(({ name }) => name);
  requireUniqueNames(systems);
  const config = { population, alpha, order: "tasks", ...compared } as const;
  if (text === "decided") {
    requireSeveral(options.question, systems);
    return { question: "decided", quality, ...(margin === undefined ? {} : { margin }), ...config };
  }
  if (/^best\b/.test(text)) {
    checkRace(text, options.question, systems);
    return { question: "best", quality, ...config };
  }
  const bound = parseBound(text, options.question);
  if (bound.name === "precision") {
    checkPrecision(bound, systems);
    return { question: `precision<=${bound.limit}`, quality, ...config };
  }
  const named = checkThreshold(bound, options);
  return { question: `${named}${bound.sign}${bound.limit}`, quality: named, ...config };
}

/** The options of a stored question, to ask it again. */
export function recallUntil({ question, margin, quality, population, alpha, variants }: UntilConfig): UntilOptions {
  return { question, margin, quality, population, confidence: 1 - alpha, variants };
}

/** What the statistics are asked. A race has its own procedure. */
export function toSequentialQuestion({ question, margin }: UntilConfig): SequentialQuestion | "race" {
  if (question === "best") return "race";
  if (question === "decided")
    return margin === undefined ? { kind: "difference" } : { kind: "non-inferiority", margin };
  const { name, limit } = parseBound(question, question);
  return name === "precision" ? { kind: "precision", halfWidth: limit } : { kind: "mean", threshold: limit };
}

function requireOneOf<T extends string>(flag: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new UsageError(`${flag} must be ${known.join(" or ")}, got "${value}".${didYouMean(value, known)}`);
}

function checkVariants(variants: readonly ComparedVariant[], known: readonly string[]): readonly ComparedVariant[] {
  const named = variants.flatMap(({ systems }) => systems);
  const stranger = named.find((system) => !known.includes(system));
  if (stranger !== undefined)
    throw new UsageError(`A variant of until names the unknown system "${stranger}".${didYouMean(stranger, known)}`);
  const left = known.find((system) => !named.includes(system));
  if (left !== undefined) throw new UsageError(`The system "${left}" is in no variant of until. Add it to one.`);
  const twice = named.find((system, i) => named.indexOf(system) < i);
  if (twice !== undefined) throw new UsageError(`The system "${twice}" is in two variants of until. Keep one.`);
  return variants;
}

/** Verdicts name what they are about. */
function requireUniqueNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new UsageError(`Two of what until compares have the name "${twice}". Rename one.`);
}

function requireSeveral(question: string, { length }: readonly string[]): void {
  if (length > 1) return;
  throw new UsageError(
    `--until ${quoteQuestion(question)} compares systems, but the run has one. Add another, compare with a stored run (--against RUN), or ask about this one: --until "pass_rate>=0.9" or --until "precision<=0.03".`,
  );
}

function checkRace(text: string, question: string, systems: readonly string[]): void {
  const [, count] = /^best(?:\s+of\s+(\d+))?$/.exec(text) ?? ["", "unknown"];
  if (count === "unknown")
    throw new UsageError(
      `--until ${quoteQuestion(question)} is not a question. Write --until best, or --until "best of ${systems.length}".`,
    );
  requireSeveral(question, systems);
  if (count !== undefined && Number(count) !== systems.length)
    throw new UsageError(
      `--until ${quoteQuestion(question)} names ${count} systems, but the run has ${systems.length}: ${systems.join(", ")}. Write --until best, or correct the number.`,
    );
}

function parseBound(text: string, question: string): Bound {
  const [, name = "", sign = "", value = ""] = BOUND.exec(text) ?? [];
  if (name === "") {
    const [word = ""] = text.split(/[\s<>=]/);
    const bare = ["pass_rate", "mean_score", "precision"].includes(text);
    const guess = findClosestName(word, QUESTIONS);
    const meant = guess === undefined ? "" : ` Did you mean "${guess}"?`;
    const hint = bare ? ` Add a bound, such as ${QUESTIONS.find((one) => one.startsWith(text))}.` : meant;
    throw new UsageError(
      `Unknown question --until ${quoteQuestion(question)}. Ask one of: ${QUESTIONS.join(", ")}.${hint}`,
    );
  }
  const plain = sign === "≥" ? ">=" : sign === "≤" ? "<=" : sign;
  const limit = Number(value);
  if (Number.isNaN(limit) && value.endsWith("%"))
    throw new UsageError(
      `--until ${quoteQuestion(question)}: write the percentage as a share, such as ${name}${plain}${Number.parseFloat(value) / 100}.`,
    );
  if (Number.isNaN(limit)) throw new UsageError(`--until ${quoteQuestion(question)}: "${value}" is not a number.`);
  return { name, sign: plain, limit };
}

function checkPrecision({ sign, limit }: Bound, systems: readonly string[]): void {
  if (sign !== "<=") throw new UsageError(`--until precision needs <=, such as --until "precision<=${limit}".`);
  if (!(limit > 0 && limit < 0.5))
    throw new UsageError(
      `--until precision must be between 0 and 0.5, got ${limit}. It is the distance from the middle of the interval to its ends: 0.03 is ± 3 percentage points.`,
    );
  if (systems.length > 1)
    throw new UsageError(
      `--until precision is for one system, but the run has ${systems.length}. Compare them with --until decided, or run them one by one.`,
    );
}

function checkThreshold({ name, sign, limit }: Bound, { quality }: UntilOptions): QualityKey {
  const found = QUALITIES.find((one) => one === name);
  if (found === undefined) {
    const several = /^pass[_@^](?:at|hat|\d|k)/.test(name)
      ? ` ${name} is not a mean over tasks, so it cannot be decided task by task.`
      : "";
    throw new UsageError(
      `--until cannot decide "${name}": only ${QUALITIES.join(", ")} and precision.${several || didYouMean(name, [...QUALITIES, "precision"])}`,
    );
  }
  if (sign !== ">=" && sign !== "<")
    throw new UsageError(`--until ${name} needs >= or <, such as --until "${name}>=${limit}".`);
  if (!(limit > 0 && limit < 1))
    throw new UsageError(
      `The bound of --until ${name}${sign}${limit} must be between 0 and 1, without them. It is a share, such as 0.9, not a percentage.`,
    );
  if (quality !== undefined && quality !== found)
    throw new UsageError(`--until "${name}${sign}${limit}" is about ${name}. Remove --quality ${quality}.`);
  return found;
}

function quoteQuestion(question: string): string {
  return /^\w+$/.test(question) ? question : `"${question}"`;
}
