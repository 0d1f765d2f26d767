import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MathEquivalence } from "../math-equivalence.js";

const maths = new MathEquivalence({ limitMs: 20_000 });

async function scoreOf(answer: string, response: string): Promise<number | undefined> {
  const scored = await maths.score({ id: 1, answer }, { response });
  return (scored as { scores: { math_equiv?: number } }).scores.math_equiv;
}

type Saying = (answer: string) => string;

/** Ways to announce an answer, and endings of a text that announces none. */
const ANNOUNCED: readonly Saying[] = [
  (answer) => `The answer is ${answer}`,
  (answer) => `Adding up, the answer is ${answer}.`,
  (answer) => `Therefore, the answer is: ${answer}`,
  (answer) => `**Answer:** ${answer}`,
  (answer) => `**Final Answer**\n\n${answer}`,
  (answer) => `Final Answer: The final answer is ${answer}. I hope it is correct.`,
  (answer) => `We look at both cases.\n\nSo we get ${answer}.`,
];

/** Formulas that contain a number but are not it: the number, and the formula with its delimiters. */
const NOT_NUMBERS: Record<string, readonly (readonly [number: string, formula: string])[]> = {
  sums: [
    ["1", "$x+1$"],
    ["1", "x + 1"],
    ["11", "11a + c"],
    ["7", "11a + c"],
    ["4", "$4n+1$ for all $n$"],
    ["4", "-x+4"],
    ["4", "$3 + 4i$"],
  ],
  "products and quotients": [
    ["5", "5x"],
    ["4", "4mn"],
    ["5", "$5\\pi$"],
    ["3", "$3\\sqrt{2}$"],
    ["4", "4√2"],
    ["4", "$\\frac{\\pi}{4}$"],
    ["2", "$\\frac{\\sqrt3}{2}$"],
    ["4", "4/x"],
    ["4", "$\\frac{x}{4}$"],
    ["4", "4 times x"],
    ["3", "4 * 3"],
    ["4", "$1\\frac{3}{4}$"],
  ],
  "powers, indices and functions": [
    ["3", "\\(x^3\\)"],
    ["2", "2^8"],
    ["4", "$x_4$"],
    ["204", "$204_5$"],
    ["4", "log(4)"],
    ["4", "ln 4"],
    ["4", "$\\sqrt{4}$"],
    ["4", "f(4)"],
    ["2", "$\\binom{4}{2}$"],
    ["4", "$|x-4|$"],
    ["4", "$4!$"],
  ],
  "tuples, intervals, sets and matrices": [
    ["3", "$(2, 3)$"],
    ["3", "(2, 3)"],
    ["5", "$[1,5)$"],
    ["1", "[1, 5)"],
    ["4", "$\\{1,4\\}$"],
    ["4", "{1, 4}"],
    ["4", "$\\begin{pmatrix}1\\\\4\\end{pmatrix}$"],
    ["4", "\\[\n\\begin{pmatrix}\n1 \\\\\n4\n\\end{pmatrix}\n\\]"],
    ["4", "$\\langle 4, 5\\rangle$"],
    ["5", "<4, 5>"],
  ],
  "several solutions": [
    ["4", "$x = 1$ or $x = 4$"],
    ["1", "$x = 1$ or $x = 4$"],
    ["4", "x = 1 or x = 4"],
    ["4", "$x=4$ and $y=5$"],
    ["5", "x = 4, y = 5"],
    ["4", "$4$, $5$"],
    ["4", "1 and 4"],
    ["4", "4; 5"],
    ["4", "$\\pm 4$"],
    ["4", "±4"],
  ],
  "relations, ranges and ratios": [
    ["4", "$x > 4$"],
    ["4", "x ≥ 4"],
    ["4", "$3 \\le x \\le 4$"],
    ["4", "y = 4x"],
    ["4", "y = x + 4"],
    ["3", "3 : 4 = x : 8"],
    ["5", "4:5"],
    ["3", "between 3 and 4"],
    ["3", "3 out of 23"],
    ["3", "a ratio of 3 to 3"],
    ["8", "8 thousand"],
    ["8", "8 hundred"],
    ["8", "8 dozen"],
  ],
  "equations that are yet to be solved": [
    ["0", "x^2 - 5x + 6 = 0"],
    ["0", "$x^2 - 5x + 6 = 0$"],
    ["0", "$(x-2)(x-3) = 0$"],
    ["0", "$ax + by = 0$"],
    ["4", "$x^2 + y^2 = 4$"],
    ["16", "$2^x = 16$"],
    ["12", "$n(n+1) = 12$"],
    ["12", "xy = 12"],
    ["8", "|x| = 8"],
    ["8", "$|x| = 8$"],
    ["3", "$\\sqrt{x} = 3$"],
    ["3", "$\\log_2 x = 3$"],
  ],
  "mathematics in words": [
    ["4", "the 4th root of 2"],
    ["2", "the 4th root of 2"],
    ["2", "the square root of 2"],
    ["2", "2 times the square root of 3"],
    ["8", "half of 8"],
    ["2", "twice 2"],
    ["2", "2 squared"],
    ["8", "8 choose 3"],
    ["8", "8 factorial"],
    ["8", "the reciprocal of 8"],
    ["5", "$3 \\pmod{5}$"],
    ["3", "$x \\equiv 3 \\pmod{5}$"],
    ["3", "x ≡ 3 (mod 5)"],
  ],
};

