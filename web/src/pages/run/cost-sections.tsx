import type { EffortCurve, FrontierView, RunView } from "../../../../src/report/dashboard/contract.js";
import { formatEffort, formatTokens } from "../../charts/index.js";
import {
  formatDollars,
  formatNumber,
  formatSeconds,
  formatShare,
  IntervalCell,
  revealText,
  Scrollable,
} from "../../ui/index.js";
import { SystemRowsLink } from "./system-rows-link.js";

/** What effort changes, and what the systems cost together. */
export function CostSections({ view: { card, effortCurves, frontier } }: { view: RunView }) {
  return (
    <>
      {effortCurves.length > 0 && <EffortTable run={card.id} curves={effortCurves} />}
      {frontier !== null && <FrontierSection run={card.id} frontier={frontier} />}
    </>
  );
}

function EffortTable({ run, curves }: { run: string; curves: readonly EffortCurve[] }) {
  const hasReasoning = curves.some(({ points }) => points.some(({ reasoningTokens }) => reasoningTokens !== null));
  return (
    <details class="breakdown" open>
      <summary>Quality and cost by effort</summary>
      <Scrollable class="table-scroll" label="Quality and cost by effort">
        <table class="table">
          <caption class="unseen">Figures of each model by effort</caption>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Effort</th>
              <NumberHead title="Quality [95 %]" />
              <NumberHead title="Cost per pass" />
              <NumberHead title="Median latency" />
              {hasReasoning && <NumberHead title="Reasoning tokens" />}
            </tr>
          </thead>
          <tbody>
            {curves.flatMap(({ name, points }) =>
              points.map((point) => (
                <tr key={point.system}>
                  <th scope="row">
                    <SystemRowsLink run={run} system={point.system} text={name} />
                  </th>
                  <td>{formatEffort(point.effort)}</td>
                  <td class="number">
                    <IntervalCell value={point.quality} low={point.low} high={point.high} format={formatNumber} />
                  </td>
                  <td class="number">{formatDollars(point.costPerPassUsd)}</td>
                  <td class="number">{formatSeconds(point.latencySeconds)}</td>
                  {hasReasoning && <td class="number">{formatTokens(point.reasoningTokens)}</td>}
                </tr>
              )),
            )}
          </tbody>
        </table>
      </Scrollable>
    </details>
  );
}

function NumberHead({ title }: { title: string }) {
  return (
    <th scope="col" class="number">
      {title}
    </th>
  );
}

function FrontierSection({ run, frontier }: { run: string; frontier: FrontierView }) {
  const { valueUsd, words, systems } = frontier;
  if (valueUsd === null) return <p class="quiet">Frontier cost of a pass: {revealText(words)}</p>;
  return (
    <details class="breakdown" open>
      <summary>
        Frontier cost of a pass <span class="quiet">({formatDollars(valueUsd)})</span>
      </summary>
      <p>{revealText(words)}</p>
      <Scrollable class="table-scroll" label="What each system adds to the frontier">
        <table class="table">
          <caption class="unseen">What each system adds to the frontier</caption>
          <thead>
            <tr>
              <th scope="col">System</th>
              <NumberHead title="Cheapest in" />
              <NumberHead title="Gain [95 %]" />
            </tr>
          </thead>
          <tbody>
            {systems.map(({ system, essentialShare, gainUsd, low, high }) => (
              <tr key={system}>
                <th scope="row">
                  <SystemRowsLink run={run} system={system} />
                </th>
                <td class="number">{formatShare(essentialShare)}</td>
                <td class="number" title="How much the frontier rises without this system">
                  {gainUsd === null ? (
                    <span class="quiet">not finite without it</span>
                  ) : (
                    <>
                      {formatSignedDollars(gainUsd)}
                      {low !== null && high !== null && gainUsd !== 0 && (
                        <span class="quiet">
                          {" "}
                          [{formatSignedDollars(low)}, {formatSignedDollars(high)}]
                        </span>
                      )}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </details>
  );
}

function formatSignedDollars(value: number): string {
  return value < 0 ? `−${formatDollars(-value)}` : formatDollars(value);
}
