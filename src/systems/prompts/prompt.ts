import { describeValue, type Example, normalizeRole } from "../../core/index.js";
import type { Message } from "../../models/index.js";
import { PromptError } from "./prompt-error.js";
import { Template } from "./template.js";

/** One message of a prompt; its content is a template. */
export interface PromptMessage {
  /** `system`, `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
}

/** Options of `Prompt`. */
export interface PromptOptions {
  /** Distinguishes systems that differ only in their prompt. */
  readonly name: string;
  /** The text of the user's message, or several messages. `{{question}}` and so on insert columns of the example. */
  readonly template: string | readonly PromptMessage[];
  /** Formats the place of a line of a message, for errors. Default: the name of the prompt and the line. */
  readonly where?: (line: number, message: number) => string;
}

/**
 * A prompt: a template for what a model is asked about an example, instead of its context and question.
 * @example
 * const prompt = new Prompt({ name: "short", template: "Answer in one word.\n\n{{question}}" });
 * new ModelSystem({ baseUrl: "https://api.openai.com/v1", model: "gpt-6-luna", apiKeyEnv: "OPENAI_API_KEY", prompt });
 */
export class Prompt {
  readonly name: string;
  readonly #given: readonly PromptMessage[];
  readonly #messages: readonly { readonly role: Message["role"]; readonly template: Template }[];

  constructor({ name, template, where = defaultPlace(name, template) }: PromptOptions) {
    if (typeof name !== "string" || name === "") throw new PromptError("A prompt needs a name.");
    this.name = name;
    this.#given = typeof template === "string" ? [{ role: "user", content: template }] : template;
    checkMessages(this.#given, (message) => where(1, message));
    this.#messages = this.#given.map(({ role, content }, message) => ({
      role: normalizeRole(role),
      template: new Template(content, (line) => where(line, message)),
    }));
  }

  /** The columns that it inserts, each once. */
  get variables(): string[] {
    return [...new Set(this.#messages.flatMap(({ template }) => template.variables))];
  }

  /**
   * The messages for an example. Throws a `PromptError` if the example lacks a column, or has turns that the prompt
   * would leave out.
   */
  render(example: Example): Message[] {
    if ((example.turns ?? []).length > 0 && !this.variables.includes("turns"))
      throw new PromptError(
        `The example ${JSON.stringify(example.id)} is a conversation with turns, which the prompt "${this.name}" would leave out. Run it without a prompt, or insert {{turns}} as JSON.`,
      );
    return this.#messages.map(({ role, template }) => ({ role, parts: [template.render(example)] }));
  }

  /** Identifies its content. */
  fingerprint(): unknown {
    return this.#given.map(({ role, content }) => [normalizeRole(role), content]);
  }
}

function defaultPlace(name: string, template: PromptOptions["template"]): (line: number, message: number) => string {
  const isOne = typeof template === "string";
  return (line, message) => `The prompt "${name}", ${isOne ? "" : `message ${message + 1}, `}line ${line}`;
}

/** Unlike `Array.isArray`, it keeps the type of the items. */
function isList(value: readonly PromptMessage[]): boolean {
  return Array.isArray(value);
}

const ROLES = ["system", "developer", "user", "human", "assistant", "model"];

function checkMessages(messages: readonly PromptMessage[], where: (message: number) => string): void {
  if (!isList(messages) || messages.length === 0)
    throw new PromptError(`${where(0)}: a chat prompt must be a list of { role, content }.`);
  for (const [index, message] of messages.entries()) {
    const { role, content } = (message ?? {}) as Partial<PromptMessage>;
    if (typeof role !== "string" || !ROLES.includes(role.toLowerCase()))
      throw new PromptError(
        `${where(index)}: the role must be system, user or assistant, but is ${describeValue(role)}.`,
      );
    if (typeof content !== "string")
      throw new PromptError(`${where(index)}: the content must be text, but is ${describeValue(content)}.`);
  }
  if (messages.every(({ content }) => content.trim() === ""))
    throw new PromptError(`${where(0)}: the prompt is empty. Write what to ask the model.`);
}
