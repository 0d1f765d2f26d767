// Items per second of every evaluator, on a short response and on one of 10,000 words, and ROUGE-L against js-rouge.
import * as assay from "assay";
import * as jsRouge from "js-rouge";
import { inTurns } from "./measure.mjs";

const WORDS = 10_000;
const LONG = `${WORDS.toLocaleString("en")} words`;
const SECONDS = 0.5;
/** So many items at a time: those that work in threads are meant to be used like that. */
const AT_A_TIME = 8;

const LIBRARY = new Map(Object.entries(assay));
const PROSE = prose(WORDS);
/** The same text with every seventh word left out and every eleventh replaced. */
const EDITED = PROSE.split(" ")
  .filter((_, place) => place % 7 !== 3)
  .map((word, place) => (place % 11 === 5 ? `other${place % 97}` : word))
  .join(" ");

/** By class: how it is made, an example, a short response and what makes of 10,000 words of prose a long one. */
const INPUTS = {
  AnswerQuality: {
    example: { answer: "Ada Lovelace" },
    short: "It was Ada Lovelace.",
    long: (text) => `${text} It was Ada Lovelace.`,
  },
  SummarizationQuality: {
    example: { answer: "The council approved the bridge on Tuesday." },
    short: "On Tuesday the council approved a new bridge.",
    longExample: { answer: PROSE },
    long: () => EDITED,
  },
  MultipleChoiceAccuracy: {
    example: { answer: "B", choices: ["red", "green", "blue", "grey"] },
    short: "The answer is (B).",
    long: (text) => `${text}\nThe answer is (B).`,
  },
  CodeExecution: {
    example: {
      prompt: 'def add(a, b):\n    """Adds."""\n',
      test: "def check(candidate):\n    assert candidate(1, 2) == 3\n",
      entry_point: "add",
    },
    short: "    return a + b\n",
    long: (text) => `    # ${text}\n    return a + b\n`,
  },
  MathEquivalence: {
    example: { answer: "\\frac{1}{2}" },
    short: "So the answer is \\boxed{0.5}.",
    long: (text) => `${text} So the answer is \\boxed{0.5}.`,
  },
  NLILabelMatch: {
    example: { answer: "contradiction" },
    short: "The label is contradiction.",
    long: (text) => `${text} The label is contradiction.`,
  },
  IFEvalChecker: {
    example: {
      instruction_id_list: ["punctuation:no_comma", "length_constraints:number_words"],
      kwargs: [{}, { relation: "at least", num_words: 3 }],
    },
    short: "No comma is in this response.",
    long: (text) => text,
  },
  LLMJudge: {
    // A judge that answers at once: what is measured is our own work around the call.
    options: {
      model: { name: "instant", ask: async () => ({ response: '{"reasoning": "Right.", "verdict": "pass"}' }) },
    },
    example: { question: "Who?", answer: "Ada" },
    short: "Ada.",
    long: (text) => text,
  },
  FinalAnswer: {
    example: { answer: "(B)" },
    short: "So the answer is (B).",
    long: (text) => `${text} So the answer is (B).`,
  },
  JsonSchema: {
    options: { schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
    short: '{"name": "Ada"}',
    long: (text) => JSON.stringify({ name: text }),
  },
  NumericTolerance: {
    example: { answer: "3.14" },
    short: "It is 3.14.",
    long: (text) => `${text} It is 3.14.`,
  },
  Regex: {
    options: { pattern: "Lovelace" },
    short: "It was Ada Lovelace.",
    long: (text) => `${text} It was Ada Lovelace.`,
  },
  Levenshtein: {
    example: { answer: "kitten" },
    short: "sitting",
    longExample: { answer: PROSE },
    long: () => EDITED,
  },
  Citation: {
    example: { citations: [1, 3] },
    short: "Yes [1], as shown in [2].",
    long: (text) => `${text.replaceAll(". ", " [1]. ")} So it is [2].`,
  },
  ToolCallMatch: {
    example: { tool_calls: [{ name: "weather", arguments: { city: "Bern" } }] },
    short: '{"name": "weather", "arguments": {"city": "Bern"}}',
    long: (text) => `${text}\n{"name": "weather", "arguments": {"city": "Bern"}}`,
  },
};

export async function measure() {
  const rows = [];
  for (const name of new Set([...evaluatorsOfLibrary(), ...Object.keys(INPUTS)])) rows.push(...(await rowsOf(name)));
  return [...rows, ...(await againstJsRouge())];
}

/** Everything the library exports that is made with `new` and scores. */
function evaluatorsOfLibrary() {
  return [...LIBRARY].filter(([, thing]) => typeof thing?.prototype?.score === "function").map(([name]) => name);
}

async function rowsOf(name) {
  const make = LIBRARY.get(name);
  const input = INPUTS[name];
  if (make === undefined) return [[name, "in the library", "**not exported**"]];
  if (input === undefined) return [[name, "measured", "**no input in bench/evaluators.mjs**"]];
  const { options, short, long, longExample } = input;
  const example = { id: 1, question: "q", context: "c", ...input.example };
  const found = [];
  const evaluator = new make(options);
  try {
    await evaluator.prepare?.();
    found.push(await speed(evaluator, example, short));
    found.push(await speed(evaluator, { ...example, ...longExample }, long(PROSE)));
  } catch (error) {
    found.push(`**failed**: ${error.message.split("\n")[0]}`);
  }
  await evaluator.close?.();
  return [[`${name}: short; ${LONG}`, "items a second", found.join("; ")]];
}

async function speed(evaluator, example, response) {
  const { signal } = new AbortController();
  const once = () => evaluator.score(example, { response }, { signal });
  const problem = problemWith(await once(), evaluator.primaryFields[0]);
  if (problem !== null) return `**${problem}**`;
  for (let i = 0; i < AT_A_TIME; i++) await once();
  const started = performance.now();
  let items = 0;
  let seconds = 0;
  for (; seconds < SECONDS; items += AT_A_TIME, seconds = (performance.now() - started) / 1000) {
    const pending = [];
    for (let i = 0; i < AT_A_TIME; i++) {
      const scored = once();
      // Waiting for what is there already would measure the waiting.
      if (typeof scored.then === "function") pending.push(scored);
    }
    if (pending.length > 0) await Promise.all(pending);
  }
  return rounded(items / seconds);
}

/** An input that is not scored, or scored 0, would measure something else. */
function problemWith({ unscored = {}, ...scored }, field) {
  if (field in unscored) return `unscored: ${unscored[field]}`;
  return (scored.scores ?? scored)[field] > 0 ? null : `scores no ${field}`;
}

function rounded(perSecond) {
  return Number(perSecond.toPrecision(2)).toLocaleString("en");
}

/** Ours gives all six fields in that time, and sends the texts to a thread and back. */
async function againstJsRouge() {
  const ours = new assay.SummarizationQuality();
  const theirs = { tokenizer: (text) => text.split(" "), segmenter: (text) => [text] };
  const example = { id: 1, context: "c", answer: PROSE };
  const { signal } = new AbortController();
  await ours.score(example, { response: EDITED }, { signal });
  const seconds = await inTurns(
    {
      ours: () => timed(() => ours.score(example, { response: EDITED }, { signal })),
      theirs: () => timed(() => jsRouge.l(EDITED, PROSE, theirs)),
    },
    5,
  );
  const ms = (value) => (value * 1000).toFixed(0);
  return [
    [
      `${LONG}: SummarizationQuality against ROUGE-L of js-rouge`,
      "≥ 20 ×",
      `${(seconds.theirs / seconds.ours).toFixed(0)} × (${ms(seconds.ours)} against ${ms(seconds.theirs)} ms)`,
    ],
  ];
}

async function timed(work) {
  const started = performance.now();
  await work();
  return { seconds: (performance.now() - started) / 1000 };
}

/** Sentences of common and rare words, the same every time. */
function prose(length) {
  let state = 1;
  const words = Array.from({ length }, (_, place) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const rank = Math.floor(Math.exp((state / 2 ** 32) * Math.log(5000)));
    return `${letters(rank)}${place % 17 === 16 ? "." : ""}`;
  });
  return words.join(" ");
}

/** A number as a word, so that nothing in the text looks like an answer. */
function letters(number) {
  return number < 26
    ? `${"bcdfghjklmnpqrstvwxzbcdfgh"[number]}e`
    : letters(Math.floor(number / 26)) + letters(number % 26);
}
