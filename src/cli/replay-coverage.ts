import type { Dataset, ExampleSource, System } from "../core/index.js";
import { formatPlural } from "../report/index.js";
import { ReplaySystem } from "../systems/index.js";
import { printNote } from "./streams.js";

/** Says which examples have no recorded output, and which recordings are not used. */
export function reportReplayCoverage(
  systems: readonly System[],
  datasets: readonly (Dataset | ExampleSource)[],
  trials: number,
): void {
  for (const system of systems) if (system instanceof ReplaySystem) reportCoverage(system, datasets, trials);
}

function reportCoverage(system: ReplaySystem, datasets: readonly (Dataset | ExampleSource)[], trials: number): void {
  const examples = datasets.flatMap((dataset) => ("examples" in dataset ? dataset.examples : []));
  const { missing, unknown } = system.coverage(
    examples.map(({ id }) => id),
    trials,
  );
  const orderless = system.countUnknownOrders(examples);
  const some = (list: readonly unknown[]) => `${list.slice(0, 5).join(", ")}${list.length > 5 ? ", …" : ""}`;
  if (missing.length > 0)
    printNote(
      `${system.name}: no recorded output for ${formatPlural(missing.length, "example")} (${some(missing)}): counted as errors`,
    );
  if (trials > 1 && system.hasSharedRecords)
    printNote(
      `${system.name}: a recorded output without "trial" stands for all ${trials} trials of its example, so pass@k and pass^k say nothing about it`,
    );
  if (orderless > 0)
    printNote(
      `${system.name}: ${formatPlural(orderless, "recorded output")} without "choices" or "choice_order": letters are read in the order of the dataset file`,
    );
  if (unknown.length > 0)
    printNote(
      `${system.name}: ${formatPlural(unknown.length, "recorded id")} not in any dataset (${some(unknown)}): ignored`,
    );
}
