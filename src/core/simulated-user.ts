import type { ScoreMeter } from "./evaluator.js";
import type { Example } from "./example.js";
import type { TrialKey } from "./row.js";
import { describeValue } from "./shape.js";
import { didYouMean } from "./suggest.js";

/** The user of an example that a model plays: who it is, what it wants, and when it stops. */
export interface UserRole {
  readonly persona: string | null;
  readonly goal: string;
  /** How many messages the user sends at most, with those that the example holds. */
  readonly maxTurns: number;
  /** The model writes this when the user has nothing more to say. */
  readonly stop: string;
}

/** A message of a conversation as the simulated user sees it. */
export interface UserTurn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What the simulated user is asked, after each answer of the system. */
export interface UserQuestion {
  readonly role: UserRole;
  /** The conversation so far; the last message is the answer. */
  readonly turns: readonly UserTurn[];
  /** How many messages the system has answered. */
  readonly answered: number;
  readonly signal: AbortSignal;
  /** Takes the cost of the call. */
  readonly meter?: ScoreMeter | undefined;
  /** The trial, where requests are recorded. */
  readonly trial: TrialKey;
}

/** Plays the users of examples. */
export interface UserSimulator {
  readonly name: string;
  /** The next message of the user; null if the conversation is over. */
  writeNext(question: UserQuestion): Promise<string | null>;
  fingerprint(): unknown;
  close(): Promise<void>;
}

const ROLE_KEYS = ["persona", "goal", "max_turns", "stop"] as const;

const DEFAULT_MAX_TURNS = 10;

const DEFAULT_STOP = "[END]";

/**
 * Why the `user` of an example cannot be played; null if it can. A column of that name that holds no mapping is data.
 * @example
 * findUserProblem({ user: { gaol: "a refund" } }); // 'has a user with the unknown key "gaol". Did you mean "goal"?'
 */
export function findUserProblem({ user }: { readonly user?: unknown }): string | null {
  if (!isMapping(user)) return null;
  const unknown = Object.keys(user).find((key) => !(ROLE_KEYS as readonly string[]).includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, ROLE_KEYS).replace(/\.$/, "");
    return `has a user with the unknown key "${unknown}".${hint === "" ? ` It takes ${ROLE_KEYS.join(", ")}` : hint}`;
  }
  const { persona, goal, max_turns: maxTurns, stop } = user;
  if (!isText(goal)) return `has user.goal that is ${describeValue(goal)}, not a text that says what the user wants`;
  if (persona !== undefined && !isText(persona))
    return `has user.persona that is ${describeValue(persona)}, not a text that says who the user is`;
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && Number(maxTurns) >= 1))
    return `has user.max_turns that is ${describeValue(maxTurns)}, not a whole number of at least 1`;
  if (stop !== undefined && !isText(stop))
    return `has user.stop that is ${describeValue(stop)}, not a text that the user ends with`;
  return null;
}

/** The simulated user of an example, which must have no problem; null if it has none. */
export function readUserRole({ user }: Pick<Example, "user">): UserRole | null {
  if (!isMapping(user)) return null;
  const { persona, goal, max_turns: maxTurns, stop } = user as Record<string, string | number | undefined>;
  return {
    persona: persona === undefined ? null : String(persona),
    goal: String(goal),
    maxTurns: Number(maxTurns ?? DEFAULT_MAX_TURNS),
    stop: String(stop ?? DEFAULT_STOP),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
