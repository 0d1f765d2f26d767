import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { RunFolderError } from "../core/index.js";
import { writeAtomically } from "../utils/index.js";
import { readRunFile } from "./run-file.js";

/** The trials of a run that were chosen for labels, in the order in which they are shown. */
const LABEL_PLAN_FILE = "label-plan.json";

const labelPlanSchema = z.object({
  schema: z.literal("assay.label-plan/1"),
  seed: z.number(),
  trials: z.array(
    z.object({
      system: z.string(),
      dataset: z.string(),
      exampleId: z.union([z.string(), z.number()]),
      trial: z.int().min(0),
      chance: z.number().gt(0).max(1),
    }),
  ),
});

type LabelPlan = z.infer<typeof labelPlanSchema>;

/** Null if no trials were chosen yet. */
export function readLabelPlan(dir: string): LabelPlan | null {
  const path = join(dir, LABEL_PLAN_FILE);
  if (!existsSync(path)) return null;
  try {
    return labelPlanSchema.parse(JSON.parse(readRunFile(dir, LABEL_PLAN_FILE)));
  } catch (cause) {
    throw new RunFolderError(`${path} cannot be read. Remove it, and choose trials again with: assay label`, { cause });
  }
}

export function writeLabelPlan(dir: string, plan: Omit<LabelPlan, "schema">): void {
  const text = JSON.stringify({ schema: "assay.label-plan/1", ...plan }, null, 2);
  writeAtomically(join(dir, LABEL_PLAN_FILE), `${text}\n`);
}
