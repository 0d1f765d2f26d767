import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Dataset } from "../../core/dataset.js";
import { canonicalJson } from "../../core/fingerprint.js";
import type { Experiment } from "./experiment.js";
import { formatPointer } from "./pointer.js";
import type { VariantPlan } from "./variant-plan.js";

interface Planned {
  readonly experiment: Experiment;
  readonly datasets: readonly Dataset[];
  readonly variants: readonly VariantPlan[];
}

/** Identifies a plan by what is asked, of whom and on what terms, wherever its files lie. */
export function planFingerprint({ experiment, datasets, variants }: Planned): string {
  const { name, baseline, vary, file } = experiment;
  const content = canonicalJson({
    name,
    baseline,
    vary: vary.map(formatPointer),
    variants: variants.map(({ name: variant, systems }) => ({ variant, systems })),
    datasets: datasets.map(({ name: dataset, examples, terms }) => ({ dataset, examples, terms })),
  });
  return createHash("sha256").update(withoutRoot(content, file)).digest("hex");
}

/** Shards run on different machines, whose copies of a project lie in different folders. */
function withoutRoot(json: string, file: string): string {
  const root = projectRoot(dirname(file));
  const start = JSON.stringify(root.endsWith(sep) ? root : root + sep).slice(0, -1);
  return json.replaceAll(start, '"./');
}

function projectRoot(dir: string): string {
  for (let at = dir; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return dir;
  }
}
