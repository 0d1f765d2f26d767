import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { NLILabelMatch, type NLILabelMatchOptions } from "./nli-label-match.js";

const evaluator = new NLILabelMatch();

function scored(
  example: Record<string, unknown>,
  response: unknown,
  options?: NLILabelMatchOptions,
): ScoredWithEvidence {
  const judge = options === undefined ? evaluator : new NLILabelMatch(options);
  return judge.score({ id: 1, question: "q", ...example } as Example, { response } as Output) as ScoredWithEvidence;
}

/** Which of the golds a response matches. */
function read(response: unknown, golds: readonly string[]): string[] {
  return golds.filter((answer) => scored({ answer }, response).scores.nli_accuracy === 1);
}

const NLI = ["Entailment", "Contradiction", "Not mentioned"] as const;
const TRUTH = ["true", "false", "neither"] as const;
const FACT = ["SUPPORT", "CONTRADICT", "NOT ENOUGH INFO"] as const;

describe("NLILabelMatch reads", () => {
  it.each<[string, number]>([
    ["Entailment", 0],
    ["entailment.", 0],
    ["**Entailment**", 0],
    ["The contract entails the hypothesis.", 0],
    ["The hypothesis is entailed by section 3.", 0],
    ["Entailment. The contract does not mention exceptions.", 0],
    ["Entailment\n\nNothing contradicts it.", 0],
    ["The contract does not mention exceptions, so the hypothesis is entailed.", 0],
    ["It might seem to contradict section 2, but the answer is: entailment", 0],
    ["Label: entailment", 0],
    ["\\boxed{\\text{entailment}}", 0],
    ["We must decide whether it entails or contradicts the hypothesis. Section 2 says so. Answer: Entailment", 0],
    ["The options are entailment, contradiction, or not mentioned. Section 4 supports it.", 0],
    ["<think>It is a contradiction.</think>Entailment", 0],
    ["<answer>\nEntailment\n</answer>\nA contradiction would need more.", 0],
    ["The answer (entailment, contradiction or not mentioned) is entailment.", 0],
    ["**Answer**: Entailment\n\nSection 2 says so, thus it does not contradict section 3.", 0],
    ["### Final Answer\nEntailment\n\nOverall, nothing here is a contradiction", 0],
    [": Entailment", 0],
    ["Contradiction", 1],
    ["contradicts", 1],
    [
      "Answer: Contradiction\n\nExplanation: If clause 7 were absent, the hypothesis would be entailed. So much for entailment.",
      1,
    ],
    ["The relationship between the two is therefore one of contradiction.", 1],
    ["This is classified as a contradiction.", 1],
    ["The hypothesis is contradicted by clause 7.", 1],
    ["This directly contradicts the hypothesis", 1],
    ["At first it seems entailed. … Therefore the label is: contradiction", 1],
    ["It is not entailed; it is contradicted.", 1],
    ["The contract does not entail the hypothesis. It contradicts it.", 1],
    ["Contradiction - clause 7 does not support it", 1],
    ["Not mentioned", 2],
    ["NotMentioned", 2],
    ["not_mentioned", 2],
    ["Neutral", 2],
    ["There is no mention of that in the contract.", 2],
    ["The contract does not mention it.", 2],
    ["The contract doesn't address this point.", 2],
    ["The contract does not entail the hypothesis", 2],
    ["It isn't entailed.", 2],
    ["The hypothesis is neither entailed nor contradicted by the contract.", 2],
    ["The contract neither entails nor contradicts it.", 2],
    ["Neither.", 2],
    ["It cannot be determined from the contract.", 2],
    ["There is not enough information to support or refute it.", 2],
  ])("%j as number %d of NLI", (response, index) => {
    expect(read(response, NLI)).toEqual([NLI[index]]);
  });

  it.each<[string, number]>([
    ["SUPPORTS", 0],
    ["Supported", 0],
    ["The abstract supports the claim.", 0],
    ["The claim is not refuted; the evidence supports it.", 0],
    ["Not only does it agree, the study not only mentions but supports it.", 0],
    ["REFUTES", 1],
    ["The claim is refuted.", 1],
    ["Contradict", 1],
    ["Verdict: refuted", 1],
    ["Not enough info", 2],
    ["not enough information", 2],
    ["NOT_ENOUGH_INFO", 2],
    ["NEI", 2],
    ["The claim is not supported by the abstract.", 2],
    ["There is insufficient evidence.", 2],
    ["There is no evidence to support this claim.", 2],
  ])("%j as number %d of fact checking", (response, index) => {
    expect(read(response, FACT)).toEqual([FACT[index]]);
  });

  it("true and false, yes and no", () => {
    const truth = ["true", "false", "neither"];
    expect(read("True", truth)).toEqual(["true"]);
    expect(read("The statement is not true.", truth)).toEqual(["false"]);
    expect(read("It looks true, but the answer is False.", truth)).toEqual(["false"]);
    expect(read("Neither", truth)).toEqual(["neither"]);
    const yesNo = ["yes", "no", "maybe"];
    expect(read("Yes, there is no doubt about it.", yesNo)).toEqual(["yes"]);
    expect(read("No.", yesNo)).toEqual(["no"]);
    expect(read("The answer is no", yesNo)).toEqual(["no"]);
    expect(read("Maybe", yesNo)).toEqual(["maybe"]);
  });

  it.each<[string, string, number]>([
    ["SUPPORTS", "True", 1],
    ["SUPPORTS", "False", 0],
    ["REFUTES", "The claim is false.", 1],
    ["REFUTES", "The claim is not true.", 1],
    ["entailment", "Yes", 1],
    ["entailment", "No", 0],
    ["contradiction", "No", 1],
    ["contradiction", "Yes, it is a contradiction.", 1],
    ["neutral", "Maybe", 1],
    ["neutral", "Yes", 0],
    ["not_entailment", "No", 1],
    ["not_entailment", "Maybe", 1],
    ["not_entailment", "Yes", 0],
    ["true", "Entailment", 1],
    ["no", "Refuted", 1],
    ["NOT ENOUGH INFO", "Unsupported", 1],
    ["SUPPORTS", "Unsupported", 0],
    ["entailment", "The hypothesis follows from the premise.", 1],
    ["entailment", "The hypothesis follows logically from the premise.", 1],
    ["neutral", "The hypothesis does not follow from the premise.", 1],
    ["entailment", "The correct answer is C.", 0],
    ["no", "Answer: No - the text says otherwise.", 1],
    ["yes", "Answer: No - the text says otherwise.", 0],
    ["contradiction", "contradiction\n\nPremise: x\nHypothesis: y\nAnswer: entailment", 1],
    ["entailment", "contradiction\n\nPremise: x\nHypothesis: y\nAnswer: entailment", 0],
    ["entailment", "Premise: x\nHypothesis: y\nAnswer: entailment", 1],
    ["contradiction", "<thinking>So the label is: entailment</thinking>contradiction<|im_end|>entailment", 1],
    ["contradiction", "<think>So the label is: contradiction", 1],
  ])("gold %j in %j: %d", (answer, response, expected) => {
    expect(scored({ answer }, response).scores.nli_accuracy).toBe(expected);
  });

  it("custom labels only literally", () => {
    const labels = { yes: [], true: [] };
    expect(scored({ answer: "yes" }, "True", { labels }).scores.nli_accuracy).toBe(0);
    expect(scored({ answer: "yes" }, "supported", { labels }).scores.nli_accuracy).toBe(0);
  });

  it("two-way labels: anything not entailed", () => {
    const both = ["entailment", "not_entailment"];
    expect(read("entailment", both)).toEqual(["entailment"]);
    expect(read("not_entailment", both)).toEqual(["not_entailment"]);
    expect(read("Not entailment", both)).toEqual(["not_entailment"]);
    expect(read("It does not entail it.", both)).toEqual(["not_entailment"]);
    expect(read("The premise contradicts it", both)).toEqual(["not_entailment"]);
    expect(read("neutral", both)).toEqual(["not_entailment"]);
  });

  it.each([
    "Options: entailment, contradiction, neutral",
    "We need to decide whether the premise entails, contradicts, or is neutral",
    "Entailment, contradiction, or neutral?",
  ])("no label in a list of options: %s", (response) => {
    expect(read(response, ["entailment", "contradiction", "neutral"])).toEqual([]);
  });

  it.each(["If the man were asleep, this would be entailment.", "The answer is entailment. Wait, no, that is wrong."])(
    "no label in a supposition or retraction: %s",
    (response) => {
      expect(read(response, ["entailment", "contradiction", "neutral"])).toEqual([]);
    },
  );

  it.each(["", null, undefined, {}, "I cannot help.", "It does not contradict anything.", "42"])(
    "no label in %j",
    (response) => {
      expect(read(response, NLI)).toEqual([]);
      expect(scored({ answer: "entailment" }, response).evidence).toEqual({
        nli_accuracy: "read no label, gold supported",
      });
    },
  );
});

