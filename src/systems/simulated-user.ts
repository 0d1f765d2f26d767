import { computeCost, toDollars } from "../budget/index.js";
import type {
  Example,
  InfrastructureCategory,
  Output,
  TrialContext,
  TrialKey,
  UserQuestion,
  UserRole,
  UserSimulator,
  UserTurn,
} from "../core/index.js";
import {
  computeRetryDelay,
  DEFAULT_RETRY,
  getErrorMessage,
  getRetry,
  isTrialError,
  readUserRole,
  TrialError,
  UsageError,
} from "../core/index.js";
import type { Message } from "../models/index.js";
import { type RetryState, retry } from "../utils/index.js";
import type { ModelSystem } from "./model.js";
import type { ConversationUser } from "./model-conversation.js";

/** Raise it with every change of the prompt: conversations with another one are not comparable. */
const USER_PROMPT_VERSION = 1;

/** The model speaks as the person, so the system's answers are what it is told. Many endpoints want a user to speak first. */
const OPENING = "The conversation begins. Write your first message.";

const NO_ANSWER = "(no answer)";

type UserModel = Pick<ModelSystem, "name" | "ask" | "limits" | "fingerprint" | "close">;

/** Draws the jitter of retries, in [0, 1). */
interface SimulatorOptions {
  readonly random?: () => number;
}

/**
 * Lets a model play the users of examples.
 * @example
 * const user = createUserSimulator(new ModelSystem({ baseUrl: "https://api.openai.com/v1", model: "gpt-6-luna" }));
 */
export function createUserSimulator(model: UserModel, { random = Math.random }: SimulatorOptions = {}): UserSimulator {
  const waitAfter = (error: unknown, tries: RetryState) => {
    const asked = getRetry(error);
    return asked === null ? null : computeRetryDelay(asked, tries, { policy: DEFAULT_RETRY, random });
  };
  return {
    name: model.name,
    fingerprint: () => ({ model: model.fingerprint(), promptVersion: USER_PROMPT_VERSION }),
    close: () => model.close(),
    async writeNext(question) {
      const { role, answered, signal } = question;
      if (answered >= role.maxTurns) return null;
      const output = await retry(() => askMetered(model, question), { signal, waitAfter }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw explainFailure(model, error);
      });
      // What a stopped trial has of a message is not sent.
      signal.throwIfAborted();
      return readMessage(model, output, role);
    },
  };
}

async function askMetered(model: UserModel, { role, turns, signal, meter, trial }: UserQuestion): Promise<Output> {
  const question = { system: buildUserPrompt(role), messages: buildUserMessages(turns), trial, by: "user" } as const;
  const add = ({ usage, costUsd }: Pick<Output, "usage" | "costUsd">) =>
    meter?.add({ costUsd: costUsd ?? priceUsage(usage, model), ...(usage !== undefined && { usage }) });
  try {
    const output = await model.ask(question, signal);
    add(output);
    return output;
  } catch (error) {
    // A call without an answer used nothing.
    if (isTrialError(error) && error.spent !== undefined) add(error.spent);
    throw error;
  }
}

function priceUsage(usage: Output["usage"], { limits }: UserModel): number | null {
  const price = limits?.price ?? null;
  return usage === undefined || price === null ? null : toDollars(computeCost(price, usage));
}

function buildUserPrompt({ persona, goal, stop }: UserRole): string {
  return [
    "You play a person who writes to an assistant. Every message that you get is the assistant's; you answer it as that person.",
    ...(persona === null ? [] : [`The person: ${persona}`]),
    `What the person wants: ${goal}`,
    `Rules:
- Write only the next message of the person, in the person's own words, and nothing around it.
- You are never the assistant: ask for the work, answer questions about it and judge it, but do none of it.
- Use only what is said above and in the conversation. What the person does not know, say so.
- Do not say everything at once: tell what the assistant asks for, or what comes next.
- When the person has what they want, or it is clear that they will not get it, write only ${stop}`,
  ].join("\n\n");
}

/** The conversation from the side of the person. */
function buildUserMessages(turns: readonly UserTurn[]): Message[] {
  const own = turns.map(({ role, text }): Message => {
    return { role: role === "user" ? "assistant" : "user", parts: [text.trim() === "" ? NO_ANSWER : text] };
  });
  return own[0]?.role === "assistant" ? [{ role: "user", parts: [OPENING] }, ...own] : own;
}

/** Null if the user ends the conversation, whatever else the message says. */
function readMessage(model: UserModel, { response = "", stopped }: Output, { stop }: UserRole): string | null {
  if (stopped === "refused") throw createUserError(model, "api_error", "it refused to write the next message");
  if (response.includes(stop)) return null;
  if (stopped === "truncated")
    throw createUserError(model, "api_error", "its message was cut off at its maximum length");
  const text = response.trim();
  if (text === "") throw createUserError(model, "api_error", "it wrote an empty message");
  return text;
}

function explainFailure(model: UserModel, error: unknown): TrialError {
  const category = isTrialError(error) ? error.category : "system_error";
  return createUserError(model, category, getErrorMessage(error).replace(/\.$/, ""), error);
}

/** Nothing about the system: it is neither asked again nor held for unreachable. */
function createUserError({ name }: UserModel, category: InfrastructureCategory, what: string, cause?: unknown) {
  const message = `The simulated user (${name}) failed: ${what}.`;
  return new TrialError(category, message, cause === undefined ? {} : { cause });
}

interface StartedUser {
  readonly simulator: UserSimulator | undefined;
  readonly trial: Pick<TrialContext, "signal" | "userMeter">;
  readonly key: TrialKey;
}

/** The simulated user of a trial; null if its example has none. */
export function startUser(example: Example, { simulator, trial, key }: StartedUser): ConversationUser | null {
  const played = findPlayedUser(example, simulator);
  if (played === null) return null;
  const { signal, userMeter: meter } = trial;
  return {
    writeNext: (turns, answered) =>
      played.simulator.writeNext({ role: played.role, turns, answered, signal, meter, trial: key }),
  };
}

/** Throws if the example has a user and nobody plays it. Called before anything is spent. */
export function requireUserSimulator(example: Example, simulator: UserSimulator | undefined): void {
  findPlayedUser(example, simulator);
}

/** The user of an example and who plays it; null if the example has none. */
function findPlayedUser(example: Example, simulator: UserSimulator | undefined) {
  const role = readUserRole(example);
  if (role === null) return null;
  if (simulator !== undefined) return { role, simulator };
  throw new UsageError(
    `The example ${JSON.stringify(example.id)} has a simulated user, but no model plays it. Name one with --user-model, or remove \`user\` from the example.`,
  );
}
