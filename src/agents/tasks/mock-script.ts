import { TASKS } from "./all.js";
import type { AgentTask, TaskStep } from "./task.js";

/** A script for `assay mock`, of the part of its shape that tasks need. */
export interface TaskScript {
  readonly tools: readonly { readonly match: string; readonly steps: readonly TaskStep[] }[];
  /** For what is not one of the tasks, such as a title for the session. */
  readonly reply: string;
}

/** Never done by the scripted model. */
export const GIVEN_UP = "idempotent-migration";
/** Done at once, and then talked about at length. */
export const TALKED_ABOUT = "extract-duplicate";

/** So many tokens that a few turns cost more than all that was of use. */
const LONG_TURN = 6000;

/**
 * What a mock needs to play all the tasks at the same time: it solves six, gives one up, and talks on after having solved
 * one, so that a small budget stops it there.
 * @example
 * const mock = await startMock(agentTaskScript());
 */
export function agentTaskScript(): TaskScript {
  return { tools: TASKS.map((task) => ({ match: task.question, steps: stepsOf(task) })), reply: "A coding task" };
}

function stepsOf({ id, walkthrough }: AgentTask): readonly TaskStep[] {
  if (id === GIVEN_UP) return givingUp(walkthrough);
  return id === TALKED_ABOUT ? talkingOn(walkthrough) : walkthrough;
}

/** Looks at it, and leaves it. */
function givingUp(walkthrough: readonly TaskStep[]): readonly TaskStep[] {
  return [
    ...walkthrough.slice(0, 2),
    { text: "I can see that the second run loses the prices, but I could not find a way to prevent it." },
  ];
}

function talkingOn(walkthrough: readonly TaskStep[]): readonly TaskStep[] {
  const again = ["cat slug.mjs", "cat posts.mjs", "cat tags.mjs", "node --test"];
  return [
    ...walkthrough.slice(0, -1),
    ...again.map((command) => ({ command, outputTokens: LONG_TURN })),
    ...walkthrough.slice(-1),
  ];
}