describe("NLILabelMatch in three labels", () => {
  it.each<[string, readonly string[], string]>([
    ["\\boxed{\\text{neither}}", TRUTH, "neither"],
    ["<answer>neither</answer>", TRUTH, "neither"],
    ["It might look like neither, but the correct label is true.", TRUTH, "true"],
    ["The answer is neither. Wait, that's wrong. The answer is false.", TRUTH, "false"],
    ["The statement is uncertain, one may think, but the answer is true.", ["true", "false", "uncertain"], "true"],
    ["Uncertain", ["true", "false", "uncertain"], "uncertain"],
    ["<answer>no</answer>", ["yes", "no", "maybe"], "no"],
    ["\\boxed{\\text{no}}", ["yes", "no", "maybe"], "no"],
    ["The answer is contradiction, not entailment.", NLI, "Contradiction"],
    ["The premise does not provide enough information.", NLI, "Not mentioned"],
  ])("%j among %j: %s", (response, golds, label) => {
    expect(read(response, golds)).toEqual([label]);
  });
});

describe("NLILabelMatch's gold", () => {
  it.each([
    { answer: "entailment" },
    { answer: "Entails" },
    { answer: "e" },
    { answer: "SUPPORTED" },
    { answers: ["entailment"] },
    { label: "entailment" },
    { answers: ["neutral", "entailment"] },
  ])("may be %j", (example) => {
    expect(scored(example, "Entailment").scores.nli_accuracy).toBe(1);
    expect(scored(example, "Contradiction").scores.nli_accuracy).toBe(0);
  });

  it.each([
    [{}, /no gold label \(answer or label\)/],
    [{ answer: "" }, /no gold label/],
    [{ answer: "blue" }, /unknown gold label "blue": define your own labels/],
    [{ answer: 0 }, /unknown gold label "0"/],
    [{ answer: "entailment or contradiction" }, /unknown gold label/],
    [{ label: {} }, /no gold label/],
  ])("is rejected for %j", (example, reason) => {
    expect(scored(example as Record<string, unknown>, "Entailment")).toMatchObject({
      scores: {},
      unscored: { nli_accuracy: expect.stringMatching(reason) },
    });
  });
});

