import { createSweBenchEntry } from "../swebench.js";

export const swebenchLite = createSweBenchEntry({
  about: "Issues of SWE-bench that a small patch resolves.",
  repo: "princeton-nlp/SWE-bench_Lite",
  size: 300,
  facets: ["repo"],
});
