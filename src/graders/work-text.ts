import type { AgentEvent, Environment, Example, Graded, Output } from "../core/index.js";
import { getErrorMessage } from "../core/index.js";
import { formatDiff, isGitProblemOnly } from "../exec/index.js";
import { formatList } from "./built-in-grader.js";
import { createFileFinder, readWorkspaceFile, requireWorkspace } from "./graded-workspace.js";
import { GraderError } from "./grader-error.js";
import { getAnswerText } from "./output-text.js";
import { hasHiddenTools, requireTrajectory } from "./trajectory.js";

/** The parts of a trial's work that can be shown: the answer, the transcript, the changes, or all files. */
export const WORK_PARTS = ["response", "transcript", "diff", "workspace"] as const;

export type WorkPart = (typeof WORK_PARTS)[number];

/** Maximum characters of one part; the middle of a longer part is cut out and marked. */
export const MAX_PART_LENGTH = 60_000;

/** Reads one part of the work as text; throws if the trial has no such part. */
export async function readWorkPart(part: WorkPart, graded: Graded): Promise<string> {
  if (part !== "workspace") return readRecordedPart(part, graded);
  return cutMiddle(await formatFolder(graded, MAX_PART_LENGTH), MAX_PART_LENGTH);
}

/** Reads a part that is recorded in the output. */
export function readRecordedPart(part: Exclude<WorkPart, "workspace">, { example, output }: RecordedTrial): string {
  if (part === "response") return cutMiddle(getAnswerText(output), MAX_PART_LENGTH);
  if (part === "transcript") return cutMiddle(formatTranscript(output), MAX_PART_LENGTH);
  return readDiffText({ example, output });
}

type RecordedTrial = { readonly example: Example; readonly output: Output };

/** Shown by default. */
export const DEFAULT_PARTS: readonly WorkPart[] = ["response", "diff"];

/** The default parts for an output, which may come from a system without a workspace. */
export function selectDefaultParts({ workspace }: Output): readonly WorkPart[] {
  return Array.isArray(workspace?.changes) ? DEFAULT_PARTS : ["response"];
}

/** A workspace that still exists has its diff; otherwise it is computed from the example's files. */
function readDiffText({ example, output: { workspace } }: RecordedTrial): string {
  if (!Array.isArray(workspace?.changes)) throw new GraderError("the output does not say what was changed");
  const { diff } = workspace as { diff?: unknown };
  const text = typeof diff === "string" ? diff : formatDiff(workspace, example.environment as Environment | undefined);
  const { incomplete } = workspace;
  const isComplete = incomplete === undefined || isGitProblemOnly(incomplete);
  const shown = cutMiddle(text, MAX_PART_LENGTH);
  return isComplete ? shown : `${shown}\n[not all that was changed is known: ${incomplete}]`;
}

/** Maximum characters of one step, so that a tool that prints a whole file does not displace all other steps. */
const MAX_STEP_LENGTH = 4000;

/**
 * Formats what was said and done in a trial, one paragraph per step. Throws if the output has no trajectory.
 * @example
 * formatTranscript({ trajectory: { events: [{ type: "assistant_message", text: "Done.", timestamp: 0 }] } }); // "[assistant] Done."
 */
export function formatTranscript(output: Output): string {
  const steps: TranscriptStep[] = [];
  for (const event of requireTrajectory(output).events as readonly AgentEvent[]) {
    const step = toTranscriptStep(event);
    const last = steps.at(-1);
    if (step === null) continue;
    // Consecutive parts of an agent's message are one text.
    if (step.who === "assistant" && last?.who === "assistant") last.text += step.text;
    else steps.push(step);
  }
  if (hasHiddenTools(output)) steps.push({ who: "note", text: "This system does not show which tools it calls." });
  return steps.map(({ who, text }) => `[${who}] ${cutMiddle(text, MAX_STEP_LENGTH)}`).join("\n\n");
}

interface TranscriptStep {
  readonly who: string;
  text: string;
}

const SPEAKERS = { user_message: "user", assistant_message: "assistant", reasoning: "reasoning" } as const;

/** Null for events that do not describe the work, such as token usage. */
function toTranscriptStep(event: AgentEvent): TranscriptStep | null {
  const { type } = event;
  if (type === "user_message" || type === "assistant_message" || type === "reasoning")
    return { who: SPEAKERS[type], text: event.text };
  if (type === "tool_call") return { who: "tool call", text: `${event.name} ${JSON.stringify(event.arguments) ?? ""}` };
  if (type === "tool_result") return { who: event.success ? "tool result" : "tool result, failed", text: event.result };
  if (type === "skill_activation") return { who: "skill", text: event.name };
  return type === "error" ? { who: "error", text: event.message } : null;
}

/** Maximum characters of one file. */
const MAX_FILE_LENGTH = 12_000;
/** Maximum number of files listed without their content. */
const MAX_LISTED_NAMES = 200;

const findAllFiles = createFileFinder("**");

/**
 * Formats the files of the folder, up to about `most` characters: changed files come first, and files that do not fit are
 * listed by name. Throws if there is no folder.
 */
async function formatFolder(graded: Graded, most: number): Promise<string> {
  const folder = requireWorkspace(graded);
  const shown: string[] = [];
  const named: string[] = [];
  let length = 0;
  for (const path of sortChangedFirst(await findAllFiles(graded), graded)) {
    if (length >= most) {
      named.push(path);
      continue;
    }
    const text = `==> ${path}\n${await readFileExcerpt(folder, path)}`;
    shown.push(text);
    length += text.length;
  }
  if (named.length > 0) shown.push(`[not shown: ${formatList(named, MAX_LISTED_NAMES)}]`);
  return shown.join("\n\n");
}

function sortChangedFirst(paths: readonly string[], { output }: Graded): string[] {
  const changed = new Set((output.workspace?.changes ?? []).map(({ path }) => path));
  return [...paths.filter((path) => changed.has(path)), ...paths.filter((path) => !changed.has(path))];
}

async function readFileExcerpt(folder: string, path: string): Promise<string> {
  try {
    const text = await readWorkspaceFile(folder, path);
    return text.includes("\0") ? "[this is no text]" : cutMiddle(text, MAX_FILE_LENGTH);
  } catch (error) {
    return `[${getErrorMessage(error)}]`;
  }
}

/**
 * Shortens a text to about `most` characters by cutting out its middle, and marks the cut.
 * @example
 * cutMiddle("abcdefgh", 4); // "ab\n[… 4 characters left out …]\ngh"
 */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const start = text.slice(0, findCharacterStart(text, half));
  const end = text.slice(findCharacterStart(text, text.length - half));
  return `${start}\n[… ${text.length - start.length - end.length} characters left out …]\n${end}`;
}

/** The nearest position at or before `at` that is not inside a surrogate pair. */
function findCharacterStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