describe.each(Object.entries(NOT_NUMBERS))("%s", (_, pairs) => {
  it.each(pairs)("%s is not the answer %j, however it is announced", async (number, formula) => {
    for (const say of ANNOUNCED) {
      expect([say(formula), await scoreOf(number, say(formula))]).toEqual([say(formula), 0]);
    }
  });
});

const RIGHT: readonly (readonly [gold: string, given: string])[] = [
  ["9/19", "$\\frac9{19}$"],
  ["156.25", "$\\frac{625}4$"],
  ["0.5", "\\(\\frac12\\)"],
  ["6", "$2*3$"],
  ["6", "2 \\cdot 3"],
  ["24", "4 times 6"],
  ["4", "$|AB| = 4$"],
  ["4", "$|z| = 4$"],
  ["4", "|AB| = 4"],
  ["4", "$P(X=1) = 4$"],
  ["4", "$\\sum_{i=1}^3 a_i = 4$"],
  ["4", "$x+y=4$"],
  ["25", "$a^2 + b^2 = 9 + 16 = 25$"],
  ["25", "$A = s^2 = 25$"],
  ["3", "$3 \\pmod{5}$"],
  ["3", "3 \\pmod 5"],
  ["4", "the square root of 16"],
  ["9", "3 squared"],
  ["18", "half of 36"],
  ["\\sqrt{2}", "the square root of 2"],
  ["25\\pi", "25π square units"],
  ["25\\pi", "25π cm²"],
  ["5", "$\\log_2 32 = 5$"],
  ["4", "$\\sqrt{16}$"],
  ["4", "[4]"],
  ["4", "$\\{4\\}$"],
  ["4", "4 m"],
  ["4", "4 m/s"],
  ["4", "4 cm^2"],
  ["4", "$4$ apples"],
  ["4", "4°C"],
  ["1/2", "$\\frac12$ or $0.5$"],
  ["1/2", "1/2 or 50%"],
  ["24", "24 - that is two dozen"],
  ["13", "13, 5 of which are red"],
  ["13", "13 and 5 are red"],
  ["1,2", "1; 2"],
  ["1,2", "2 or 1"],
  ["1,2", "$2$ and $1$"],
  ["1,4", "x = 4 or x = 1"],
  ["\\{1,2,3\\}", "$\\{3;1;2\\}$"],
  ["(5,2)", "p=5, q=2"],
  ["(5,2)", "$p=5$, $q=2$"],
  ["(5,2)", "$p = 5$ and $q = 2$"],
  ["x < 3", "3 > x"],
  ["x < 3", "$3 > x$"],
  ["-2 < x \\le 3", "$3 \\ge x > -2$"],
  ["2\\cdot 3^2", "$2*3^2$"],
  ["7 = 11a + c", "$c + 11a = 7$"],
  ["p-q", "-q+p"],
  ["|x-3|", "**|3 - x|**"],
  ["3/23", "3 out of 23"],
  ["8000", "8 thousand"],
  ["96", "8 dozen"],
  ["3:4", "3 to 4"],
  ["3:4", "$\\frac{3}{4}$"],
  ["3:4", "6:8"],
  ["(4, 5)", "<4, 5>"],
];

