import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

/**
 * A script that Redis runs at one moment. It is sent once and called by its digest afterwards. A call whose answer was
 * lost is sent again after a reconnect, so that every script has to do nothing the second time.
 * @example
 * const script = new Script("return ARGV[1]");
 * await script.run(redis, [], ["hello"]); // "hello"
 */
export class Script {
  readonly #lua: string;
  readonly #digest: string;

  constructor(lua: string) {
    this.#lua = lua;
    this.#digest = createHash("sha1").update(lua).digest("hex");
  }

  /** Runs it with these keys and arguments. */
  async run(redis: Redis, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return redis.eval(this.#lua, keys.length, ...keys, ...args);
    }
  }
}

/** A Redis that was started again has forgotten its scripts. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}
