import { formatDollars, formatMilliseconds, formatNumber, MISSING, revealLine } from "../../ui/index.js";
import type { SystemMetrics } from "./summary-columns.js";

/** The figures of speed and efficiency (numbers.md), named for people. */
const FIGURES: readonly (readonly [key: string, title: string, format: (value: number) => string])[] = [
  ["median_time_to_first_attempt_ms", "Time to first attempt", formatMilliseconds],
  ["median_time_to_success_ms", "Time to success", formatMilliseconds],
  ["median_turns_to_success", "Turns to success", (value) => formatNumber(value, 1)],
  ["median_tokens_per_sec", "Tokens per second", (value) => formatNumber(value, 1)],
  ["p90_cost_per_success", "p90 cost of a success", formatDollars],
  ["speed_efficiency_score", "Speed efficiency", (value) => formatNumber(value, 3)],
  ["cost_killed_count", "Cost killed", (value) => formatNumber(value, 0)],
];

/** Speed and efficiency of each model, as a block. Left out when nothing was measured. */
export function EfficiencyBlocks({ systems }: { systems: readonly SystemMetrics[] }) {
  const measured = systems.filter(({ metrics }) => metrics.get("median_time_to_success_ms")?.value != null);
  if (measured.length === 0) return null;
  return (
    <details class="breakdown">
      <summary>
        Speed and efficiency of each system <span class="quiet">(medians over passing trials)</span>
      </summary>
      <div class="blocks">
        {measured.map(({ system, metrics }) => (
          <section key={system} class="block-card">
            <h3>
              <bdi>{revealLine(system)}</bdi>
            </h3>
            <dl>
              {FIGURES.map(([key, title, format]) => {
                const value = metrics.get(key)?.value ?? null;
                return (
                  <div key={key}>
                    <dt>{title}</dt>
                    <dd data-key={key}>{value === null ? <span class="quiet">{MISSING}</span> : format(value)}</dd>
                  </div>
                );
              })}
            </dl>
          </section>
        ))}
      </div>
    </details>
  );
}
