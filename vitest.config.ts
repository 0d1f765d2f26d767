import { defineConfig } from "vitest/config";

/** Tests that start programs in boxes or in folders of their own, and those that read whole datasets. */
const SLOW_TESTS = [
  "src/agents/**/*.test.ts",
  "src/evaluators/code/**/*.test.ts",
  "src/evaluators/code-execution.test.ts",
  "src/evaluators/math/word-problems.test.ts",
  "src/evaluators/code/hostile-code.test.ts",
  "src/exec/box/**/*.test.ts",
  "src/exec/container/**/*.test.ts",
  "src/exec/lines/**/*.test.ts",
  "src/exec/process/**/*.test.ts",
  "src/exec/sandbox/**/*.test.ts",
  "src/exec/workspace/**/*.test.ts",
];

/** One process for many files, because starting one for each takes a third of the whole time. */
const SHARED = { isolate: false, setupFiles: "src/testing/fixed-seed.ts", maxWorkers: 3 };

/** Suites with a server, a browser or agents of their own: one file after the other. */
const ALONE = { maxWorkers: 1, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    globalSetup: "src/testing/cache-folder.ts",
    // Limits end what hangs. They are far from what a test takes, so that no busy machine reaches them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      { extends: true, test: { ...SHARED, name: "src", include: ["src/**/*.test.ts"], exclude: SLOW_TESTS } },
      { extends: true, test: { ...SHARED, name: "web", include: ["web/src/**/*.test.ts"] } },
      { extends: true, test: { ...SHARED, name: "bench", include: ["bench/**/*.test.mjs"] } },
      { extends: true, test: { ...SHARED, name: "slow", include: SLOW_TESTS } },
      { extends: true, test: { ...SHARED, name: "command", include: ["test/**/*.test.ts"] } },
      { extends: true, test: { ...ALONE, name: "docs", include: ["test/docs.suite.ts"] } },
      { extends: true, test: { ...ALONE, name: "browser", include: ["test/web/*.suite.ts"] } },
      { extends: true, test: { ...ALONE, name: "queue", include: ["test/queue/*.suite.ts"], testTimeout: 300_000 } },
      { extends: true, test: { ...ALONE, name: "chaos", include: ["test/chaos/*.suite.ts"] } },
      { extends: true, test: { ...ALONE, name: "agents", include: ["test/agents/*.suite.ts"] } },
    ],
  },
});