const WRONG: readonly (readonly [gold: string, given: string])[] = [
  ["7 = 11a + c", "$11a + c$"],
  ["7 = 11a + c", "11a + c"],
  ["(5,2)", "p=2, q=5"],
  ["x < 3", "3 < x"],
  ["1,2", "1"],
  ["1,2", "1; 3"],
  ["3:4", "4:3"],
  ["x=3", "$|x| = 3$"],
  ["x=3", "$\\sqrt{x} = 3$"],
];

describe("answers that are announced without a box", () => {
  const announced = ANNOUNCED.slice(0, -1);

  it.each(RIGHT)("%s is %j", async (gold, given) => {
    for (const say of announced) expect([say(given), await scoreOf(gold, say(given))]).toEqual([say(given), 1]);
    if (!/[a-z]{3}|%/.test(given)) expect(await scoreOf(gold, `\\boxed{${given.replace(/\$/g, "")}}`)).toBe(1);
  });

  it.each(WRONG)("%s is not %j", async (gold, given) => {
    for (const say of announced) expect([say(given), await scoreOf(gold, say(given))]).toEqual([say(given), 0]);
  });
});

describe("texts that announce nothing", () => {
  const PRODUCT = "the product of \\(\\frac{-5}{9}\\) and \\(\\frac{8}{17}\\) is \\(-\\frac{40}{153}\\).";

  it.each([
    ["-40/153", `Therefore, ${PRODUCT}`],
    ["18", "16 - 7 = 9, 9 * 2 = 18."],
    ["18", "16 - 7 = 9, and 9 * 2 = 18."],
    ["24", "In 2020, 24 people came."],
    ["7", "\\begin{align*}\nx &= 3+4 \\\\\n&= 7\n\\end{align*}"],
    ["5", "| Total | 5 |"],
    ["7", "So 3 + 4"],
    ["8", "The total is $5 + $3 = $8."],
    ["24", "So it is 24 ft^2."],
    ["40", "60 x 2/3 = 40 loaves of bread are sold in the morning."],
    ["60", "Hence each serving has 300g/5 = 60 grams."],
    ["22", "The team played (L+8) + L = 2L + 8 = 22 games."],
    ["100", "250(2/5) = 100 = x"],
    ["2", "5-3 = 2:00 pm is the latest she can start."],
    ["10", "Kim goes to sleep at 10 p.m."],
    ["200", "Die Ärzte berechnen 150 $ pro Stunde, und das Krankenhaus berechnet 200 $ pro Stunde."],
    ["1.2", "Der Markt wird um 1,2 % im selben Monat zulegen."],
    ["5", "It costs $3 for each of them and so the total comes to 5$ in all."],
    ["18", "The total comes to 18 (9 eggs at $2 each)."],
    ["18", "She makes eighteen dollars per day."],
    ["18", "She has 18, which is half of 36."],
    ["25", "Area = s^2 = 25"],
    ["5", "The value of the unknown, x, is 5."],
    ["5", "Call it the unknown; it is 5."],
    ["25\\pi", "The area is 25π square units."],
  ])("%s is in %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(1);
  });

  it.each([
    ["17", PRODUCT],
    ["-10", "I'm sorry, but I can't run func_3451(-10)."],
    ["3451", "I'm sorry, but I can't run func_3451(-10)."],
    ["10", "The result depends on what `solve(10)` returns"],
    ["10", "Let me look at arr[10] and call obj.method10(10)"],
    ["3", "It depends on x_3 and on H3"],
    ["4", "答案是 $x=1$ 或 $x=4$"],
    ["4", "Ответ: x = 1 или x = 4"],
    ["4", "La respuesta es x = 1 o x = 4"],
    ["4", "Die Antwort ist x = 1 oder x = 4"],
    ["3", "答えは(2, 3)です"],
  ])("%s is not in %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(0);
  });
});

it("does not read the end of a long number as a number", async () => {
  expect(await scoreOf("2", `1${"0".repeat(3000)}2`)).toBe(0);
});

