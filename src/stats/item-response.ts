import { normalCdf, requireSameLength } from "./distributions.js";
import { mean } from "./mean.js";

/** The trials of one system on one task. */
export interface ResponseCell {
  passes: number;
  trials: number;
}

/** What a task's results look like, if anything is odd. */
export type TaskFlag = "saturated" | "dead" | "noisy" | "suspicious";

/** What is known of one task. */
export interface ItemEstimate {
  /** The ability at which a system passes half of the time; higher is harder. Abilities have mean 0 and spread about 1. */
  difficulty: number;
  /** How much passing depends on ability: 1 is usual, 0 not at all, negative if weak systems do better. */
  discrimination: number;
  passes: number;
  trials: number;
  systems: number;
  /** The chance that two trials of one system disagree; null without systems that have two. At most 0.5 in the long run. */
  disagreement: number | null;
  /** The correlation between passing and the pass rate on all other tasks, over trials; null if either never varies. */
  correlation: number | null;
  /** The chance of so low a correlation if the task is equally hard for all systems. */
  negativeP: number | null;
  flags: TaskFlag[];
}

/** A fitted model of tasks and systems. */
export interface ItemResponseFit {
  items: ItemEstimate[];
  /** The ability of each system. */
  abilities: number[];
  /** The number of tasks for which `negativeP` exists. */
  tested: number;
  /** The number of tasks that would be flagged suspicious by chance if every task were equally hard for all systems. */
  expectedSuspicious: number;
}

/** Fewer trials or systems are not flagged. */
const MIN_TRIALS = 3;
const MIN_SYSTEMS = 3;
/** Half of the largest possible disagreement would be 0.25. */
const NOISY_DISAGREEMENT = 0.35;
const NOISY_CORRELATION = 0.2;
const SUSPICIOUS_P = 0.01;

/** Priors, as variances: they keep the fit of few systems finite, and a task that was never passed away from infinity. */
const ABILITY_VARIANCE = 1;
const EASINESS_VARIANCE = 4;
const DISCRIMINATION = { mean: 1, variance: 0.25 };
const MAX_ROUNDS = 200;
const CONVERGED = 1e-7;

/**
 * Fits a two-parameter logistic model, P(pass) = 1 / (1 + exp(−(a_i·θ_s + c_i))), to tasks × systems with missing cells,
 * and flags odd tasks. The fit is the mode of the posterior with normal priors, found by Newton steps for tasks and
 * systems in turn; every cell counts as one observation, because trials of one cell are not independent of each other.
 * The flags do not depend on the fit:
 * - saturated: every trial passed; dead: none did. From 3 trials of 2 systems.
 * - noisy: two trials of one system disagree with a chance of 0.35 or more, and passing hardly goes with ability
 *   (correlation below 0.2). From 3 systems with 2 trials each.
 * - suspicious: systems that are weak elsewhere pass, strong ones fail, more than chance does once in a hundred tasks.
 *   From 3 systems.
 * @example
 * fitItemResponse([[{ passes: 3, trials: 3 }, null], [{ passes: 1, trials: 3 }, { passes: 0, trials: 3 }]]);
 */
export function fitItemResponse(cells: readonly (readonly (ResponseCell | null)[])[]): ItemResponseFit {
  const systems = cells[0]?.length ?? 0;
  cells.forEach((row, task) => {
    requireSameLength(`task 0 and task ${task}`, systems, row.length);
    for (const cell of row)
      if (cell !== null && !(cell.trials > 0 && cell.passes >= 0 && cell.passes <= cell.trials))
        throw new RangeError(`passes must be from 0 to trials, got ${cell.passes} of ${cell.trials}`);
  });
  const model = fitModel(cells, systems);
  const totals = sumSystems(cells, systems);
  const items = cells.map((row, task) => {
    const { slope, easiness } = model.items[task] ?? { slope: 1, easiness: 0 };
    // A slope near 0 has no difficulty of its own; that of a usual slope is then the better figure.
    return { difficulty: -easiness / Math.max(0.25, slope), discrimination: slope, ...describeTask(row, totals) };
  });
  const tested = items.filter(({ negativeP }) => negativeP !== null).length;
  return { items, abilities: model.abilities, tested, expectedSuspicious: tested * SUSPICIOUS_P };
}

interface Model {
  items: { slope: number; easiness: number }[];
  abilities: number[];
}

function fitModel(cells: readonly (readonly (ResponseCell | null)[])[], systems: number): Model {
  const items = cells.map(() => ({ slope: DISCRIMINATION.mean, easiness: 0 }));
  const abilities = new Array<number>(systems).fill(0);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let change = 0;
    cells.forEach((row, task) => {
      const item = items[task];
      if (item !== undefined) change = Math.max(change, updateItem(item, row, abilities));
    });
    for (let system = 0; system < systems; system++) {
      const next = updateAbility(
        abilities[system] ?? 0,
        cells.map((row) => row[system] ?? null),
        items,
      );
      change = Math.max(change, Math.abs(next - (abilities[system] ?? 0)));
      abilities[system] = next;
    }
    if (change < CONVERGED) break;
  }
  return { items, abilities };
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
const limitStep = (step: number) => Math.min(1, Math.max(-1, step));

