import { defineConfig } from "vitest/config";

/** The suites that need real agents: scripts/test-agents.mjs installs them. */
export default defineConfig({
  test: {
    include: ["test/agents/*.suite.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 1,
  },
});
