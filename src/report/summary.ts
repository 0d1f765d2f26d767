import type { Reporter } from "../core/index.js";

/** Loaded on demand: it reads stored outputs. */
export const summaryReporter: Reporter = {
  name: "summary",
  render: async (result, options) => (await import("./summary-text.js")).renderSummary(result, options),
};
