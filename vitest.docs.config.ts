import { defineConfig } from "vitest/config";

/** What the documents say: their examples are run, one after the other. */
export default defineConfig({
  test: {
    include: ["test/docs.suite.ts"],
    globalSetup: "test/cache-folder.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
});
