import type { Reporter } from "../../core/registry.js";

/** `--output html`: a run as one file to open in a browser. What makes it is loaded when it is asked for. */
export const htmlReporter: Reporter = {
  name: "html",
  render: async (result) => (await import("./html-report-page.js")).htmlPage(result),
};
