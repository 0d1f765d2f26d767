import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "test/cache-folder.ts",
    setupFiles: "test/fixed-seed.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
