import { defineConfig } from "vitest/config";

/** The pages in a real browser, each file with runs, a server and a browser of its own. */
export default defineConfig({
  test: {
    include: ["test/web/*.suite.ts"],
    globalSetup: "test/cache-folder.ts",
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
});
