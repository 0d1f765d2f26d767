// The work that is measured: an echo, an exact comparison and a word overlap. Used by the floor and as a plugin.
export const exact = (a, b) => (a === b ? 1 : 0);

export function overlap(a, b) {
  const left = a.split(/\s+/);
  const right = b.split(/\s+/);
  const counts = new Map();
  for (const word of right) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of left) {
    const count = counts.get(word);
    if (count > 0) {
      common += 1;
      counts.set(word, count - 1);
    }
  }
  return (2 * common) / (left.length + right.length);
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function register(registry) {
  registry.register("system", "echo", { name: "echo", process: (example) => ({ response: example.question }) });
  registry.register("system", "slow-echo", (ms) => ({
    name: "slow-echo",
    async process(example) {
      await wait(Number(ms));
      return { response: example.question };
    },
  }));
  registry.register("evaluator", "exact", {
    name: "exact",
    score: (example, output) => ({ exact: exact(output.response, example.answer) }),
  });
  registry.register("evaluator", "overlap", {
    name: "overlap",
    score: (example, output) => ({ overlap: overlap(output.response, example.answer) }),
  });
}
