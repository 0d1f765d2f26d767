import { defineConfig } from "vitest/config";

/** What the documents say: their examples are run, one after the other. */
export default defineConfig({
  test: {
    include: ["test/docs.suite.ts"],
    globalSetup: "test/cache-folder.ts",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 1,
  },
});
