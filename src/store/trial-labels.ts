import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { getErrorMessage, RunFolderError } from "../core/index.js";
import type { TrialLabel, TrialLabelDraft } from "./contract.js";
import { readRunLines } from "./run-file.js";

/** What people say about single trials. Not `labels.json`, which has the title and the tags of the whole run. */
export const TRIAL_LABELS_FILE = "labels.jsonl";
const TRIAL_LABEL_SCHEMA = "assay.trial-label/1";

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

/** Append, so that several processes can write at once; do not follow a link out of the folder or block on a pipe. */
const APPEND_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Adds a label to a run. Earlier ones stay in the file. */
export function appendTrialLabel(dir: string, label: TrialLabel): void {
  try {
    if (!lstatSync(dir).isDirectory())
      throw new Error("the run folder is a link, and labels are only written into a real folder");
    const file = openSync(join(dir, TRIAL_LABELS_FILE), APPEND_FLAGS, 0o644);
    try {
      requireOwnFile(file);
      appendLine(file, JSON.stringify({ schema: TRIAL_LABEL_SCHEMA, ...label }));
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new RunFolderError(`${join(dir, TRIAL_LABELS_FILE)} cannot be written: ${getErrorMessage(cause)}.`, {
      cause,
    });
  }
}

/** A second hard link may be a file outside of the run. */
function requireOwnFile(file: number): void {
  const stats = fstatSync(file);
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.nlink > 1) throw new Error("it is also linked under another name");
}

/** One write, so that lines of other processes never mix with it. A torn last line is ended first. */
function appendLine(file: number, line: string): void {
  const bytes = Buffer.from(`${endsWithLine(file) ? "" : "\n"}${line}\n`);
  if (writeSync(file, bytes) !== bytes.length) throw new Error("the disk is full");
}

function endsWithLine(file: number): boolean {
  const { size } = fstatSync(file);
  const end = Buffer.alloc(1);
  return size === 0 || (readSync(file, end, 0, 1, size - 1) === 1 && end[0] === 0x0a);
}
