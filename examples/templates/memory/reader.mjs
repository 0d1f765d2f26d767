// Answers with the retrieved line that shares the most words with the question, or with "unanswerable".
export default function reader({ context = "", question = "" }) {
  const wanted = question.toLowerCase().match(/\w{4,}/g) ?? [];
  const shared = (line) => wanted.filter((word) => line.toLowerCase().includes(word)).length;
  const lines = context.split("\n").filter((line) => /^\w+: /.test(line));
  const [best = ""] = lines.sort((a, b) => shared(b) - shared(a));
  return shared(best) === 0 ? "unanswerable" : best;
}
