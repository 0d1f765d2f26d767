import { DatasetError } from "../../../core/errors.js";
import { createRandom, hashSeed } from "../../../stats/index.js";
import type { RawRow } from "../../source-row.js";
import type { CatalogueEntry, ExampleFields } from "../entry.js";
import { goldTexts } from "../gold.js";
import { parseNolimaConfig } from "../nolima-config.js";
import { hide } from "../nolima-haystack.js";
import { type NolimaQuestion, questionsOf } from "../nolima-questions.js";
import { text, texts } from "../read-column.js";

const ASK = "The text may only imply it. Answer with the name of the character alone.";

/** NoLiMa: each question with each length and depth, in a part of a haystack that stays the same for all depths. */
export const nolima: CatalogueEntry = {
  about:
    "A sentence hidden in a book that only knowledge of the world connects with the question, by length and depth.",
  repo: "amodaresi/NoLiMa",
  licence: "adobe-research-license (no commercial use)",
  size: 870,
  hasSettings: true,
  sources(config) {
    // Before anything is fetched for settings that cannot be read.
    parseNolimaConfig(config);
    return [{ files: ["needlesets/needle_set.json"] }];
  },
  lookups: { haystacks: () => ({ files: ["haystack/rand_shuffle/*.txt"] }) },
  columns: ["id", "needle", "questions", "character_set", "tests"],
  isExpanding: true,
  examples(row, { config, lookups }) {
    const { lengths, depths, hops } = parseNolimaConfig(config);
    const names = goldTexts(texts(row, "character_set"), "character_set");
    const questions = questionsOf(row).filter((question) => hops.includes(question.hops));
    const haystacks = lookups.haystacks ?? [];
    return questions.flatMap((question) =>
      lengths.flatMap((length) => depths.map((depth) => placed(question, { length, depth, names, haystacks }))),
    );
  },
  evaluators: ["answer_quality"],
  primaryField: "contains",
  subject: "length",
  facets: ["depth", "length"],
};

interface Cell {
  length: number;
  depth: number;
  names: readonly string[];
  haystacks: readonly RawRow[];
}

function placed({ id, hops, needle, question }: NolimaQuestion, cell: Cell): ExampleFields {
  const { length, depth, names, haystacks } = cell;
  const random = createRandom(hashSeed(0, id, length));
  const haystack = haystacks[random.int(Math.max(1, haystacks.length))];
  if (haystack === undefined) throw new DatasetError("nolima has found no haystack to hide its needles in.");
  const name = names[createRandom(hashSeed(0, id, length, depth)).int(names.length)] ?? "";
  const hiding = { needle: needle.replaceAll("{CHAR}", () => name), length, depth, random };
  return {
    id: `${id}_${length}_${depth}`,
    context: hide(text(haystack, "text"), hiding),
    question: `${question.replaceAll("{CHAR}", () => name)}\n\n${ASK}`,
    answer: name,
    length,
    depth,
    hops,
  };
}
