import type { Fixture } from "../fixture.js";

export const dialogsumFixture: Fixture = {
  files: {
    "test.csv": {
      text: [
        "id,dialogue,summary,topic",
        'test_0_1,"#Person1#: Is the shop open?',
        '#Person2#: Yes, until ""six"".",#Person2# tells #Person1# that the shop is open until six.,opening hours',
        'test_0_2,"#Person1#: Is the shop open?',
        '#Person2#: Yes, until ""six"".","The shop closes at six, #Person2# says.",shop',
        "",
      ].join("\n"),
    },
  },
  expected: [
    {
      id: "test_0_1",
      context: '#Person1#: Is the shop open?\n#Person2#: Yes, until "six".',
      question: "Summarise this dialogue in one to three sentences. Answer with the summary alone.",
      answer: "#Person2# tells #Person1# that the shop is open until six.",
    },
    {
      id: "test_0_2",
      context: '#Person1#: Is the shop open?\n#Person2#: Yes, until "six".',
      question: "Summarise this dialogue in one to three sentences. Answer with the summary alone.",
      answer: "The shop closes at six, #Person2# says.",
    },
  ],
};
