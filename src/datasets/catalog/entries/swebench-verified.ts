import { sweBench } from "../swebench.js";

export const swebenchVerified = sweBench({
  about: "Issues of SWE-bench that people have verified to be solvable.",
  repo: "princeton-nlp/SWE-bench_Verified",
  size: 500,
  facets: ["repo", "difficulty"],
});
