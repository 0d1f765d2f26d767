import type { Evaluator } from "assay";

const LONGEST = 60;

/** 1 up to sixty characters, then less the longer the response is. */
const brief: Evaluator = {
  name: "brief",
  fields: ["brief"],
  score(_example, { response = "" }) {
    const score = Math.min(1, LONGEST / Math.max(1, response.length));
    return { scores: { brief: score }, evidence: { brief: `${response.length} characters` } };
  },
};

export default brief;
