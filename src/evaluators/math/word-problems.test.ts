import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compareWithGold } from "./grade.js";

const DATA = fileURLToPath(new URL("../../../../shared/data/", import.meta.url));
const GSM8K = `${DATA}gsm8k-test.jsonl`;

function isThere(path: string): boolean {
  const there = existsSync(path);
  if (!there) console.warn(`Skipped: ${path} is not there.`);
  return there;
}

/** A way to say an answer at the end of a solution. */
type Saying = (answer: string, solution: string) => string;

const ENGLISH: Record<string, Saying> = {
  "GSM8K's own": (n, s) => `${s}\n#### ${n}`,
  "a chain of thought": (n, s) => `${plain(s)} The answer is ${n}.`,
  dollars: (n, s) => `${plain(s)}\nThe answer is $${n}.00.`,
  "bold, with separators": (n, s) => `${plain(s)}\n\n**Answer: ${grouped(n, ",")}**`,
  "a box": (n, s) => `${plain(s)}\n\\[\\boxed{${n}}\\]`,
  "a box with a unit": (n) => `\\boxed{${grouped(n, "{,}")} \\text{ dollars}}`,
  "a bold number": (n, s) => `${plain(s)}\nTherefore, the total is **${grouped(n, ",")}** in all.`,
  "a statement with a reason": (n) => `The answer is ${n}. This is because 12 * 2 = 24, as 3 is odd.`,
  "the next question behind it": (n) =>
    `So the answer is ${n}.\n\nQ: If there are 3 cars and 2 more arrive, how many?\nA: 3 + 2 = 5. The answer is 5.`,
  "a correction": (n) => `The answer is 17. Wait, I forgot one. The answer is ${n}.`,
  "a heading": (n) => `### Final Answer\n\n$${n}$ clips`,
  "an equation": (n) => `Let x be the number.\n\nx = ${n}`,
  "a label": (n) => `A: ${n}`,
  "a label in capitals": (n) => `It takes 3 steps.\n\nANSWER: ${grouped(n, ",")} dollars`,
  Minerva: (n) => `Final Answer: The final answer is $${n}$. I hope it is correct.`,
  "the number alone": (n) => n,
  "thin spaces": (n) => `The total is ${grouped(n, "\u202f")} dollars.`,
  "a sentence for people": (n, s) =>
    `${plain(s)}\n\nSo she needs ${n} of them.\n\nLet me know if you have 2 more questions!`,
  "reasoning in tags": (n) => `<think>The answer is 3? No.</think>\n\nShe needs **${n}**.`,
  JSON: (n) => `{"steps": ["16 - 7 = 9"], "answer": ${n}}`,
};

function plain(solution: string): string {
  return solution.replace(/<<[^<>]*>>/g, "");
}

function grouped(number: string, separator: string): string {
  return number.replace(/\B(?=(?:\d{3})+(?!\d))/g, separator);
}

/** One more, one less, ten times, the other sign, a digit less. */
function perturbed(gold: string): string[] {
  const value = BigInt(gold);
  const shorter = value > 9n ? [BigInt(gold.slice(0, -1))] : [];
  return [value + 1n, value - 1n, value * 10n, -value, ...shorter].filter((each) => each !== value).map(String);
}

describe.skipIf(!isThere(GSM8K))("GSM8K", () => {
  const rows = (existsSync(GSM8K) ? readFileSync(GSM8K, "utf8").trim().split("\n") : []).map((line) => {
    const { question, answer } = JSON.parse(line) as { question: string; answer: string };
    const [solution = "", gold = ""] = answer.split("\n####");
    return { question, answer, solution, gold: gold.trim().replace(/,/g, "") };
  });

  it("is complete", () => {
    expect(rows).toHaveLength(1319);
  });

  it.each(Object.entries(ENGLISH))("every gold answer equals itself in %s, and no other", (_, say) => {
    const missed = rows.filter(
      ({ answer, solution, gold }) => compareWithGold(answer, say(gold, solution)).verdict !== "same",
    );
    expect(missed.map(({ gold }) => gold)).toEqual([]);
    const taken = rows.flatMap(({ answer, solution, gold }) =>
      perturbed(gold).filter((other) => compareWithGold(answer, say(other, solution)).verdict !== "different"),
    );
    expect(taken).toEqual([]);
  });

  it("finds the answer of a solution that only arrives at it, more often than the last number would", () => {
    const found = rows.filter(
      ({ question, answer, solution }) => compareWithGold(answer, plain(solution), question).verdict === "same",
    );
    expect(found.length).toBeGreaterThanOrEqual(1308);
  });
});

const NATIVE: Record<string, readonly Saying[]> = {
  en: [(n) => `The answer is ${n}.`, (n) => `Answer: ${grouped(n, ",")}`],
  de: [
    (n) => `Die Antwort ist ${n}.`,
    (n) => `16 - 7 = 9\n\nAntwort: ${n}`,
    (n) => `Sie nimmt also insgesamt ${grouped(n, ".")} US-Dollar ein. Das ist die Summe.`,
    (n) => `**Endgültige Antwort:** ${grouped(n, " ")} Euro`,
    (n) => `Die Antwort lautet ${grouped(n, ".")},00 €.`,
  ],
  ja: [
    (n) => `答えは${n}です。`,
    (n) => `16 - 7 = 9\n\n答え：${n}`,
    (n) => `したがって、彼女は毎日${grouped(n, ",")}ドルを手に入れます。`,
    (n) => `最終的な答えは${fullWidth(n)}個です。`,
  ],
};

function fullWidth(number: string): string {
  return number.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).replace("-", "－");
}

describe.each(Object.entries(NATIVE))("MGSM in %s", (language, sayings) => {
  const path = `${DATA}mgsm/mgsm_${language}.tsv`;

  it.skipIf(!isThere(path))("every gold answer equals itself, and no other", () => {
    const golds = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => (line.split("\t")[1] ?? "").replace(/,/g, ""));
    expect(golds).toHaveLength(250);
    for (const say of sayings) {
      for (const gold of golds) {
        expect([say(gold, ""), compareWithGold(gold, say(gold, "")).verdict]).toEqual([say(gold, ""), "same"]);
        const taken = perturbed(gold).filter((other) => compareWithGold(gold, say(other, "")).verdict !== "different");
        expect(taken).toEqual([]);
      }
    }
  });
});