function updateItem(
  item: { slope: number; easiness: number },
  row: readonly (ResponseCell | null)[],
  abilities: readonly number[],
): number {
  let slopeGradient = -(item.slope - DISCRIMINATION.mean) / DISCRIMINATION.variance;
  let easinessGradient = -item.easiness / EASINESS_VARIANCE;
  let [slopeCurve, bothCurve, easinessCurve] = [1 / DISCRIMINATION.variance, 0, 1 / EASINESS_VARIANCE];
  row.forEach((cell, system) => {
    if (cell === null) return;
    const ability = abilities[system] ?? 0;
    const chance = logistic(item.slope * ability + item.easiness);
    const surprise = cell.passes / cell.trials - chance;
    const weight = chance * (1 - chance);
    slopeGradient += surprise * ability;
    easinessGradient += surprise;
    slopeCurve += weight * ability ** 2;
    bothCurve += weight * ability;
    easinessCurve += weight;
  });
  const determinant = slopeCurve * easinessCurve - bothCurve ** 2;
  const slopeStep = limitStep((easinessCurve * slopeGradient - bothCurve * easinessGradient) / determinant);
  const easinessStep = limitStep((slopeCurve * easinessGradient - bothCurve * slopeGradient) / determinant);
  item.slope += slopeStep;
  item.easiness += easinessStep;
  return Math.max(Math.abs(slopeStep), Math.abs(easinessStep));
}

function updateAbility(ability: number, column: readonly (ResponseCell | null)[], items: Model["items"]): number {
  let gradient = -ability / ABILITY_VARIANCE;
  let curve = 1 / ABILITY_VARIANCE;
  column.forEach((cell, task) => {
    const item = items[task];
    if (cell === null || item === undefined) return;
    const chance = logistic(item.slope * ability + item.easiness);
    gradient += item.slope * (cell.passes / cell.trials - chance);
    curve += item.slope ** 2 * chance * (1 - chance);
  });
  return ability + limitStep(gradient / curve);
}

/** The sum of each system's pass rates over tasks, and how many tasks it has. */
function sumSystems(cells: readonly (readonly (ResponseCell | null)[])[], systems: number) {
  return Array.from({ length: systems }, (_, system) => {
    const rates = cells.flatMap((row) => {
      const cell = row[system] ?? null;
      return cell === null ? [] : [cell.passes / cell.trials];
    });
    return { sum: rates.reduce((total, rate) => total + rate, 0), tasks: rates.length };
  });
}

function describeTask(
  row: readonly (ResponseCell | null)[],
  totals: readonly { sum: number; tasks: number }[],
): Omit<ItemEstimate, "difficulty" | "discrimination"> {
  const present = row.flatMap((cell, system) => {
    const total = totals[system];
    if (cell === null || total === undefined) return [];
    // The task itself is left out, or it would go with ability because it is a part of it.
    const rest = total.tasks > 1 ? (total.sum - cell.passes / cell.trials) / (total.tasks - 1) : null;
    return [{ ...cell, rest }];
  });
  const passes = present.reduce((sum, cell) => sum + cell.passes, 0);
  const trials = present.reduce((sum, cell) => sum + cell.trials, 0);
  const repeated = present.filter((cell) => cell.trials >= 2);
  const disagreement = repeated.length === 0 ? null : mean(repeated.map(computeDisagreement));
  const ranked = present.flatMap(({ rest, ...cell }) => (rest === null ? [] : [{ ...cell, rest }]));
  const { correlation, negativeP } = correlate(ranked);
  const flags: TaskFlag[] = [];
  if (present.length >= 2 && trials >= MIN_TRIALS && passes === trials) flags.push("saturated");
  if (present.length >= 2 && trials >= MIN_TRIALS && passes === 0) flags.push("dead");
  const isNoisy = (disagreement ?? 0) >= NOISY_DISAGREEMENT && (correlation ?? 0) < NOISY_CORRELATION;
  if (repeated.length >= MIN_SYSTEMS && isNoisy) flags.push("noisy");
  if (negativeP !== null && negativeP <= SUSPICIOUS_P) flags.push("suspicious");
  return { passes, trials, systems: present.length, disagreement, correlation, negativeP, flags };
}

/** The chance that two different trials disagree, without bias. */
export function computeDisagreement({ passes, trials }: ResponseCell): number {
  return (2 * passes * (trials - passes)) / (trials * (trials - 1));
}

/**
 * The correlation over trials between passing and a system's pass rate elsewhere. If all systems are equally likely to
 * pass, the passes are a random choice of the trials, so the sum of these rates over the passes is nearly normal with the
 * moments of a sample without replacement.
 */
function correlate(cells: readonly (ResponseCell & { rest: number })[]): {
  correlation: number | null;
  negativeP: number | null;
} {
  const trials = cells.reduce((sum, cell) => sum + cell.trials, 0);
  const passes = cells.reduce((sum, cell) => sum + cell.passes, 0);
  const center = cells.reduce((sum, cell) => sum + cell.trials * cell.rest, 0) / trials;
  const spread = cells.reduce((sum, cell) => sum + cell.trials * (cell.rest - center) ** 2, 0);
  if (passes === 0 || passes === trials || spread < 1e-12) return { correlation: null, negativeP: null };
  const covered = cells.reduce((sum, cell) => sum + cell.passes * (cell.rest - center), 0);
  const correlation = covered / Math.sqrt((spread * passes * (trials - passes)) / trials);
  const isEnough = cells.length >= MIN_SYSTEMS && trials > MIN_TRIALS;
  return { correlation, negativeP: isEnough ? normalCdf(correlation * Math.sqrt(trials - 1)) : null };
}
