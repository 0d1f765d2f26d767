import {
  type AnytimeInterval,
  type ComparedVariant,
  type EvalRow,
  getScore,
  isScored,
  listComparedVariants,
  type QualityKey,
  type SequentialFinding,
  type UntilConfig,
  UsageError,
} from "../../core/index.js";
import { ConfidenceSequence, Race, SequentialTest } from "../../stats/index.js";
import { toSequentialQuestion } from "./question.js";

export interface SequentialJudgeOptions {
  until: UntilConfig;
  /** In the order of the run: without variants, the first is the one that others are compared with. */
  systems: readonly string[];
  /** Tasks, or groups of tasks, there are. */
  units: number;
  /** The score field of the run, to explain a field that has no scores. */
  scoreField?: string | undefined;
  /** The name that a task has in all datasets that share it. Default: that of its dataset and its id. */
  nameTask?: ((row: EvalRow) => string) | undefined;
}

/** The values of one variant in a task, or averaged over the tasks of a group. */
type SystemValues = Record<QualityKey, number>;

/**
 * Decides the question of a run from its tasks, shown one by one in their seeded order. It decides the same from the same
 * rows, so that the rule that stops a run and the report of the stored run agree.
 */
export class SequentialJudge {
  readonly #until: UntilConfig;
  readonly #options: SequentialJudgeOptions;
  readonly #variants: readonly ComparedVariant[];
  /** By system: the position of its variant. */
  readonly #variantOf: ReadonlyMap<string, number>;
  readonly #procedure: Procedure;
  readonly #values: { readonly [key in QualityKey]: number[] }[];
  readonly #decidedAfter: (number | null)[];
  /** Variants that need no further trials, and the tasks seen before. */
  readonly #dropped = new Map<number, number>();
  #seen = 0;
  #seenUnits = 0;
  #passedOver = 0;
  #isDecided = false;

  constructor(options: SequentialJudgeOptions) {
    this.#options = options;
    this.#until = options.until;
    this.#variants = listComparedVariants(options.until, options.systems);
    this.#variantOf = new Map(this.#variants.flatMap(({ systems }, i) => systems.map((system) => [system, i])));
    const names = this.#variants.map(({ name }) => name);
    this.#procedure = createProcedure(names, options);
    this.#values = names.map(() => ({ pass_rate: [], mean_score: [] }));
    this.#decidedAfter = this.#procedure.findings().map(() => null);
  }

