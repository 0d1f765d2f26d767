import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import { formatScore } from "../../ui/index.js";
import { OutcomeBadge } from "./outcome-badge.js";
import { revealLine } from "./text/visible-text.js";
import { buildTrialAddress } from "./trial-address.js";

/** The other trials of the same example, system by system. */
export function Siblings({ id, siblings }: { id: string; siblings: TrialView["siblings"] }) {
  if (siblings.length === 0) return null;
  return (
    <section aria-labelledby="siblings">
      <h2 id="siblings">The same example elsewhere</h2>
      <table class="table narrow">
        <caption class="unseen">Other trials of the same example</caption>
        <tbody>
          {[...new Set(siblings.map(({ system }) => system))].map((system) => (
            <tr key={system}>
              <th scope="row">
                <bdi>{revealLine(system)}</bdi>
              </th>
              <td>
                <ul class="siblings">
                  {siblings
                    .filter((trial) => trial.system === system)
                    .map((trial) => (
                      <li key={trial.trial}>
                        <a href={buildTrialAddress(id, trial)}>
                          <OutcomeBadge outcome={trial.outcome} /> trial {trial.trial}
                          {trial.score !== null && ` · ${formatScore(trial.score)}`}
                        </a>
                      </li>
                    ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
