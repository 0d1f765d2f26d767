import { sweBench } from "../swebench.js";

/** SWE-bench. */
export const swebench = sweBench({
  about: "Issues of Python projects, each to be resolved by a patch.",
  repo: "princeton-nlp/SWE-bench",
  size: 2294,
  facets: ["repo"],
});
