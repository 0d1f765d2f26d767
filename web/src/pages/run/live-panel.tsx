import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveProgress } from "../../../../src/report/dashboard/contract.js";
import {
  buildAddress,
  formatCount,
  formatDollars,
  formatNumber,
  formatPlural,
  formatSeconds,
  formatShare,
  KeyValues,
  OutcomeBadge,
  revealLine,
} from "../../ui/index.js";
import { buildRowFilterQuery } from "../row-filter.js";
import { buildTrialAddress } from "../trial-address.js";
import { SystemRowsLink } from "./system-rows-link.js";

interface LivePanelProps {
  id: string;
  progress: LiveProgress;
  /** The budget of the run; null without one. */
  maxCostUsd: number | null;
}

/** Progress, spending, remaining time and failures of a running run. */
export function LivePanel({ id, progress, maxCostUsd }: LivePanelProps) {
  const { done, planned, costUsd, trialsPerSecond, secondsLeft } = progress;
  return (
    <section class="live" aria-label="Live progress">
      <progress class="live-bar" max={Math.max(planned, 1)} value={done} aria-label="Finished trials">
        {formatShare(done / Math.max(planned, 1))}
      </progress>
      <KeyValues
        entries={[
          ["Done", `${formatCount(done)} of ${formatCount(planned)} (${formatShare(done / Math.max(planned, 1))})`],
          [
            "Spent",
            maxCostUsd === null
              ? formatDollars(costUsd)
              : `${formatDollars(costUsd)} of ${formatDollars(maxCostUsd)} budget`,
          ],
          ["Rate", trialsPerSecond === null ? "–" : `${formatNumber(trialsPerSecond, 1)} trials/s`],
          ["Left", secondsLeft === null ? "–" : `about ${formatSeconds(secondsLeft)}`],
        ]}
      />
      <PoliteAnnouncement text={describeProgress(progress)} />
      <div class="live-parts">
        <LiveSystems id={id} progress={progress} />
        <RecentFailures id={id} failures={progress.failures} />
      </div>
    </section>
  );
}

function describeProgress({ done, planned, failures }: LiveProgress): string {
  return `${formatCount(done)} of ${formatCount(planned)} trials done, ${formatPlural(failures.length, "recent failure")}.`;
}

const ANNOUNCE_INTERVAL_MS = 10_000;

/** Announced only now and then: screen readers must not read out each trial. */
function PoliteAnnouncement({ text }: { text: string }) {
  const latest = useRef(text);
  latest.current = text;
  const [said, setSaid] = useState(text);
  useEffect(() => {
    const timer = setInterval(() => setSaid(latest.current), ANNOUNCE_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="unseen" aria-live="polite">
      {said}
    </p>
  );
}

function LiveSystems({ id, progress: { systems, planned } }: { id: string; progress: LiveProgress }) {
  const each = planned / Math.max(systems.length, 1);
  return (
    <table class="table">
      <caption>Systems</caption>
      <thead>
        <tr>
          <th scope="col">System</th>
          <th scope="col">Progress</th>
          <th scope="col" class="number">
            Done
          </th>
          <th scope="col" class="number">
            Passed
          </th>
          <th scope="col" class="number">
            Errors
          </th>
          <th scope="col" class="number">
            Spent
          </th>
        </tr>
      </thead>
      <tbody>
        {systems.map(({ system, done, passed, scored, errors, costUsd }) => (
          <tr key={system}>
            <th scope="row">
              <SystemRowsLink run={id} system={system} />
            </th>
            <td>
              <progress max={Math.max(each, done, 1)} value={done} aria-label={`Trials of ${system} that are done`} />
            </td>
            <td class="number">{formatCount(done)}</td>
            <td class="number">
              {formatCount(passed)} of {formatCount(scored)}
            </td>
            <td class="number">{formatCount(errors)}</td>
            <td class="number">{formatDollars(costUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** More would push the figures off the screen; the rows have all of them. */
const MAX_SHOWN_FAILURES = 6;

function RecentFailures({ id, failures }: { id: string; failures: LiveProgress["failures"] }) {
  return (
    <div class="failures">
      <h2>Latest failures</h2>
      {failures.length === 0 && <p class="quiet">None so far.</p>}
      <ol>
        {failures.slice(0, MAX_SHOWN_FAILURES).map((failure) => (
          <li key={buildTrialAddress(id, failure)}>
            <OutcomeBadge outcome={failure.outcome} />{" "}
            <a href={buildTrialAddress(id, failure)}>
              <bdi>
                {revealLine(String(failure.exampleId))}#{failure.trial}
              </bdi>
            </a>{" "}
            <span class="quiet">
              <bdi>{revealLine(failure.system)}</bdi> · {failure.category}
              {failure.message !== "" && `: ${revealLine(failure.message)}`}
            </span>
          </li>
        ))}
      </ol>
      {failures.length > MAX_SHOWN_FAILURES && (
        <a href={buildAddress(["run", id, "rows"], buildRowFilterQuery({ outcomes: ["fail", "error"] }))}>
          All failed trials
        </a>
      )}
    </div>
  );
}
