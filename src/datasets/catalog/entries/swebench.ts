import { createSweBenchEntry } from "../swebench.js";

export const swebench = createSweBenchEntry({
  about: "Issues of Python projects, each to be resolved with a patch.",
  repo: "princeton-nlp/SWE-bench",
  size: 2294,
  facets: ["repo"],
});
