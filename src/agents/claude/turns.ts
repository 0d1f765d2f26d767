import type { AgentHappening } from "../../core/trajectory.js";

/**
 * The turns of the main conversation: one for each message of the model. A message that takes the place of one that
 * broke off is of the same turn.
 */
export class ClaudeTurns {
  #messageId: string | null = null;
  #isOpen = false;
  #isStreamed = false;
  #isStreaming = false;

  /** The message that was begun last. */
  get messageId(): string | null {
    return this.#messageId;
  }

  /** A part of a message came. `isAgain`: in place of the last one, which broke off. */
  enter(messageId: string, isAgain: boolean): AgentHappening[] {
    if (messageId === this.#messageId) return [];
    this.#messageId = messageId;
    this.#isStreamed = false;
    this.#isStreaming = false;
    return this.#isOpen && isAgain ? [] : [...this.close(), ...this.#open()];
  }

  /** The message comes in pieces: it says itself when it is over. */
  stream(): void {
    this.#isStreamed = true;
    this.#isStreaming = true;
  }

  /** True for a message that came in pieces. */
  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /** The last piece came. One that broke off leaves its turn open. */
  stop(isWhole: boolean): AgentHappening[] {
    this.#isStreaming = false;
    return isWhole ? this.close() : [];
  }

  /** Results came back. Those of the first calls may come while the last are still being written. */
  results(): AgentHappening[] {
    return this.#isStreaming ? [] : this.close();
  }

  close(): AgentHappening[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    return [{ type: "turn_end" }];
  }

  #open(): AgentHappening[] {
    this.#isOpen = true;
    return [{ type: "turn_start" }];
  }
}
