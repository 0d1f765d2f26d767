import { diffArrays } from "diff";
import { type AgentEventBody, omitUndefined, type Trajectory, type TrajectoryEvent } from "../../core/index.js";
import { cutText, formatPlural, formatSeconds } from "../format.js";
import {
  describeAnswerEnd,
  findToolFile,
  formatAnyValue,
  formatThousands,
  formatThread,
  formatToolArguments,
  joinTextEvents,
  parseToolArguments,
  RunningUsage,
  summarizeToolCall,
  type ToolArguments,
  ToolCallTracker,
} from "../timeline.js";
import type { TimelineStep } from "./contract.js";

/** More steps would not be read. */
const MAX_STEPS = 5000;
const MAX_TITLE_LENGTH = 200;

/** The content of a step; time and cost are added to it. */
type StepContent = Pick<TimelineStep, "kind" | "title"> &
  Partial<
    Pick<
      TimelineStep,
      "callId" | "isSuccess" | "diff" | "stepCostUsd" | "stepTokens" | "durationMs" | "tool" | "thread" | "callIds"
    >
  > & { text?: string };

type StepBuilder = (event: TrajectoryEvent) => StepContent | null;

/**
 * Builds the steps of a trial. Any system may write events of any shape: an unknown event becomes its own step.
 * @example
 * buildTimeline({ startedAt: 0, events: [{ type: "error", message: "No space.", timestamp: 1500 }] });
 * // [{ atMs: 1500, kind: "error", title: "", text: "No space.", … }]
 */
export function buildTimeline(trajectory: Trajectory, options: TimelineLimits = {}): TimelineStep[] {
  return new TimelineBuilder(trajectory, options).build();
}

interface TimelineLimits {
  /** Default: as many as a page can show. */
  readonly maxSteps?: number;
  /** False leaves out what calls do to files, which takes most of the time. Default: true. */
  readonly hasDiffs?: boolean;
}

/** Reads the events in order, because the meaning of one may depend on those before. */
class TimelineBuilder {
  readonly #events: readonly TrajectoryEvent[];
  readonly #start: number;
  readonly #calls: ToolCallTracker;
  readonly #used = new RunningUsage();
  readonly #room = new TextLimit();
  readonly #diffs: EditDiffBuilder | null;
  readonly #maxSteps: number;
  readonly #tell: Readonly<Record<AgentEventBody["type"], StepBuilder>>;
  #hasUsed = false;
  #turn = 0;
  #atMs = 0;

