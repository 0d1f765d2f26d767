import type { AgentEvent, Example, Output, Trajectory, Usage } from "../core/index.js";
import { asksAfterTurns, countAskedTurns, countTurns, isConversation, isOpenTurn } from "../core/index.js";
import { convertToText, getResponseText } from "../evaluators/index.js";
import type { GradedInput } from "./graded-workspace.js";

/** What graders are given, before the folder is opened. */
export type GradingInput = Omit<GradedInput, "workspace" | "env" | "box">;

/** A trial as it was after a turn of the user, or why it cannot be seen. */
export type TurnView =
  | { readonly kind: "seen"; readonly work: GradingInput }
  /** The trial ended before the turn was answered. */
  | { readonly kind: "unanswered"; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Shows a trial as it was when the system had answered a turn of the user. `turn` starts at 1.
 * @example
 * viewTurn({ example, output: { response: "b", replies: ["a", "b"] }, signal }, 1); // with the response "a"
 */
export function viewTurn(work: GradingInput, turn: number): TurnView {
  const { example, output } = work;
  const asked = countAskedTurns(example);
  const replies = listTurnReplies(output);
  if (replies.length < asked && !tellsReplies(output))
    return { kind: "unknown", why: "the output does not say what was answered in each turn" };
  if (turn > replies.length) {
    const count = `${replies.length} ${replies.length === 1 ? "turn" : "turns"}`;
    return turn <= asked
      ? { kind: "unanswered", why: `the trial ended after ${count}` }
      : { kind: "unknown", why: `the conversation ended after ${count}` };
  }
  return { kind: "seen", work: turn === replies.length ? work : cutWork(work, { turn, replies }) };
}

/** The answers in order. A model that was asked once has a response and no list; a recording has the list in its metadata. */
export function listTurnReplies(output: Output): string[] {
  const replies: unknown = output.replies ?? output.metadata?.replies;
  return Array.isArray(replies) ? replies.map(convertToText) : [getResponseText(output)];
}

/** A model that was stopped after its first answer says that it took one turn. */
function tellsReplies({ replies, metadata, turns }: Output): boolean {
  return Array.isArray(replies) || Array.isArray(metadata?.replies) || turns === 1;
}

/** The example up to each turn that the system must answer. */
export function listAskedExamples(example: Example): Example[] {
  const { question: _, ...rest } = example;
  const { turns } = example;
  if (!isConversation(turns) || turns.length === 0) return [example];
  const asked: Example[] = turns.flatMap((turn, at) =>
    isOpenTurn(turn, turns[at + 1]) ? [{ ...rest, turns: turns.slice(0, at + 1) }] : [],
  );
  return asksAfterTurns(example) ? [...asked, example] : asked;
}

interface TurnCut {
  readonly turn: number;
  readonly replies: readonly string[];
}

/** Leaves out all that came later, and all figures that include it. */
function cutWork({ figures: _, ...work }: GradingInput, { turn, replies }: TurnCut): GradingInput {
  const { example, output } = work;
  const state = output.turnStates?.[turn];
  const trajectory = cutTrajectory(output.trajectory, turn);
  const { costUsd: __, exitCode: ___, ...metadata } = output.metadata ?? {};
  return {
    ...work,
    example: listAskedExamples(example)[turn - 1] ?? example,
    output: {
      response: replies[turn - 1] ?? "",
      replies: replies.slice(0, turn),
      metadata,
      ...(trajectory !== undefined && { trajectory, ...recountTurns(trajectory) }),
      ...(state !== undefined && { workspace: state }),
      ...(output.partial === true && { partial: true }),
      ...(output.choice_order !== undefined && { choice_order: output.choice_order }),
      ...sumTurnUsage(output, { turn, trajectory }),
    },
    ...(output.workspace !== undefined &&
      state === undefined && {
        whyNoWorkspace: `the workspace after turn ${turn} was not stored: it is only kept for turns that a grader of the run looked at`,
      }),
  };
}

/** The events until the next message of the user; undefined if they do not show it. */
function cutTrajectory(trajectory: Trajectory | undefined, turn: number): Trajectory | undefined {
  const end = trajectory?.events?.findIndex(({ type, turn: at }) => type === "user_message" && at === turn + 1) ?? -1;
  return trajectory === undefined || end === -1
    ? undefined
    : { ...trajectory, events: trajectory.events.slice(0, end) };
}

function recountTurns({ events }: Trajectory): Pick<Output, "turns"> {
  const turns = countTurns(events);
  return turns === null ? {} : { turns };
}

/** Models report the usage of each turn, and the events of agents show it. */
function sumTurnUsage(
  { metadata }: Output,
  { turn, trajectory }: { turn: number; trajectory: Trajectory | undefined },
): Pick<Output, "usage" | "costUsd"> {
  const told = metadata?.turnUsage;
  if (Array.isArray(told)) return toUsage(told.slice(0, turn) as (Usage | null | undefined)[]);
  const used = ((trajectory?.events ?? []) as readonly AgentEvent[]).filter((event) => event.type === "token_usage");
  if (used.length === 0) return {};
  const costs = used.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    ...toUsage(used.map(({ usage }) => usage)),
    ...(costs.length === used.length && { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
  };
}

/** Empty if the usage of a call is unknown: a partial sum would look like the total. */
function toUsage(usages: readonly (Usage | null | undefined)[]): Pick<Output, "usage"> {
  const sum: Usage = { input: 0, output: 0 };
  for (const usage of usages) {
    if (usage === null || usage === undefined) return {};
    for (const [name, count] of Object.entries(usage) as [keyof Usage, number][]) sum[name] = (sum[name] ?? 0) + count;
  }
  return { usage: sum };
}
