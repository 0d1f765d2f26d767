import { createSweBenchEntry } from "../swebench.js";

export const swebenchVerified = createSweBenchEntry({
  about: "Issues of SWE-bench that people have verified to be solvable.",
  repo: "princeton-nlp/SWE-bench_Verified",
  size: 500,
  facets: ["repo", "difficulty"],
});
