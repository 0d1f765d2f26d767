/** An evaluator of one's own: what identifies it is this file. */
export default {
  name: "names_it",
  fields: ["named"],
  score: ({ answer }, { response }) => ({ named: response.includes(answer) ? 1 : 0 }),
};
