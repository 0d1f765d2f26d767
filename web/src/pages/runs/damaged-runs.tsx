import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { formatPlural } from "../../ui/format.js";

/** Why runs cannot be read, in full; the table has room for the beginning alone. */
export function DamagedRuns({ runs }: { runs: readonly RunCard[] }) {
  const damaged = runs.filter(({ status }) => status === "damaged");
  if (damaged.length === 0) return null;
  return (
    <details class="damaged">
      <summary class="bad">{formatPlural(damaged.length, "run")} on this page cannot be read</summary>
      <ul>
        {damaged.map(({ id, problem }) => (
          <li key={id}>
            <b>{id}</b>: {problem ?? "nobody knows why"}
          </li>
        ))}
      </ul>
    </details>
  );
}
