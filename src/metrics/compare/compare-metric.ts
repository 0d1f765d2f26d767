import type { EvalRow } from "../../core/row.js";
import { mcnemarExact, mean, pairedDifference, type Seed } from "../../stats/index.js";
import { alphaOf, type MetricComparison, type TestName } from "./comparison.js";
import { detectableBy } from "./detectable.js";
import type { Measure } from "./measures.js";
import type { Pair } from "./pair-rows.js";

export interface MetricOptions {
  level: number;
  seed: Seed;
}

/** The task means of both sides, for the tasks that have a value on both. */
interface Sample {
  a: number[];
  b: number[];
  /** The group of each task; null where each stands for itself. */
  groups: string[] | null;
  trialsA: number;
  trialsB: number;
  /** One trial each that was either 0 or 1. */
  isBinary: boolean;
}

/** Up to here every assignment of signs is counted. */
const COUNTED_UP_TO = 20;
/** As many are drawn above; of very many tasks fewer, but never under the second number. */
const PERMUTATIONS = 10_000;
const FEWEST_PERMUTATIONS = 1000;

/** One metric over the pairs that have it on both sides; `adjustTogether` has the last word on p and change. */
export function compareMetric(measure: Measure, pairs: readonly Pair[], options: MetricOptions): MetricComparison {
  const { metric, kind, better } = measure;
  const sample = sampleOf(measure, pairs);
  const { a, b, groups } = sample;
  const n = a.length;
  const paired = pairedDifference(b, a, {
    ...options,
    permutations: PERMUTATIONS,
    clusters: groups ?? undefined,
  });
  const { test, p } = testOf(sample, paired);
  const units = paired.clusters ?? n;
  const smallestP = leastP(units, test);
  const { se, low, high } = paired;
  const reason = n === 0 ? whyNone(measure, pairs) : whyOpen({ units, smallestP, groups, level: options.level });
  return {
    metric,
    kind,
    better,
    n,
    groups: paired.clusters ?? null,
    a: n === 0 ? null : mean(a),
    b: n === 0 ? null : mean(b),
    difference: n === 0 ? null : unsignedZero(paired.difference),
    low: low === null ? null : unsignedZero(low),
    high: high === null ? null : unsignedZero(high),
    se,
    test,
    p,
    adjustedP: null,
    hypotheses: 0,
    smallestP,
    change: "unclear",
    detectable: kind === "quality" ? detectableBy({ ...sample, n, units, se, smallestP, level: options.level }) : null,
    ...(reason === null ? {} : { reason }),
  };
}

function sampleOf({ read }: Measure, pairs: readonly Pair[]): Sample {
  const sample: Sample = { a: [], b: [], groups: null, trialsA: 0, trialsB: 0, isBinary: true };
  const groups: string[] = [];
  for (const pair of pairs) {
    const [ofA, ofB] = [valuesOf(pair.a, read), valuesOf(pair.b, read)];
    if (ofA.length === 0 || ofB.length === 0) continue;
    sample.a.push(mean(ofA));
    sample.b.push(mean(ofB));
    sample.trialsA += ofA.length;
    sample.trialsB += ofB.length;
    sample.isBinary &&= isOneVerdict(ofA) && isOneVerdict(ofB);
    groups.push(groupOf(pair));
  }
  const isShared = new Set(groups).size < groups.length;
  return isShared ? { ...sample, groups } : sample;
}

function valuesOf(rows: readonly EvalRow[], read: Measure["read"]): number[] {
  const values: number[] = [];
  for (const row of rows) {
    const value = read(row);
    if (value !== undefined && Number.isFinite(value)) values.push(value);
  }
  return values;
}

function isOneVerdict(values: readonly number[]): boolean {
  return values.length === 1 && (values[0] === 0 || values[0] === 1);
}

/** What the task shares with others of its dataset; a task that shares nothing is a group of its own. */
function groupOf({ key, a, b }: Pair): string {
  // Copied rows may lack the field.
  const row = a.find(({ group }) => group != null) ?? b.find(({ group }) => group != null);
  if (row === undefined) return `task\u0000${key}`;
  return `group\u0000${row.dataset}\u0000${typeof row.group}\u0000${row.group}`;
}

function testOf(
  { a, b, groups, isBinary }: Sample,
  { permutationP: p, permutationExact }: { permutationP: number | null; permutationExact: boolean },
): { test: TestName | null; p: number | null } {
  if (p === null) return { test: null, p };
  if (!isBinary || groups !== null) return { test: permutationExact ? "sign-flip" : "sign-flip-sampled", p };
  const gained = a.filter((value, i) => value < (b[i] ?? 0)).length;
  const lost = a.filter((value, i) => value > (b[i] ?? 0)).length;
  return { test: "mcnemar", p: mcnemarExact(lost, gained) };
}

/** With every difference on the same side, only that assignment of signs and its mirror image are as extreme. */
function leastP(units: number, test: TestName | null): number {
  if (units === 0) return 1;
  if (test === "mcnemar" || units <= COUNTED_UP_TO) return 2 ** (1 - units);
  return 1 / ((units <= PERMUTATIONS ? PERMUTATIONS : FEWEST_PERMUTATIONS) + 1);
}

function whyNone({ read }: Measure, pairs: readonly Pair[]): string {
  const isIn = (side: "a" | "b") => pairs.some((pair) => valuesOf(pair[side], read).length > 0);
  const [inA, inB] = [isIn("a"), isIn("b")];
  if (inA && inB) return "no task has it in both";
  if (inA || inB) return `not measured in ${inA ? "B" : "A"}`;
  return "not measured";
}

function whyOpen(design: { units: number; smallestP: number; groups: unknown; level: number }): string | null {
  const { units, smallestP, groups, level } = design;
  const unit = groups === null ? "task" : "group of tasks";
  if (units === 1) return `one ${unit}`;
  if (smallestP < alphaOf(level)) return null;
  return `too few ${groups === null ? "tasks" : "groups of tasks"} for any difference to show`;
}

function unsignedZero(value: number): number {
  return value === 0 ? 0 : value;
}
