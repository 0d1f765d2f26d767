import { defineConfig } from "vitest/config";

/** What `npm test` runs: one process for many files, because starting one for each takes a third of the whole time. */
const FAST = { isolate: false, setupFiles: "test/fixed-seed.ts", maxWorkers: 3 };

/** Suites that are slow by nature, each with a script of its own: one file after the other. */
const SLOW = { maxWorkers: 1, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    globalSetup: "test/cache-folder.ts",
    // Limits end what hangs. They are far from what a test takes, so that no busy machine reaches them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      { extends: true, test: { ...FAST, name: "src", include: ["src/**/*.test.ts"] } },
      { extends: true, test: { ...FAST, name: "web", include: ["web/src/**/*.test.ts"] } },
      { extends: true, test: { ...FAST, name: "bench", include: ["bench/**/*.test.mjs"] } },
      { extends: true, test: { ...FAST, name: "command", include: ["test/**/*.test.ts"] } },
      { extends: true, test: { ...SLOW, name: "docs", include: ["test/docs.suite.ts"] } },
      { extends: true, test: { ...SLOW, name: "browser", include: ["test/web/*.suite.ts"] } },
      { extends: true, test: { ...SLOW, name: "queue", include: ["test/queue/*.suite.ts"], testTimeout: 300_000 } },
      { extends: true, test: { ...SLOW, name: "agents", include: ["test/agents/*.suite.ts"] } },
    ],
  },
});