describe("answers that are formulas or words", () => {
  it.each([
    ["x^2-1", "<answer>x^2 - 1</answer>"],
    ["1, 4", "<think>hm</think><answer>1 and 4</answer>"],
    ["\\log_2 3", "<answer>\nlog_2(3)\n</answer>"],
    ["x^2-1", "We simplify.\n#### x^2-1"],
    ["\\frac{\\pi}{4}", "#### \\frac{\\pi}{4}"],
    ["18", "#### \\textbf{18}"],
    ["|x-3|", "The answer is |3 - x|."],
    ["1, 4", "The answer is 1, 4 because both fit."],
    ["25\\pi", "The answer is 25π square units because the radius is 5."],
    ["\\text{Monday}", "The answer is Monday because it rains."],
  ])("%s is %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(1);
  });

  it.each([
    ["4", "<answer>4; 5</answer>"],
    ["4", "The answer is 4; 5 because both fit."],
    ["16", "<answer>4 squared</answer>", 1],
    ["4", "<answer>4 squared</answer>"],
    ["8", "The answer is 8 and a half."],
    ["8.5", "The answer is 8 and a half hours.", 1],
    ["6", "We get 10 to the power of 6."],
    ["1000000", "We get 10 to the power of 6.", 1],
    ["12", "The answer is option_12."],
    ["37", "答案是item_37。"],
    ["3", "#### (-\\infty, 3]"],
    ["150", "The answer is $150 \\text{ or } 153$."],
    ["12", "The answer is $12 \\bmod 5$."],
    ["3", "The answer is $3 \\pmod 5$.", 1],
  ])("%s of %j", async (gold, response, score = 0) => {
    expect(await scoreOf(gold, response)).toBe(score);
  });
});

const RUNS = { numRuns: 300, seed: 20 };
const whole = fc.integer({ min: 2, max: 40 });
const letter = fc.constantFrom(..."abnxyz");
const marks = fc.constantFrom<Saying>(
  (formula) => `$${formula}$`,
  (formula) => `\\(${formula}\\)`,
  (formula) => `\\[${formula}\\]`,
);
const bare: Saying = (formula) => formula;

/** Formulas with a letter or a sign that make something else of the number. */
const FORMULAS: readonly ((n: number, m: number, x: string) => string)[] = [
  (n, _, x) => `${x}+${n}`,
  (n, m, x) => `${n}${x}+${m}`,
  (n, m, x) => `${m} - ${n}${x}`,
  (n, _, x) => `${x}^${n}`,
  (n, _, x) => `${n}^${x}`,
  (n, _, x) => `${n}/${x}`,
  (n, _, x) => `${x}/${n}`,
  (n, m, x) => `${n}(${x}-${m})`,
  (n, m, x) => `(${x}+${m})(${x}-${n})`,
  (n, _, x) => `${x} < ${n}`,
  (n, m, x) => `${n} \\le ${x} \\le ${n + m}`,
  (n, m) => `(${n}, ${m})`,
  (n, m, x) => `(${x}, ${n}, ${m})`,
  (n, m) => `[${n}, ${n + m})`,
  (n, m) => `\\{${n}, ${n + m}\\}`,
  (n, m, x) => `${x} = ${n + m} or ${x} = ${n}`,
  (n, m, x) => `${x} = ${n}, ${x} = ${n + m}`,
  (n) => `\\pm ${n}`,
  (n, m, x) => `y = ${m}${x} + ${n}`,
  (n) => `f(${n})`,
  (n, m, x) => `${x}^2 + ${m}${x} = ${n}`,
  (n, m, x) => `(${x}-${m})(${x}+${m}) = ${n}`,
];
const MARKED_FORMULAS: readonly ((n: number, m: number, x: string) => string)[] = [
  (n, _, x) => `\\frac{${x}}{${n}}`,
  (n, m, x) => `\\frac{${n}}{${x}+${m}}`,
  (n) => `\\frac{\\pi}{${n}}`,
  (n) => `${n}\\sqrt{${n * n + 1}}`,
  (n) => `\\frac{\\sqrt{3}}{${n}}`,
  (n) => `\\sin ${n}`,
  (n, _, x) => `\\log_{${n}} ${x}`,
  (n) => `e^{${n}}`,
  (n, m) => `\\begin{pmatrix} ${m} \\\\ ${n} \\end{pmatrix}`,
  (n, m) => `(-\\infty, ${n}) \\cup (${n + m}, \\infty)`,
  (n, _, x) => `\\sqrt[${n}]{${x}}`,
  (n) => `${n}i`,
];

