import { defineConfig } from "vitest/config";

/** Runs over a queue that are disturbed for a while: real workers, a real Redis, and kills of all of them. */
export default defineConfig({
  test: {
    include: ["test/queue/*.suite.ts"],
    globalSetup: "test/cache-folder.ts",
    testTimeout: 300_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 1,
  },
});