  get variants(): readonly ComparedVariant[] {
    return this.#variants;
  }

  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Tasks and groups seen until it was decided. */
  get progress(): { seen: number; units: number; passedOver: number } {
    return { seen: this.#seen, units: this.#seenUnits, passedOver: this.#passedOver };
  }

  /**
   * Adds a task, or the tasks of a group, and returns the systems that need no further trials. After the decision, tasks
   * only narrow the intervals of each system.
   */
  look(rows: readonly EvalRow[]): { isDecided: boolean; dropped: readonly string[] } {
    const tasks = this.#readTasks(rows);
    this.#collectValues(tasks);
    if (!this.#isDecided) this.#judge(tasks);
    return {
      isDecided: this.#isDecided,
      dropped: [...this.#dropped.keys()].flatMap((i) => this.#variants[i]?.systems ?? []),
    };
  }

  /** Makes the final test. Call it once, when all tasks are seen and it is undecided. */
  finish(): void {
    if (this.#isDecided) return;
    this.#procedure.finish();
    this.#noteDecisions();
  }

  droppedAfter(variant: number): number | null {
    return this.#dropped.get(variant) ?? null;
  }

  listFindings(): SequentialFinding[] {
    return this.#procedure
      .findings()
      .map((finding, i) => ({ ...finding, decidedAfter: this.#decidedAfter[i] ?? null }));
  }

  get level(): number {
    return this.#procedure.level;
  }

  /** The interval of a variant by itself, which holds at any time. */
  computeInterval(variant: number, quality: QualityKey): AnytimeInterval {
    const { units } = this.#options;
    const sequence = new ConfidenceSequence({
      alpha: this.#until.alpha,
      horizon: units,
      ...(this.#until.population === "dataset" ? { populationSize: units } : {}),
    });
    for (const value of this.#values[variant]?.[quality] ?? []) sequence.add(value);
    return { ...sequence.interval, n: sequence.count };
  }

  #judge(tasks: readonly (readonly (SystemValues | null)[])[]): void {
    this.#seen += tasks.length;
    this.#seenUnits += 1;
    const { quality } = this.#until;
    const needed = this.#variants.flatMap((_, i) => (this.#dropped.has(i) ? [] : [i]));
    this.#passedOver += tasks.filter((task) => needed.some((i) => task[i] == null)).length;
    this.#procedure.add(
      tasks.map((task) => task.map((values, i) => (this.#dropped.has(i) ? null : (values?.[quality] ?? null)))),
    );
    this.#noteDecisions();
  }

  #noteDecisions(): void {
    const findings = this.#procedure.findings();
    findings.forEach(({ answer, system }, i) => {
      if (answer === null || this.#decidedAfter[i] !== null) return;
      this.#decidedAfter[i] = this.#seen;
      if (answer !== "best") this.#dropped.set(this.#findVariant(system), this.#seen);
    });
    this.#isDecided = this.#procedure.isDecided;
  }

  #findVariant(named: string): number {
    return this.#variants.findIndex(({ name }) => name === named);
  }

  #collectValues(tasks: readonly (readonly (SystemValues | null)[])[]): void {
    this.#values.forEach((values, i) => {
      const known = tasks.flatMap((task) => task[i] ?? []);
      if (known.length === 0 || (this.#dropped.has(i) && !this.#isDecided)) return;
      values.pass_rate.push(average(known.map(({ pass_rate }) => pass_rate)));
      values.mean_score.push(average(known.map(({ mean_score }) => mean_score)));
    });
  }

  /** By task and variant: the means over its scored trials; null if there are none. */
  #readTasks(rows: readonly EvalRow[]): (SystemValues | null)[][] {
    const { nameTask = nameTaskOfRow } = this.#options;
    const tasks = new Map<string, EvalRow[][]>();
    for (const row of rows) {
      const key = nameTask(row);
      const byVariant = tasks.get(key) ?? this.#variants.map(() => []);
      tasks.set(key, byVariant);
      byVariant[this.#variantOf.get(row.system) ?? -1]?.push(row);
    }
    return Array.from(tasks.values(), (byVariant) => byVariant.map((own) => this.#readValues(own)));
  }

  #readValues(rows: readonly EvalRow[]): SystemValues | null {
    const scores = rows.flatMap((row) => {
      this.#requireScores(row);
      const score = isScored(row) ? getScore(row, "score") : undefined;
      return score === undefined ? [] : [{ score, passed: row.passed === true ? 1 : 0 }];
    });
    if (scores.length === 0) return null;
    return {
      pass_rate: average(scores.map(({ passed }) => passed)),
      mean_score: average(scores.map(({ score }) => score)),
    };
  }

  /** Without bounds there is no guarantee. */
  #requireScores(row: EvalRow): void {
    const { scoreField = "score" } = this.#options;
    const measure = row.measures?.[scoreField];
    const score = isScored(row) ? getScore(row, "score") : undefined;
    const value = row.outcome === "unscored" && measure !== undefined ? measure : score;
    if (value === undefined || (value >= 0 && value <= 1)) return;
    throw new UsageError(
      `--until needs scores from 0 to 1, but "${row.primaryField ?? scoreField}" of example ${row.exampleId} is ${value}. Choose a score with --score-field, or run without --until.`,
    );
  }
}

/** The name of a task that no other dataset shares. */
export function nameTaskOfRow({ dataset, exampleId }: Pick<EvalRow, "dataset" | "exampleId">): string {
  return `${dataset}\u0000${exampleId}`;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

type Finding = Omit<SequentialFinding, "decidedAfter">;

/** A statistical procedure: a test of each system, or a race. */
interface Procedure {
  readonly level: number;
  readonly isDecided: boolean;
  /** By task and system. */
  add(tasks: readonly (readonly (number | null)[])[]): void;
  finish(): void;
  findings(): Finding[];
}

function createProcedure(names: readonly string[], options: SequentialJudgeOptions): Procedure {
  const question = toSequentialQuestion(options.until);
  const { units, until } = options;
  const shared = {
    alpha: until.alpha,
    horizon: units,
    ...(until.population === "dataset" ? { populationSize: units } : {}),
  };
  if (question === "race") return createRace(names, new Race({ arms: names.length, ...shared }));
  const isPaired = question.kind === "difference" || question.kind === "non-inferiority";
  const [baseline = "", ...others] = names;
  const systems = isPaired ? others : names;
  const test = new SequentialTest({ question, candidates: systems.length, ...shared });
  const readValue = (task: readonly (number | null)[], i: number): number | null => {
    if (!isPaired) return task[i] ?? null;
    const [from, to] = [task[0] ?? null, task[i + 1] ?? null];
    return from === null || to === null ? null : to - from;
  };
  const ofBaseline = new BaselineMeans(systems.length);
  return {
    get level() {
      return test.results[0]?.level ?? 1 - until.alpha;
    },
    get isDecided() {
      return test.isDecided;
    },
    add: (tasks) =>
      test.add(
        systems.map((_, i) => {
          const known = tasks.filter((task) => readValue(task, i) !== null);
          if (known.length === 0) return null;
          ofBaseline.add(i, average(known.map((task) => task[0] ?? 0)));
          return average(known.map((task) => readValue(task, i) ?? 0));
        }),
      ),
    finish: () => test.finish(),
    findings: () =>
      test.results.map(({ verdict, isFinal, count, mean, interval }, i) => ({
        system: systems[i] ?? "",
        baseline: isPaired ? baseline : null,
        answer: verdict,
        isFinal,
        n: count,
        value: count === 0 ? null : mean,
        baselineValue: isPaired ? ofBaseline.get(i) : null,
        low: interval.low,
        high: interval.high,
      })),
  };
}

/** For each candidate: the mean of the baseline in the tasks that both have. */
class BaselineMeans {
  readonly #sums: number[];
  readonly #counts: number[];

  constructor(candidates: number) {
    this.#sums = new Array<number>(candidates).fill(0);
    this.#counts = new Array<number>(candidates).fill(0);
  }

  add(candidate: number, value: number): void {
    this.#sums[candidate] = (this.#sums[candidate] ?? 0) + value;
    this.#counts[candidate] = (this.#counts[candidate] ?? 0) + 1;
  }

  get(candidate: number): number | null {
    const count = this.#counts[candidate] ?? 0;
    return count === 0 ? null : (this.#sums[candidate] ?? 0) / count;
  }
}

function createRace(systems: readonly string[], race: Race): Procedure {
  return {
    level: 1 - race.alpha,
    get isDecided() {
      return race.contenders.length <= 1;
    },
    /** Two arms are compared on the tasks that both have. */
    add: (tasks) => race.addGroup(tasks),
    finish: () => race.finish(),
    findings() {
      const isOver = race.contenders.length <= 1;
      return race.arms.map(({ droppedAt, isFinal, count, mean, interval }, i) => ({
        system: systems[i] ?? "",
        baseline: null,
        answer: droppedAt !== null ? "not best" : isOver ? "best" : null,
        isFinal,
        n: count,
        value: count === 0 ? null : mean,
        baselineValue: null,
        low: interval.low,
        high: interval.high,
      }));
    },
  };
}