describe("an expression that contains a number", () => {
  const formula = fc
    .tuple(fc.constantFrom(...FORMULAS, ...MARKED_FORMULAS), whole, whole, letter, marks, fc.boolean())
    .map(([make, n, m, x, mark, isBare]) => {
      const text = make(n, m, x);
      return { n, said: (isBare && FORMULAS.includes(make) ? bare : mark)(text) };
    });

  const inWords = fc
    .tuple(fc.constantFrom("half of", "twice", "the square root of", "the cube root of", "the reciprocal of"), whole)
    .map(([words, n]) => ({ n, said: `${words} ${n}` }));

  it("is not that number, however it is announced", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 5, arbitrary: formula }, { weight: 1, arbitrary: inWords }),
        fc.constantFrom(...ANNOUNCED),
        async ({ n, said }, say) => {
          expect(await scoreOf(String(n), say(said))).toBe(0);
        },
      ),
      RUNS,
    );
  });

  it("is the result of its calculation, and nothing else", async () => {
    const operator = fc.constantFrom("+", "-", "*", "\\cdot ", "\\times ", "/");
    const sum = fc.tuple(whole, operator, whole, operator, whole).map(([a, first, b, second, c]) => ({
      numbers: [a, b, c],
      text: `${a} ${first}${b} ${second}${c}`,
    }));
    await fc.assert(
      fc.asyncProperty(
        sum,
        fc.constantFrom<Saying>(bare, (text) => `$${text}$`),
        fc.constantFrom(...ANNOUNCED),
        async (calculation, mark, say) => {
          const { numbers, text } = calculation;
          const response = say(mark(text));
          const value = evaluate(text);
          for (const number of numbers) {
            const isSame = value.top === BigInt(number) * value.bottom;
            expect([response, number, await scoreOf(String(number), response)]).toEqual([
              response,
              number,
              isSame ? 1 : 0,
            ]);
          }
          expect([response, await scoreOf(`${value.top}/${value.bottom}`, response)]).toEqual([response, 1]);
        },
      ),
      RUNS,
    );
  });
});

describe("text after ####", () => {
  it.each([
    ["18", "18"],
    ["18", "$18"],
    ["18", "\\$18"],
    ["18", "18.0"],
    ["18", "18 apples"],
    ["18", "18 (9 * 2)"],
    ["18", "18 because she sells 9 eggs at $2"],
    ["1800", "1,800"],
    ["0.5", "50\\%"],
    ["1/3", "0.\\overline{3}"],
    ["24", "4!"],
    ["57500", "57.500 Euro"],
  ])("%s is in #### %s", async (gold, line) => {
    expect(await scoreOf(gold, `Some steps.\n#### ${line}`)).toBe(1);
  });

  it.each([
    ["150", "x=150,\\ y=2"],
    ["8", "\\text{between } 8 \\text{ and } 12"],
    ["12", "12 \\text{ or } 15"],
    ["12", "12 or 15"],
    ["12", "xy = 12"],
    ["12", "12^\\circ \\text{ to } 180^\\circ"],
    ["4", "4!"],
  ])("%s is not in #### %s", async (gold, line) => {
    expect(await scoreOf(gold, `Some steps.\n#### ${line}`)).toBe(0);
  });
});

describe("an answer that counts in dozens or thousands", () => {
  const dozens = "How many dozens of eggs will she eat in 4 weeks?";

  it.each(["The answer is 7 dozen.", "She eats 84 / 12 = 7 dozen eggs.", "\\boxed{7 \\text{ dozen}}"])(
    "is the count if the question asks for it: %s",
    async (response) => {
      const scored = await maths.score({ id: 1, question: dozens, answer: "7" }, { response });
      expect(scored).toMatchObject({ scores: { math_equiv: 1 } });
      expect(await scoreOf("7", response)).toBe(0);
      expect(await scoreOf("84", response)).toBe(1);
    },
  );
});

