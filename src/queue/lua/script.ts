import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

/**
 * A script that Redis runs atomically. It is sent once and then called by its digest. A call whose answer was lost is sent
 * again after a reconnect, so every script must be safe to repeat.
 * @example
 * const script = new LuaScript("return ARGV[1]");
 * await script.run(redis, [], ["hello"]); // "hello"
 */
export class LuaScript {
  readonly #lua: string;
  readonly #digest: string;

  constructor(lua: string) {
    this.#lua = lua;
    this.#digest = createHash("sha1").update(lua).digest("hex");
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return redis.eval(this.#lua, keys.length, ...keys, ...args);
    }
  }
}

/** A restarted Redis has lost its scripts. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}