describe("NLILabelMatch with custom labels", () => {
  const options: NLILabelMatchOptions = {
    labels: { agree: ["agrees", "in favour"], disagree: ["disagrees", "not in favour"], "no-stance": ["unrelated"] },
  };
  const own = (answer: string, response: string) => scored({ answer }, response, options).scores.nli_accuracy;

  it("knows only those", () => {
    expect(own("agree", "She agrees.")).toBe(1);
    expect(own("disagree", "She agrees.")).toBe(0);
    expect(own("disagree", "He is not in favour of it.")).toBe(1);
    expect(own("agree", "He is not in favour of it.")).toBe(0);
    expect(own("no-stance", "no stance")).toBe(1);
    expect(own("no-stance", "They do not agree")).toBe(0);
    expect(own("agree", "They do not agree")).toBe(0);
    expect(scored({ answer: "entailment" }, "entailment", options).scores).toEqual({});
  });

  it("takes phrases literally", () => {
    const odd = { labels: { "c++": ["a.b"], other: ["(x)"] } };
    expect(scored({ answer: "c++" }, "c++", odd).scores.nli_accuracy).toBe(1);
    expect(scored({ answer: "c++" }, "axb", odd).scores.nli_accuracy).toBe(0);
  });

  it.each([{}, { a: [] }, { a: [], b: "x" }, { a: [""], b: [] }, [], null])("rejects %j", (labels) => {
    expect(() => new NLILabelMatch({ labels } as unknown as NLILabelMatchOptions)).toThrow(/at least two labels/);
  });

  it("has them in the fingerprint", () => {
    expect(new NLILabelMatch(options).fingerprint()).toEqual({
      evaluator: "nli_label_match",
      version: 3,
      labels: options.labels,
    });
    expect(evaluator.fingerprint()).toEqual({ evaluator: "nli_label_match", version: 3, labels: null });
  });
});

describe("NLILabelMatch", () => {
  it.each([
    "a",
    " ",
    "\n",
    "not ",
    "no ",
    "entails ",
    "not entail ",
    "neither ",
    "not_",
    "entailment or ",
    "so ",
    "label is ",
  ])("stays quick on a megabyte of %j", (unit) => {
    const text = unit.repeat(Math.ceil(1e6 / unit.length));
    const cpuMs = startCpuTimer();
    scored({ answer: "entailment" }, text);
    scored({ answer: "entailment" }, `not ${text}`);
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