  constructor({ events, startedAt }: Trajectory, { maxSteps = MAX_STEPS, hasDiffs = true }: TimelineLimits) {
    this.#maxSteps = maxSteps;
    this.#diffs = hasDiffs ? new EditDiffBuilder() : null;
    this.#events = joinTextEvents(events);
    this.#start = startedAt ?? getEventTime(events[0]) ?? 0;
    this.#calls = new ToolCallTracker(events);
    this.#tell = {
      user_message: ({ text }) => ({ kind: "user", title: "", text: formatAnyValue(text) }),
      assistant_message: ({ text }) => ({ kind: "says", title: "", text: formatAnyValue(text) }),
      reasoning: ({ text }) => ({ kind: "thinks", title: "", text: formatAnyValue(text) }),
      tool_call: (event) => this.#buildCall(event),
      tool_result: (event) => this.#buildResult(event),
      token_usage: (event) => this.#buildTokens(event),
      turn_start: () => ({ kind: "turn", title: `Turn ${++this.#turn}` }),
      turn_end: () => null,
      skill_activation: ({ name }) => ({ kind: "skill", title: formatAnyValue(name) }),
      error: ({ message }) => ({ kind: "error", title: "", text: formatAnyValue(message) }),
      system: ({ text }) => ({ kind: "system", title: "", text: formatAnyValue(text) }),
      custom: ({ name, data }) => ({ kind: "other", title: formatAnyValue(name), text: formatAnyValue(data) }),
    };
  }

  build(): TimelineStep[] {
    const steps: TimelineStep[] = [];
    let leftOut = 0;
    for (const event of this.#events) {
      if (steps.length < this.#maxSteps) steps.push(...this.#buildSteps(event));
      else leftOut += this.#countSkipped(event);
    }
    const title = `${formatPlural(leftOut, "more event")} ${leftOut === 1 ? "is" : "are"} left out`;
    return leftOut === 0 ? steps : [...steps, this.#createStep({ kind: "other", title })];
  }

  #buildSteps(event: TrajectoryEvent): TimelineStep[] {
    this.#atMs = this.#getElapsedMs(event);
    const isKnown = Object.hasOwn(this.#tell, event.type);
    const told = isKnown ? this.#tell[event.type as AgentEventBody["type"]](event) : buildUnknownStep(event);
    return told === null ? [] : [this.#createStep(told)];
  }

  /** Skipped events still cost money. */
  #countSkipped(event: TrajectoryEvent): number {
    this.#atMs = this.#getElapsedMs(event);
    if (event.type === "token_usage") this.#used.addUsage(event);
    return event.type === "turn_end" ? 0 : 1;
  }

  #createStep(content: StepContent): TimelineStep {
    const { kind, title, text = "", callId = null, isSuccess = null, diff = null } = content;
    const { stepCostUsd = null, stepTokens = null, durationMs = null, tool, thread, callIds } = content;
    return {
      atMs: this.#atMs,
      kind,
      title: cutText(title, MAX_TITLE_LENGTH),
      text: this.#room.cut(text),
      length: text.length,
      callId,
      isSuccess,
      diff,
      costUsd: this.#hasUsed ? toFiniteNumber(this.#used.costUsd) : null,
      tokens: this.#hasUsed ? toFiniteNumber(this.#used.tokens) : null,
      stepCostUsd,
      stepTokens,
      durationMs,
      ...omitUndefined({ tool, thread, callIds }),
    };
  }

  /** An event without a time gets that of the one before. */
  #getElapsedMs(event: TrajectoryEvent): number {
    const time = getEventTime(event);
    return time === null ? this.#atMs : (toFiniteNumber(time - this.#start) ?? this.#atMs);
  }

  #buildCall(event: TrajectoryEvent): StepContent {
    const { name, isAnswered } = this.#calls.addCall(event);
    const gist = summarizeToolCall(event.arguments).trim();
    const title = `${formatThread(event)}${name}${isAnswered ? "" : " (no result)"}${gist === "" ? "" : `: ${gist}`}`;
    const diff = this.#diffs?.build(event.arguments) ?? null;
    return {
      kind: "call",
      title,
      text: formatToolArguments(event.arguments),
      callId: formatAnyValue(event.callId),
      diff,
      tool: name,
      ...readThread(event),
    };
  }

  #buildResult(event: TrajectoryEvent): StepContent {
    const { success, result, callId } = event;
    const isSuccess = typeof success === "boolean" ? success : null;
    return {
      kind: "result",
      title: this.#calls.describeResult(event),
      text: formatAnyValue(result),
      callId: formatAnyValue(callId),
      isSuccess,
    };
  }

  #buildTokens(event: TrajectoryEvent): StepContent {
    const { input, output } = this.#used.addUsage(event);
    const { model, durationMs } = event;
    this.#hasUsed = true;
    const took = typeof durationMs === "number" ? ` · ${formatSeconds(durationMs / 1000)}` : "";
    const end = describeAnswerEnd(event);
    const text = `${formatThousands(input)} in, ${formatThousands(output)} out${took}${end === null ? "" : ` · ${end}`}`;
    return {
      kind: "tokens",
      title: typeof model === "string" ? model : "",
      text,
      stepCostUsd: toFiniteNumber(event.costUsd),
      stepTokens: toFiniteNumber(input + output),
      durationMs: toFiniteNumber(durationMs),
      ...readThread(event),
      ...readCallIds(event),
    };
  }
}

function readThread({ thread }: TrajectoryEvent): Pick<TimelineStep, "thread"> {
  return typeof thread === "string" ? { thread } : {};
}

function readCallIds({ callIds }: TrajectoryEvent): Pick<TimelineStep, "callIds"> {
  return Array.isArray(callIds) ? { callIds: callIds.map(formatAnyValue) } : {};
}

function buildUnknownStep({ type, timestamp: _, ...data }: TrajectoryEvent): StepContent {
  return { kind: "other", title: type, text: formatAnyValue(data) };
}

function getEventTime(event: TrajectoryEvent | undefined): number | null {
  return toFiniteNumber(event?.timestamp ?? null);
}

function toFiniteNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

const MAX_TEXT_LENGTH = 20_000;
/** For all texts of a timeline together, so that a page can hold it; later texts are cut short. */
const MAX_TOTAL_LENGTH = 4_000_000;
const CUT_TEXT_LENGTH = 200;

/** Cuts the texts of one timeline to what a page can show. */
class TextLimit {
  #left = MAX_TOTAL_LENGTH;

  cut(text: string): string {
    const kept = cutText(text, this.#left > 0 ? MAX_TEXT_LENGTH : CUT_TEXT_LENGTH);
    this.#left -= kept.length;
    return kept;
  }
}

/** Names that tools use for the old text, the new text and the text of a whole file. */
const OLD_TEXT_KEYS = ["old_string", "oldString", "old_str", "oldText"];
const NEW_TEXT_KEYS = ["new_string", "newString", "new_str", "newText", "new_source"];
const FILE_TEXT_KEYS = ["content", "file_text", "contents"];

const MAX_EDIT_LENGTH = 20_000;
/** Lines compared one by one, per edit and per timeline; the rest is shown as replaced. */
const MAX_COMPARED_LINES = 400;
const MAX_COMPARED_LINES_TOTAL = 20_000;
/** Characters of all edits of a timeline; later edits are not shown. */
const MAX_EDIT_LENGTH_TOTAL = 2_000_000;
const NOT_SHOWN = [" (not shown: earlier edits fill the page)"];

/** Shows what tool calls do to files, within the limits of one timeline. */
export class EditDiffBuilder {
  #left = MAX_COMPARED_LINES_TOTAL;
  #room = MAX_EDIT_LENGTH_TOTAL;

