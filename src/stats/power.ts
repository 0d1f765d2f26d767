import { normalQuantile, requireInteger, requireOpenProbability, requirePositive } from "./distributions.js";

/** The design of a comparison of two systems on the same tasks. */
export interface Design {
  /** Trials per task of system A. Default: 1. */
  trialsA?: number | undefined;
  /** Trials per task of system B. Default: as for A. */
  trialsB?: number | undefined;
  /** Variance of the true difference between tasks. */
  omega2?: number | undefined;
  /** Variance between the trials of one task under A. */
  sigmaA2?: number | undefined;
  /** Variance between the trials of one task under B. */
  sigmaB2?: number | undefined;
  /** Two-sided significance level. */
  alpha?: number | undefined;
  power?: number | undefined;
}

/**
 * Without data, task difficulty is assumed uniform on [0, 1]. Pass/fail trials then vary by E[p(1-p)] = 1/6 within a task
 * and task means by 1/12; systems whose task means correlate by 1/3 differ between tasks by 2/12 · (1 - 1/3) = 1/9.
 */
const BINARY_VARIANCES = { omega2: 1 / 9, sigma2: 1 / 6 } as const;

function requireVariance(name: string, value: number): void {
  if (value >= 0 && value < Number.POSITIVE_INFINITY) return;
  throw new RangeError(`${name} must be finite and not negative, got ${value}`);
}

/** (z_{α/2} + z_β)² times the variance of one task's difference: the N·δ² that the design requires. */
function computeRequiredInformation(design: Design): number {
  const { trialsA = 1, omega2 = BINARY_VARIANCES.omega2, alpha = 0.05, power = 0.8 } = design;
  const { trialsB = trialsA, sigmaA2 = BINARY_VARIANCES.sigma2, sigmaB2 = BINARY_VARIANCES.sigma2 } = design;
  requireInteger("trialsA", trialsA, { low: 1 });
  requireInteger("trialsB", trialsB, { low: 1 });
  requireVariance("omega2", omega2);
  requireVariance("sigmaA2", sigmaA2);
  requireVariance("sigmaB2", sigmaB2);
  requireOpenProbability("alpha", alpha);
  requireOpenProbability("power", power);
  const width = normalQuantile(1 - alpha / 2) + normalQuantile(power);
  return width ** 2 * (omega2 + sigmaA2 / trialsA + sigmaB2 / trialsB);
}

/**
 * The minimum detectable difference between two systems on n common tasks.
 * @example
 * detectableDifference({ n: 200, trialsA: 3 }); // 0.093
 */
export function detectableDifference(design: Design & { n: number }): number {
  requireInteger("n", design.n, { low: 1 });
  return Math.sqrt(computeRequiredInformation(design) / design.n);
}

/**
 * The number of common tasks required to detect a difference between two systems.
 * @example
 * requiredTasks({ difference: 0.05, trialsA: 3 }); // 698
 */
export function requiredTasks(design: Design & { difference: number }): number {
  requirePositive("difference", design.difference);
  const exact = computeRequiredInformation(design) / design.difference ** 2;
  // Rounding errors must not add a task to the design that detectableDifference described.
  return Math.max(1, Math.ceil(exact * (1 - 1e-12)));
}
