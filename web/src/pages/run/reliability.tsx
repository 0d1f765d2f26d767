import type { ReliabilityProfile } from "../../../../src/core/reliability.js";
import {
  describeReliabilityCounts,
  formatReliabilityInterval,
  listReliabilityLines,
} from "../../../../src/report/reliability-lines.js";
import { RobustnessChart } from "../../charts/index.js";
import { navigate, revealLine } from "../../ui/index.js";
import { buildSelectionQuery } from "../row-filter.js";

interface ReliabilityProps {
  run: string;
  profiles: readonly ReliabilityProfile[];
  systems: readonly string[];
}

/** The figures of a stress test: a chart and a table for each system. */
export function Reliability({ run, profiles, systems }: ReliabilityProps) {
  return (
    <>
      {profiles.map((profile) => (
        <section key={profile.system} class="reliability">
          <h2>
            Reliability of <bdi>{revealLine(profile.system)}</bdi>
          </h2>
          <RobustnessChart
            data={profile.arms}
            systems={systems}
            onPick={(picked) => navigate(["run", run, "rows"], buildSelectionQuery(picked))}
          />
          <ReliabilityTable profile={profile} />
          {describeReliabilityCounts(profile).map((line) => (
            <p key={line} class="quiet">
              {line}
            </p>
          ))}
        </section>
      ))}
    </>
  );
}

function ReliabilityTable({ profile }: { profile: ReliabilityProfile }) {
  return (
    <table class="table narrow">
      <caption class="unseen">{`Reliability of ${profile.system}`}</caption>
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col" class="number">
            Value
          </th>
          <th scope="col">95 % interval</th>
          <th scope="col" class="number">
            Tasks
          </th>
        </tr>
      </thead>
      <tbody>
        {listReliabilityLines(profile).map((line) => (
          <tr key={line.name}>
            <th scope="row">{line.name}</th>
            <td class="number">{line.figure.value === null ? "–" : line.format(line.figure.value)}</td>
            <td>{formatReliabilityInterval(line)}</td>
            <td class="number">{line.figure.tasks}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
