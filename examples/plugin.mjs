// A plugin with a system, a dataset, an evaluator, a metric and a reporter. It needs no imports: it receives the registry.
export function register(registry) {
  // `first:2` on the command line calls the factory with "2".
  registry.register("system", "first", (count = "1") => firstSentences(Number(count)));

  registry.register("dataset", "colors", {
    description: "What color is it? Three questions.",
    primaryField: "contains",
    load: () => [
      {
        id: "sky",
        context: "The sky is blue by day. It is black at night.",
        question: "What color is the sky by day?",
        answer: "blue",
      },
      {
        id: "grass",
        context: "Grass is green in spring. Straw is yellow.",
        question: "What color is grass?",
        answer: "green",
      },
      { id: "snow", context: "Coal is black. Fresh snow is white.", question: "What color is snow?", answer: "white" },
    ],
  });

  registry.register("evaluator", "polite", {
    name: "polite",
    fields: ["polite"],
    score: (_example, { response = "" }) => ({ polite: /\b(please|thank)/i.test(response) ? 1 : 0 }),
  });

  registry.register("metric", "refusals", {
    name: "refusals",
    compute: (rows) => ({ num_refused: rows.filter((row) => row.errorCategory === "refused").length }),
  });

  registry.register("reporter", "lines", {
    name: "lines",
    *render({ summary }) {
      for (const [system, { pass_rate, cost_of_pass }] of Object.entries(summary))
        yield `${system}\t${pass_rate}\t${cost_of_pass}\n`;
    },
  });
}

function firstSentences(count) {
  if (!(count >= 1)) throw new Error("first:COUNT needs a number of sentences, such as first:2");
  return {
    name: `first:${count}`,
    process: ({ context = "" }) => ({
      context: context
        .split(/(?<=\.) /)
        .slice(0, count)
        .join(" "),
    }),
    // `count` is hidden in a closure: without this line, the fingerprints of first:1 and first:2 would be the same.
    fingerprint: () => ({ first: 1, count }),
  };
}