  /** The lines of an edit, each with a leading `+`, `-` or space; null for a call that edits nothing. */
  build(given: unknown): readonly string[] | null {
    const lines = this.#buildLines(given);
    if (lines === null) return null;
    this.#room -= lines.reduce((sum, { length }) => sum + length + 1, 0);
    return this.#room < 0 ? NOT_SHOWN : lines;
  }

  #buildLines(given: unknown): readonly string[] | null {
    const known = parseToolArguments(given);
    const patched = extractPatchLines(known ?? given, MAX_EDIT_LENGTH);
    if (patched !== null || known === null) return patched;
    const diffs = [known, ...listEdits(known)].flatMap((edit) => this.#buildEdit(edit) ?? []);
    if (diffs.length > 0) return diffs.flatMap((lines, index) => (index === 0 ? lines : [" …", ...lines]));
    const written = findToolFile(known) === null ? null : findArgumentText(known, FILE_TEXT_KEYS);
    return written === null ? null : splitEditLines(written).map((line) => `+${line}`);
  }

  #buildEdit(edit: ToolArguments): [string[]] | null {
    const before = findArgumentText(edit, OLD_TEXT_KEYS);
    const after = findArgumentText(edit, NEW_TEXT_KEYS);
    return before === null && after === null
      ? null
      : [this.#compareLines(splitEditLines(before ?? ""), splitEditLines(after ?? ""))];
  }

  #compareLines(before: readonly string[], after: readonly string[]): string[] {
    const count = before.length + after.length;
    if (count > MAX_COMPARED_LINES || count > this.#left)
      return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
    this.#left -= count;
    return diffArrays([...before], [...after]).flatMap(({ added, removed, value }) => {
      const sign = added ? "+" : removed ? "-" : " ";
      return value.map((line) => sign + line);
    });
  }
}

function listEdits({ edits }: ToolArguments): ToolArguments[] {
  const given: readonly unknown[] = Array.isArray(edits) ? edits : [];
  return given.map(parseToolArguments).filter((edit) => edit !== null);
}

function findArgumentText(known: ToolArguments, names: readonly string[]): string | null {
  const text = names.map((name) => known[name]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : null;
}

/** Without the final line end; an empty text has no lines. */
function splitEditLines(text: string): string[] {
  if (text === "") return [];
  const kept = cutText(text, MAX_EDIT_LENGTH);
  const lines = kept.replace(/\n$/, "").split("\n");
  return kept.length === text.length ? lines : [...lines, `… ${text.length - kept.length} more characters`];
}

const PATCH_START = "*** Begin Patch";
const PATCH_END = "*** End Patch";
/** Names that some agents use for the diff in their lists of changed files. */
const DIFF_KEYS = ["diff", "unified_diff"];

/** The lines of a patch in the arguments, each with a leading `+`, `-` or space; null when there is none. */
function extractPatchLines(given: unknown, mostCharacters: number): string[] | null {
  const patch = findPatch(given);
  if (patch === null) return null;
  const kept = cutText(patch, mostCharacters);
  const lines = kept.replace(/\n$/, "").split("\n").filter(isPatchContent).map(addSign);
  return kept.length === patch.length ? lines : [...lines, ` … ${patch.length - kept.length} more characters`];
}

function findPatch(given: unknown): string | null {
  for (const text of listPatchTexts(given)) {
    const start = text.indexOf(PATCH_START);
    if (start !== -1) return cutAtPatchEnd(text.slice(start));
  }
  return joinDiffs(given);
}

/** In a command, other text may follow the patch. */
function cutAtPatchEnd(text: string): string {
  const end = text.indexOf(PATCH_END);
  return end === -1 ? text : text.slice(0, end + PATCH_END.length);
}

function listPatchTexts(given: unknown): string[] {
  const values = typeof given === "object" && given !== null ? Object.values(given).flat() : [given];
  return values.filter((value) => typeof value === "string");
}

function joinDiffs(given: unknown): string | null {
  const { changes } = (given ?? {}) as ToolArguments;
  if (!Array.isArray(changes)) return null;
  const diffs = changes.flatMap((change) => DIFF_KEYS.map((name) => (change as ToolArguments | null)?.[name]));
  const texts = diffs.filter((diff) => typeof diff === "string" && diff !== "");
  return texts.length === 0 ? null : texts.join("\n");
}

function isPatchContent(line: string): boolean {
  return line !== PATCH_START && line !== PATCH_END;
}

function addSign(line: string): string {
  return /^[+\- ]/.test(line) ? line : ` ${line}`;
}
