import type { Reporter } from "../../core/index.js";

// Loaded on demand: most runs print a table.

/** `--output eval`: for people, by test case. */
export const evalReporter: Reporter = {
  name: "eval",
  render: async (result, options) => (await import("./eval-text.js")).renderEvalText(result, options),
};

/** `--output markdown`: a comment on a pull request. */
export const markdownReporter: Reporter = {
  name: "markdown",
  render: async (result, options) => {
    const { evalReport } = await import("./eval-report.js");
    return (await import("./eval-text.js")).renderEvalMarkdown(evalReport(result, options), result);
  },
};

/** `--output junit`: for CI servers. */
export const junitReporter: Reporter = {
  name: "junit",
  render: async (result, options) => (await import("./junit.js")).renderJunitXml(result, undefined, options),
};
