import * as z from "zod";
import type { TrialLabel, TrialLabelDraft } from "./contract.js";
import { appendRunLines, readRunLines } from "./run-file.js";

/** What people say about single trials. Not `labels.json`, which has the title and the tags of the whole run. */
export const TRIAL_LABELS_FILE = "labels.jsonl";
export const TRIAL_LABEL_SCHEMA = "assay.trial-label/1";

const MAX_NOTE_LENGTH = 4000;
const MAX_TAG_LENGTH = 64;
const MAX_TAGS = 20;
const MAX_NAME_LENGTH = 10_000;

/** Checks what a person decides about a trial. */
export const trialLabelDraftSchema = z.strictObject({
  system: z.string().max(MAX_NAME_LENGTH),
  dataset: z.string().max(MAX_NAME_LENGTH),
  exampleId: z.union([z.string().max(MAX_NAME_LENGTH), z.number()]),
  trial: z.int().min(0),
  verdict: z.enum(["right", "wrong"]).nullable(),
  note: z.string().max(MAX_NOTE_LENGTH, `is longer than ${MAX_NOTE_LENGTH} characters`),
  tags: z
    .array(z.string().trim().min(1).max(MAX_TAG_LENGTH, `is longer than ${MAX_TAG_LENGTH} characters`))
    .max(MAX_TAGS, `are more than ${MAX_TAGS}`),
  blind: z.boolean(),
}) satisfies z.ZodType<TrialLabelDraft>;

const storedLabelSchema = z.object({
  schema: z.literal(TRIAL_LABEL_SCHEMA),
  ...trialLabelDraftSchema.shape,
  at: z.string(),
  labeler: z.string().nullable(),
});

/**
 * Reads the labels of a run's trials, in the order in which the trials were first labeled. Lines that cannot be read,
 * such as one cut off when its writer was killed, are skipped; labels that were cleared are left out.
 * @example
 * readTrialLabels(".assay/runs/20261115-213334-needle").filter(({ verdict }) => verdict === "wrong");
 */
export function readTrialLabels(dir: string): TrialLabel[] {
  const last = new Map<string, TrialLabel>();
  for (const { text } of readRunLines(dir, TRIAL_LABELS_FILE)) {
    const label = parseLabelLine(text);
    if (label === null) continue;
    const { system, dataset, exampleId, trial } = label;
    last.set(JSON.stringify([system, dataset, exampleId, trial]), label);
  }
  return [...last.values()].filter(({ verdict, note, tags }) => verdict !== null || note !== "" || tags.length > 0);
}

function parseLabelLine(text: string): TrialLabel | null {
  try {
    const { schema: _, ...label } = storedLabelSchema.parse(JSON.parse(text));
    return label;
  } catch {
    return null;
  }
}

/** Adds a label to a run. Earlier ones stay in the file. */
export function appendTrialLabel(dir: string, label: TrialLabel): void {
  const line = JSON.stringify({ schema: TRIAL_LABEL_SCHEMA, ...label });
  appendRunLines(dir, TRIAL_LABELS_FILE, [line], "labels");
}
