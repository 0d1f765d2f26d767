import { defineConfig } from "vitest/config";

/** The pages in a real browser, each file with runs, a server and a browser of its own. */
export default defineConfig({
  test: {
    include: ["test/web/*.suite.ts"],
    globalSetup: "test/cache-folder.ts",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 1,
  },
});