describe("texts that give no answer", () => {
  it.each([
    "The answer is unknown; 37 apples were given.",
    "unknown; 37 apples were given",
    "\\boxed{\\text{unknown; 37 apples were given}}",
    "The answer is 37. Wait, no, that is wrong.",
    "The answer is 37. Hmm, that can't be right.",
  ])("37 is not in %j", async (response) => {
    expect(await scoreOf("37", response)).toBe(0);
  });
});

describe("an exclamation mark after a number", () => {
  it.each([
    ["24", "The answer is 4!."],
    ["24", "The answer is 4! because four things can be ordered in that many ways."],
    ["5!", "Final answer: 5!"],
    ["18", "The answer is 18!"],
    ["18", "The answer is 18! She sells them all."],
  ])("%s is in %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(1);
  });

  it.each([
    ["4", "The answer is 4!."],
    ["4", "The answer is 4! because four things can be ordered in that many ways."],
  ])("%s is not in %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(0);
  });
});

/** The value of "a + b * c" and similar, computed independently of the tested code. */
function evaluate(text: string): Fraction {
  const [a = 0n, b = 0n, c = 0n] = (text.match(/\d+/g) ?? []).map(BigInt);
  const [first = "+", second = "+"] = text.match(/[-+*/]|\\cdot|\\times/g) ?? [];
  const apply = (x: Fraction, operator: string, y: Fraction): Fraction => {
    if (operator === "/") return { top: x.top * y.bottom, bottom: x.bottom * y.top };
    if (operator !== "+" && operator !== "-") return { top: x.top * y.top, bottom: x.bottom * y.bottom };
    const right = operator === "-" ? -y.top : y.top;
    return { top: x.top * y.bottom + right * x.bottom, bottom: x.bottom * y.bottom };
  };
  const [x, y, z] = [fractionOf(a), fractionOf(b), fractionOf(c)];
  const isLater = (first === "+" || first === "-") && second !== "+" && second !== "-";
  return isLater ? apply(x, first, apply(y, second, z)) : apply(apply(x, first, y), second, z);
}

function fractionOf(top: bigint): Fraction {
  return { top, bottom: 1n };
}

interface Fraction {
  top: bigint;
  bottom: bigint;
}

/** Ways to write a number with the same value. */
const SPELLINGS: readonly ((n: number, m: number) => string)[] = [
  (n) => `$${n}$`,
  (n) => `\\(${n}\\)`,
  (n) => `**${n}**`,
  (n) => `${n}.0`,
  (n) => `$x = ${n}$`,
  (n) => `x = ${n}`,
  (n) => `$${n}$ apples`,
  (n) => `${n} apples`,
  (n) => `$${n}\\text{ cm}$`,
  (n) => `${n} cm`,
  (n) => `$${n}^\\circ$`,
  (n) => `${n}%`,
  (n) => `$${n}\\%$`,
  (n) => `\\$${n}`,
  (n) => `$${n}.00`,
  (n, m) => `$\\frac{${n * m}}{${m}}$`,
  (n, m) => `${n * m}/${m}`,
  (n, m) => `$${n + m} - ${m}$`,
  (n, m) => `${n - m} + ${m} = ${n}`,
  (n) => `$\\sqrt{${n * n}}$`,
  (n) => `$\\frac{${n * 10}}{10}$`,
  (n) => `$|AB| = ${n}$`,
  (n) => `$\\angle ABC = ${n}^\\circ$`,
  (n) => `(${n})`,
  (n, m) => `${n} (${n - m} + ${m})`,
];

describe("a number", () => {
  it("is itself in every spelling, however it is announced", async () => {
    const announced = fc.constantFrom(...ANNOUNCED.slice(0, -1));
    await fc.assert(
      fc.asyncProperty(whole, whole, fc.constantFrom(...SPELLINGS), announced, async (n, m, spell, say) => {
        const response = say(spell(n, m));
        expect([response, await scoreOf(String(n), response)]).toEqual([response, 1]);
        expect([response, await scoreOf(String(n + 1), response)]).toEqual([response, 0]);
      }),
      RUNS,
    );
  });
});
