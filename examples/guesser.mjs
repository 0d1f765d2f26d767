// A flaky system: it picks one of the two best sentences at random. The random choice depends on `trial.seed`, so runs with the
// same --seed give the same answers.
export default function guesser({ context = "", question = "" }, trial) {
  const wanted = new Set(words(question));
  const shared = (sentence) => words(sentence).filter((word) => wanted.has(word)).length;
  const ranked = context.split(/(?<=\.) /).sort((a, b) => shared(b) - shared(a));
  return ranked[trial.seed % 4 === 0 ? 1 : 0] ?? "";
}

function words(text) {
  return text.toLowerCase().match(/\w{4,}/g) ?? [];
}
