import type { PassCurve, PassCurveChartPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";

/** pass@k and pass^k of the systems that ran examples several times. */
export function buildPassCurves(systems: readonly ChartSystem[]): PassCurve[] {
  const curves = systems.map(({ name, figure }) => ({ system: name, points: [...readPassCurvePoints(figure)] }));
  return curves.filter(({ points }) => points.length > 0);
}

/** Summaries contain every k from 1 to the largest number of trials of a task. */
function* readPassCurvePoints(figure: ChartSystem["figure"]): Generator<PassCurveChartPoint> {
  for (let k = 1; figure(`pass_at_${k}_n`) !== null; k++) {
    const [at, hat] = [`pass_at_${k}`, `pass_hat_${k}`];
    yield {
      k,
      n: figure(`${at}_n`) ?? 0,
      passAt: figure(at),
      passAtLow: figure(`${at}_ci_low`),
      passAtHigh: figure(`${at}_ci_high`),
      passHat: figure(hat),
      passHatLow: figure(`${hat}_ci_low`),
      passHatHigh: figure(`${hat}_ci_high`),
    };
  }
}
