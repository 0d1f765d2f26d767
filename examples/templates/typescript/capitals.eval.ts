import { defineEval } from "assay";

/** Your system: replace this with a call of your own code. */
function answer({ question }: { question: string }): string {
  if (question.includes("France")) return "It is Paris.";
  if (question.includes("Japan")) return "It is Tokyo.";
  return "I do not know.";
}

export default defineEval({
  data: [
    { question: "What is the capital of France?", answer: "Paris" },
    { question: "What is the capital of Japan?", answer: "Tokyo" },
    { question: "What is the capital of Australia?", answer: "Canberra" },
  ],
  system: answer,
  evaluators: [{ names_it: ({ example, response }) => response.includes(example.answer) }],
  gates: { pass_rate: { min: 0.5 } },
});
