import type { Example, Output, System } from "assay";

/** Answers with the sentence of the context that shares the most words with the question. */
const lookup: System = {
  name: "lookup",
  process({ context = "", question = "" }: Example): Output {
    const wanted = new Set(words(question));
    const shared = (sentence: string) => words(sentence).filter((word) => wanted.has(word)).length;
    const [best = ""] = sentences(context).sort((a, b) => shared(b) - shared(a));
    return { response: best };
  },
};

function sentences(text: string): string[] {
  return text.split(/(?<=\.) /);
}

function words(text: string): string[] {
  return text.toLowerCase().match(/\w{4,}/g) ?? [];
}

export default lookup;
