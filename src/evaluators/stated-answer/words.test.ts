import { describe, expect, it } from "vitest";
import { extractNumber } from "../math/extract.js";
import { ADVERBS, COPULAS, FINALS, JOINED_ADVERBS, JOINED_COPULAS, LINK, NOUN } from "./words.js";

function wordsOf(...tables: readonly (readonly string[])[]): string[] {
  return tables.flat().flatMap((line) => line.split("|"));
}

describe("the words between the answer's name and the answer", () => {
  it.each(wordsOf(COPULAS, JOINED_COPULAS, ADVERBS, JOINED_ADVERBS))("%s is skipped completely", (word) => {
    LINK.lastIndex = 0;
    expect(LINK.exec(`${word} 18`)?.[0]).toBe(word);
  });

  it.each(wordsOf(COPULAS, JOINED_COPULAS))("%s says what the answer is", (word) => {
    expect(extractNumber(`The answer ${word} 18 for 3 days.`)).toMatchObject({ text: "18", source: "stated" });
  });

  it.each(wordsOf(FINALS))("%s belongs to the answer's name", (word) => {
    const [match] = [...`${word} answer`.matchAll(NOUN)];
    expect([match?.[0], match?.groups?.final]).toEqual([`${word} answer`, word]);
  });
});
