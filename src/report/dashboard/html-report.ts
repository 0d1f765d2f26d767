import type { Reporter } from "../../core/index.js";

/** `--output html`: a run as one HTML file. The renderer is loaded on demand. */
export const htmlReporter: Reporter = {
  name: "html",
  render: async (result) => (await import("./html-report-page.js")).renderHtmlPage(result),
};
