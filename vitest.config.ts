import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "test/cache-folder.ts",
    setupFiles: "test/fixed-seed.ts",
    // Limits end what hangs. They are far from what a test takes, so that no busy machine reaches them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 3,
    projects: [
      // One process for many files: starting one for each, and loading everything again, is a third of the whole time.
      { extends: true, test: { name: "src", include: ["src/**/*.test.ts"], isolate: false } },
      { extends: true, test: { name: "web", include: ["web/src/**/*.test.ts"], isolate: false } },
      { extends: true, test: { name: "bench", include: ["bench/**/*.test.mjs"], isolate: false } },
      { extends: true, test: { name: "command", include: ["test/**/*.test.ts"], isolate: false } },
    ],
  },
});
