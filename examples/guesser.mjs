// A system that does not always answer the same: it draws one of the two sentences it likes best. It draws from
// `trial.seed`, so that every run with the same --seed gives the same answers.
export default function guesser({ context = "", question = "" }, trial) {
  const wanted = new Set(words(question));
  const shared = (sentence) => words(sentence).filter((word) => wanted.has(word)).length;
  const ranked = context.split(/(?<=\.) /).sort((a, b) => shared(b) - shared(a));
  return ranked[trial.seed % 4 === 0 ? 1 : 0] ?? "";
}

function words(text) {
  return text.toLowerCase().match(/\w{4,}/g) ?? [];
}
