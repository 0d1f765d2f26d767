import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EvalResult } from "../../core/result.js";
import { makeEvalResult, makeTrialRow, makeTrialRows } from "../../testing/eval-result.js";
import { renderJunitXml } from "./junit.js";
import { junitReporter } from "./reporters.js";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

const ATTRIBUTE = /\s+([A-Za-z]+)="((?:[^<&"]|&(?:amp|lt|gt|quot);)*)"/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** Reads XML of elements and attributes only, and throws if it is not well-formed. */
function parseXml(text: string): Element {
  if (FORBIDDEN.test(text)) throw new Error("a character that XML does not allow");
  const root: Element = { name: "", attributes: {}, children: [] };
  const open = [root];
  let at = /^<\?xml version="1\.0" encoding="UTF-8"\?>/.exec(text)?.[0].length ?? Number.NaN;
  while (at < text.length) at = readNext(text, at, open);
  const [only, ...others] = root.children;
  if (open.length !== 1 || only === undefined || others.length > 0) throw new Error("there must be one element");
  return only;
}

function readNext(text: string, at: number, open: Element[]): number {
  const [token = ""] = /^(?:\s+|<\/\w+>|<\w+)/.exec(text.slice(at, at + 100)) ?? [];
  if (token === "") throw new Error(`not well-formed: ${text.slice(at, at + 40)}`);
  if (token.startsWith("</")) {
    if (`</${open.pop()?.name}>` !== token) throw new Error(`closes another: ${token}`);
    return at + token.length;
  }
  return token.startsWith("<") ? readTag(text, at, open) : at + token.length;
}

function readTag(text: string, at: number, open: Element[]): number {
  const [start = "", name = ""] = /^<(\w+)/.exec(text.slice(at, at + 100)) ?? [];
  const attributes: Record<string, string> = {};
  ATTRIBUTE.lastIndex = at + start.length;
  let end = ATTRIBUTE.lastIndex;
  for (let match = ATTRIBUTE.exec(text); match !== null; match = ATTRIBUTE.exec(text)) {
    const [, key = "", value = ""] = match;
    if (key in attributes) throw new Error(`twice: ${key}`);
    attributes[key] = value.replaceAll(/&(\w+);/g, (_, entity: string) => ENTITIES[entity] ?? "");
    end = ATTRIBUTE.lastIndex;
  }
  const [close] = /^\/?>/.exec(text.slice(end, end + 2)) ?? [];
  if (close === undefined) throw new Error(`not well-formed: ${text.slice(at, end + 40)}`);
  const element = { name, attributes, children: [] };
  open.at(-1)?.children.push(element);
  if (close === ">") open.push(element);
  return end + close.length;
}

const suitesOf = (result: EvalResult) => parseXml([...renderJunitXml(result)].join("")).children;
const within = ({ children }: Element, name: string) =>
  children.filter((testcase) => testcase.children.some((child) => child.name === name));

/** The counts that a suite declares, and those of its content. */
function counted(suite: Element): [said: number[], held: number[]] {
  const { tests, failures, errors, skipped } = suite.attributes;
  const said = [tests, failures, errors, skipped].map(Number);
  const held = [suite.children.length, ...["failure", "error", "skipped"].map((name) => within(suite, name).length)];
  return [said, held];
}

/** Any UTF-16, including lone surrogates and control characters, with special characters more often than by chance. */
const codeUnits = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((units) => String.fromCharCode(...units));

