import { TASKS } from "./dataset.js";
import type { AgentTask, TaskStep } from "./task.js";

/** A script for `assay mock`, with the fields that tasks need. */
export interface TaskScript {
  readonly tools: readonly { readonly match: string; readonly steps: readonly TaskStep[] }[];
  /** Reply to other requests, such as for a session title. */
  readonly reply: string;
}

/** Not solved by the scripted model. */
export const UNSOLVED_TASK = "idempotent-migration";
/** Solved at once, followed by long turns. */
export const OVERSPENDING_TASK = "extract-duplicate";

/** A few such turns cost more than the useful work. */
const LONG_TURN_TOKENS = 6000;

/**
 * Builds a mock script for all tasks at the same time: it solves six, gives up on one, and continues at length after
 * solving another, so that a small budget stops it.
 * @example
 * const mock = await startMock(buildAgentTaskScript());
 */
export function buildAgentTaskScript(): TaskScript {
  return {
    tools: TASKS.map((task) => ({ match: task.question, steps: buildTaskSteps(task) })),
    reply: "A coding task",
  };
}

function buildTaskSteps({ id, walkthrough }: AgentTask): readonly TaskStep[] {
  if (id === UNSOLVED_TASK) return giveUpEarly(walkthrough);
  return id === OVERSPENDING_TASK ? addExpensiveTurns(walkthrough) : walkthrough;
}

function giveUpEarly(walkthrough: readonly TaskStep[]): readonly TaskStep[] {
  return [
    ...walkthrough.slice(0, 2),
    { text: "I can see that the second run loses the prices, but I could not find a way to prevent it." },
  ];
}

function addExpensiveTurns(walkthrough: readonly TaskStep[]): readonly TaskStep[] {
  const again = ["cat slug.mjs", "cat posts.mjs", "cat tags.mjs", "node --test"];
  return [
    ...walkthrough.slice(0, -1),
    ...again.map((command) => ({ command, outputTokens: LONG_TURN_TOKENS })),
    ...walkthrough.slice(-1),
  ];
}
