// Your system: gets an example, returns an answer. This one picks the sentence that shares the most words with the question.
export default async function mySystem({ context = "", question = "" }) {
  const wanted = words(question);
  const shared = (sentence) => words(sentence).filter((word) => wanted.includes(word)).length;
  const [best = ""] = context.split(/(?<=[.!?]) /).sort((a, b) => shared(b) - shared(a));
  return best;
}

function words(text) {
  return text.toLowerCase().match(/\w{4,}/g) ?? [];
}
