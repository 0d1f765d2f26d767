import { describe, expect, it } from "vitest";
import { countCapitalWords } from "./case-rules.js";
import { findSentences } from "./sentences.js";

const split = (text: string) => findSentences(text).map(([start, end]) => text.slice(start, end));

describe("findSentences", () => {
  // Expected values come from NLTK 3.8 with its English model.
  it.each([
    ["Dr. Who? Yes.", ["Dr. Who?", "Yes."]],
    ["I live in the U.S. The weather is fine.", ["I live in the U.S.", "The weather is fine."]],
    ["I live in the U.S. Army base.", ["I live in the U.S. Army base."]],
    ["He left at 5 p.m. Then he slept.", ["He left at 5 p.m. Then he slept."]],
    ["Wait... What is it?", ["Wait... What is it?"]],
    ["Wait... the end.", ["Wait... the end."]],
    ["J. K. Rowling wrote it.", ["J. K. Rowling wrote it."]],
    ["See point B. The rest follows.", ["See point B.", "The rest follows."]],
    ["1. First\n2. Second\n3. third", ["1.", "First\n2.", "Second\n3. third"]],
    ["It cost 3.5 dollars. Cheap!", ["It cost 3.5 dollars.", "Cheap!"]],
    ['He said "Go." She went.', ['He said "Go."', "She went."]],
    ["(Hello there.) Next one.", ["(Hello there.)", "Next one."]],
    ["Really?! Yes!!! No.", ["Really?!", "Yes!!!", "No."]],
    ["No end here", ["No end here"]],
    ["etc. And so on.", ["etc.", "And so on."]],
    [
      "Mr. Smith met Sen. Jones in Washington. They talked.",
      ["Mr. Smith met Sen. Jones in Washington.", "They talked."],
    ],
    ["One.Two.Three.", ["One.Two.Three."]],
    ["Hi.\n\nBye.", ["Hi.", "Bye."]],
    ["End of it. 5. dividend paid.", ["End of it.", "5. dividend paid."]],
    ["Oh . . . well. Fine.", ["Oh .", ".", ".", "well.", "Fine."]],
    ["“Go.” He went. ‘Yes.’", ["“Go.” He went.", "‘Yes.’"]],
    [
      "The co-op vs. Them. So-called Co. However it ends.",
      ["The co-op vs.", "Them.", "So-called Co.", "However it ends."],
    ],
    ["Ends with spaces.   ", ["Ends with spaces."]],
    ['Look at this--he said. "Yes."--and left.', ["Look at this--he said.", '"Yes."', "--and left."]],
    ["Jan. 5 was cold. Feb. Was colder.", ["Jan. 5 was cold.", "Feb. Was colder."]],
    ["हिन्दी वाक्य। दूसरा वाक्य।", ["हिन्दी वाक्य। दूसरा वाक्य।"]],
    ["A. The first. I. The second.", ["A.", "The first.", "I.", "The second."]],
    ["", []],
    ["   ", []],
  ])("splits %j", (text, sentences) => {
    expect(split(text)).toEqual(sentences);
  });
});

describe("countCapitalWords", () => {
  // Expected values come from NLTK 3.8: word_tokenize, then isupper.
  it.each([
    ["I CAN'T GO.", 4],
    ["NASA's CEO said OK.", 3],
    ["CANNOT WANNA GO GONNA", 7],
    ["U.S. and U.K. (USA)", 3],
    ["AND/OR A-B 3D", 3],
    ['"WOW," HE SAID.', 3],
    ["DON'T. I'M.", 4],
    ["I'M HERE, I'LL GO", 6],
    ["x=5 X:Y A,B 1,000", 4],
    ["'TIS 'TWAS ROCK 'N' ROLL", 7],
    ["É ß Ǆ ǅ ⅯⅩ", 3],
    ["IT’S OK", 3],
    ["GO...NOW --YES", 3],
    ["'A' D'A", 3],
    ["*BOLD* #TAG @USER", 3],
    ["HTML5 i18n iOS", 1],
    ["", 0],
  ])("counts %j", (text, count) => {
    expect(countCapitalWords(text)).toBe(count);
  });
});
