import type { Environment } from "../core/environment.js";
import { messageOf } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { Graded } from "../core/grader.js";
import type { Output } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { diffOf } from "../exec/workspace/diff.js";
import { isAboutGitAlone } from "../exec/workspace/git.js";
import { listed } from "./excerpt.js";
import { GraderError } from "./grader-error.js";
import { answerOf } from "./output-text.js";
import { hidesTools, trajectoryOf } from "./trajectory.js";
import { fileFinder, folderOf, textOfFile } from "./workspace-files.js";

/** The parts of a trial's work that can be shown: the answer, the transcript, the changes, or all files. */
export const WORK_PARTS = ["response", "transcript", "diff", "workspace"] as const;

export type WorkPart = (typeof WORK_PARTS)[number];

/** Maximum characters of one part; the middle of a longer part is cut out and marked. */
export const LONGEST_PART = 60_000;

/** Reads one part of the work as text; throws if the trial has no such part. */
export async function workText(part: WorkPart, graded: Graded): Promise<string> {
  if (part !== "workspace") return recordedText(part, graded);
  return cutMiddle(await folderText(graded, LONGEST_PART), LONGEST_PART);
}

/** Reads a part that is recorded in the output. */
export function recordedText(part: Exclude<WorkPart, "workspace">, { example, output }: Recorded): string {
  if (part === "response") return cutMiddle(answerOf(output), LONGEST_PART);
  if (part === "transcript") return cutMiddle(transcriptText(output), LONGEST_PART);
  return diffText({ example, output });
}

type Recorded = { readonly example: Example; readonly output: Output };

/** Shown by default. */
export const ALL_USUAL_PARTS: readonly WorkPart[] = ["response", "diff"];

/** The default parts for an output, which may come from a system without a workspace. */
export function usualParts({ workspace }: Output): readonly WorkPart[] {
  return Array.isArray(workspace?.changes) ? ALL_USUAL_PARTS : ["response"];
}

/** A workspace that still exists has its diff; otherwise it is computed from the example's files. */
function diffText({ example, output: { workspace } }: Recorded): string {
  if (!Array.isArray(workspace?.changes)) throw new GraderError("the output does not say what was changed");
  const { diff } = workspace as { diff?: unknown };
  const text = typeof diff === "string" ? diff : diffOf(workspace, example.environment as Environment | undefined);
  const { incomplete } = workspace;
  const isComplete = incomplete === undefined || isAboutGitAlone(incomplete);
  const shown = cutMiddle(text, LONGEST_PART);
  return isComplete ? shown : `${shown}\n[not all that was changed is known: ${incomplete}]`;
}

/** Maximum characters of one step, so that a tool that prints a whole file does not displace all other steps. */
const LONGEST_STEP = 4000;

/**
 * Formats what was said and done in a trial, one paragraph per step. Throws if the output has no trajectory.
 * @example
 * formatTranscript({ trajectory: { events: [{ type: "assistant_message", text: "Done.", timestamp: 0 }] } }); // "[assistant] Done."
 */
export function transcriptText(output: Output): string {
  const steps: Step[] = [];
  for (const event of trajectoryOf(output).events as readonly AgentEvent[]) {
    const step = stepOf(event);
    const last = steps.at(-1);
    if (step === null) continue;
    // Consecutive parts of an agent's message are one text.
    if (step.who === "assistant" && last?.who === "assistant") last.text += step.text;
    else steps.push(step);
  }
  if (hidesTools(output)) steps.push({ who: "note", text: "This system does not show which tools it calls." });
  return steps.map(({ who, text }) => `[${who}] ${cutMiddle(text, LONGEST_STEP)}`).join("\n\n");
}

interface Step {
  readonly who: string;
  text: string;
}

const SPEAKERS = { user_message: "user", assistant_message: "assistant", reasoning: "reasoning" } as const;

/** Null for events that do not describe the work, such as token usage. */
function stepOf(event: AgentEvent): Step | null {
  const { type } = event;
  if (type === "user_message" || type === "assistant_message" || type === "reasoning")
    return { who: SPEAKERS[type], text: event.text };
  if (type === "tool_call") return { who: "tool call", text: `${event.name} ${JSON.stringify(event.arguments) ?? ""}` };
  if (type === "tool_result") return { who: event.success ? "tool result" : "tool result, failed", text: event.result };
  if (type === "skill_activation") return { who: "skill", text: event.name };
  return type === "error" ? { who: "error", text: event.message } : null;
}

/** Maximum characters of one file. */
const LONGEST_FILE = 12_000;
/** Maximum number of files listed without their content. */
const MOST_NAMES = 200;

const ALL_FILES = fileFinder("**");

/**
 * Formats the files of the folder, up to about `most` characters: changed files come first, and files that do not fit are
 * listed by name. Throws if there is no folder.
 */
async function folderText(graded: Graded, most: number): Promise<string> {
  const folder = folderOf(graded);
  const shown: string[] = [];
  const named: string[] = [];
  let length = 0;
  for (const path of changedFirst(await ALL_FILES(graded), graded)) {
    if (length >= most) {
      named.push(path);
      continue;
    }
    const text = `==> ${path}\n${await fileText(folder, path)}`;
    shown.push(text);
    length += text.length;
  }
  if (named.length > 0) shown.push(`[not shown: ${listed(named, MOST_NAMES)}]`);
  return shown.join("\n\n");
}

function changedFirst(paths: readonly string[], { output }: Graded): string[] {
  const changed = new Set((output.workspace?.changes ?? []).map(({ path }) => path));
  return [...paths.filter((path) => changed.has(path)), ...paths.filter((path) => !changed.has(path))];
}

async function fileText(folder: string, path: string): Promise<string> {
  try {
    const text = await textOfFile(folder, path);
    return text.includes("\0") ? "[this is no text]" : cutMiddle(text, LONGEST_FILE);
  } catch (error) {
    return `[${messageOf(error)}]`;
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
  const start = text.slice(0, wholeAt(text, half));
  const end = text.slice(wholeAt(text, text.length - half));
  return `${start}\n[… ${text.length - start.length - end.length} characters left out …]\n${end}`;
}

/** The nearest position at or before `at` that is not inside a surrogate pair. */
function wholeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
