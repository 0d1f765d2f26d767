import type { Evaluator } from "assay";

const MAX_CHARS = 60;

/** 1 for up to 60 characters, less for longer responses. */
const brief: Evaluator = {
  name: "brief",
  fields: ["brief"],
  score(_example, { response = "" }) {
    const score = Math.min(1, MAX_CHARS / Math.max(1, response.length));
    return { scores: { brief: score }, evidence: { brief: `${response.length} characters` } };
  },
};

export default brief;