describe("renderJunitXml", () => {
  it("has a suite for each eval and system, with a case for each trial and gate", () => {
    const rows = [
      ...makeTrialRows("PF", { dataset: "x", system: "a" }),
      ...makeTrialRows("P", { dataset: "y", system: "b" }),
    ];
    const gates = [{ metric: "pass_rate", op: ">=" as const, value: 0.9 }];
    const suites = suitesOf(makeEvalResult(rows, { evals: { x: { gates }, y: { gates } } }));
    expect(suites.map(({ attributes }) => [attributes.name, attributes.tests, attributes.failures])).toEqual([
      ["x: a", "3", "2"],
      ["y: b", "2", "0"],
    ]);
    expect(suites[0]?.children.map(({ attributes }) => attributes.name)).toEqual([
      "one [trial 0]",
      "one [trial 1]",
      "gate pass_rate >= 0.9",
    ]);
    expect(suites[0]?.children[2]?.children[0]?.attributes).toEqual({
      type: "gate",
      message: "pass_rate >= 0.9: 0.5, failed",
    });
  });

  it("reports failures and errors, and skips trials without a verdict", () => {
    const rows = [
      makeTrialRow({ durationMs: 1500 }),
      makeTrialRow({ trial: 1, outcome: "fail", scores: { verdict: 0, weighted_score: 0.5, lint: 0.25, tests: 1 } }),
      makeTrialRow({ trial: 2, outcome: "fail", errorCategory: "time_killed", scores: { verdict: 0, tests: 0 } }),
      makeTrialRow({ trial: 3, outcome: "error", errorCategory: "api_error", notes: ["it is down"] }),
      makeTrialRow({ trial: 4, outcome: "unscored", errorCategory: "grader_error", notes: ["the judge is ill"] }),
      makeTrialRow({ trial: 5, outcome: "skipped", errorCategory: "skipped" }),
      makeTrialRow({ trial: 6, outcome: "fail", scores: { verdict: 0 } }),
    ];
    const [suite] = suitesOf(makeEvalResult(rows));
    const inner = suite?.children.map(({ children: [child] }) => child && [child.name, child.attributes]);
    expect(inner).toEqual([
      undefined,
      ["failure", { type: "logic_error", message: "lint 0.25" }],
      ["failure", { type: "time_killed", message: "time_killed, tests 0" }],
      ["error", { type: "api_error", message: "it is down" }],
      ["skipped", { message: "unscored: the judge is ill" }],
      ["skipped", { message: "skipped: skipped" }],
      ["failure", { type: "logic_error", message: "failed" }],
    ]);
    expect(suite?.attributes).toMatchObject({ tests: "7", failures: "3", errors: "1", skipped: "2", time: "1.500" });
    expect(suite?.children[0]?.attributes).toMatchObject({ classname: "tidy.agent", time: "1.500" });
  });

  it("is well-formed for hostile names, and its counts add up", () => {
    const hostile = fc.oneof(
      codeUnits,
      fc.constantFrom(`"><x/>`, "]]>", "<!--", "&lt;", "a\nb\tc", "\u0000\u001b[31m", "\uD800", "\uFFFE", "'"),
    );
    const letters = fc.array(fc.constantFrom("P", "F", "E", "U", "S"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(hostile, hostile, letters, (name, other, all) => {
        const rows = makeTrialRows(all.join(""), { exampleId: name, dataset: other, system: name, notes: [other] });
        const gates = [{ metric: name, op: "<" as const, value: 1 }];
        const suites = suitesOf(makeEvalResult(rows, { title: name, evals: { [other]: { gates } } }));
        expect(suites).toHaveLength(1);
        for (const suite of suites) {
          const [said, held] = counted(suite);
          expect(said).toEqual(held);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keeps all characters that XML allows", () => {
    const [suite] = suitesOf(makeEvalResult(makeTrialRows("P", { exampleId: `<a> & "b" 😀\u0007` })));
    expect(suite?.children[0]?.attributes.name).toBe(`<a> & "b" 😀\uFFFD [trial 0]`);
  });

  it("has a case for each gate of the command", () => {
    const gates = [
      { gate: "--fail-under pass_rate=0.9", passed: false, words: "bot: pass_rate = 0.5 is under 0.9" },
      { gate: "--fail-over latency_mean=9", passed: true, words: "bot: latency_mean = 1" },
    ];
    const text = [...renderJunitXml(makeEvalResult(makeTrialRows("P")), undefined, { gates })].join("");
    expect(text).toContain('<testsuite name="gates" tests="2" failures="1" errors="0" skipped="0" time="0.000">');
    expect(text).toContain('<failure type="gate" message="bot: pass_rate = 0.5 is under 0.9"/>');
  });

  it("names examples without a dataset, and shows the deciding score", () => {
    const rows = makeTrialRows("P", { dataset: "", scores: { em: 1 }, primaryField: "em" });
    const [suite] = suitesOf(makeEvalResult(rows));
    expect(suite?.attributes.name).toBe("examples: agent");
    expect(suite?.children[0]?.attributes.classname).toBe("examples.agent");
  });

  it("is the reporter named junit", async () => {
    const text = await junitReporter.render(makeEvalResult(makeTrialRows("P"), { title: "t" }));
    expect(junitReporter.name).toBe("junit");
    expect([...text].join("")).toMatch(/^<\?xml [^>]*\?>\n<testsuites name="t">\n/);
  });
});
