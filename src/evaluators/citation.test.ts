import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { Citation, findCitations, normalizeCitationId } from "./citation.js";

const evaluator = new Citation();

function scored(citations: unknown, response: unknown): ScoredWithEvidence {
  return evaluator.score({ id: 1, question: "q", citations } as Example, { response } as Output) as ScoredWithEvidence;
}

const numbers = new Set(["1"]);

describe("findCitations", () => {
  it.each<[string, string[]]>([
    ["Yes [1].", ["1"]],
    ["Yes[1][2].", ["1", "2"]],
    ["[1] and [1] again", ["1"]],
    ["[2, 3]", ["2", "3"]],
    ["[2,3 and 5]", ["2", "3", "5"]],
    ["[1-3]", ["1", "2", "3"]],
    ["[1–3; 7]", ["1", "2", "3", "7"]],
    ["[3-1]", []],
    ["[1-99999]", []],
    ["[^4]", ["4"]],
    ["[01]", ["1"]],
    ["(source 4)", ["4"]],
    ["(see sources 4 and 5)", ["4", "5"]],
    ["[Source 4]", ["4"]],
    ["[doc: 4]", ["4"]],
    ["【4†source】", ["4"]],
    ["[1](https://example.org)", ["1"]],
    ["[sic] and (2)", []],
    ["[1]-[3]", ["1", "2", "3"]],
    ["[1] – [3], [5]", ["1", "2", "3", "5"]],
    ["[3]-[1]", []],
    ["[1], [3]", ["1", "3"]],
    ["Paris.¹ It is large²,³ and old.⁴⁻⁶", ["1", "2", "3", "4", "5", "6"]],
    ["Seen before¹².", ["12"]],
    ["x², 10³ m², 5 km², sin²x, (a+b)², 10⁻³", []],
    ["Paris<sup>1</sup> is large.<sup>2, 3</sup> Old <sup>4-6</sup>", ["1", "2", "3", "4", "5", "6"]],
    ["x<sup>2</sup> and 10<sup>3</sup>", []],
    ["Paris.<sup>[7]</sup>", ["7"]],
    ["x[0] and a_b[1], arr[2], y[3][4]", []],
    ["`total[1]` is `rows[2][3]`, see `[4]`", ["4"]],
    ["```\nfor i in rows[1]:\n```\nSo it is [2].", ["2"]],
    ["rows[0] is rows[1] + 1 and rows[2].pop()", []],
    ["Plan A[1], a[2], I[3], vitamin C[4], the U.S[5], example.com[6]", ["1", "2", "3", "4", "5", "6"]],
    ["Paris[1] - a city, *Rome[2]* too, Lyon[3]<sup>4</sup>/Nice[5]", ["1", "2", "3", "4", "5"]],
    ["", []],
    ["[]", []],
  ])("in %j finds %j", (text, expected) => {
    expect([...findCitations(text, numbers)]).toEqual(expected);
  });

  it("reads names where the golds have names", () => {
    const golds = new Set(["smith2020", "https://example.org/a", "annual report, 2020"]);
    expect([...findCitations("See [Smith2020; Jones1999].", golds)]).toEqual(["smith2020", "jones1999"]);
    expect([...findCitations("[here](https://example.org/a)", golds)]).toEqual(["https://example.org/a", "here"]);
    expect([...findCitations("[Annual Report, 2020]", golds)]).toEqual(["annual report, 2020"]);
    expect([...findCitations("[@smith2020]", golds)]).toEqual(["smith2020"]);
    expect([...findCitations("[see @Smith2020, p. 3; -@jones:1999.]", golds)]).toEqual(["smith2020", "jones:1999"]);
    expect([...findCitations("Write to [me@example.org]", golds)]).toEqual(["me@example.org"]);
  });
});

describe("normalizeCitationId", () => {
  it.each([
    ["[1]", "1"],
    [" 007 ", "7"],
    ["Source 3", "3"],
    ["source", "source"],
    ["Doc-A", "doc-a"],
    ["@Smith2020", "smith2020"],
  ])("turns %j into %j", (text, expected) => {
    expect(normalizeCitationId(text)).toBe(expected);
  });
});

describe("Citation", () => {
  it.each<[unknown, string, [number, number, number]]>([
    [[1, 2], "A [1]. B [2].", [1, 1, 1]],
    [["1", "2"], "A [1].", [1, 0.5, 2 / 3]],
    [[1], "A [1, 2].", [0.5, 1, 2 / 3]],
    [[1], "A [2].", [0, 0, 0]],
    ["[1]", "A [1].", [1, 1, 1]],
    [3, "A [3].", [1, 1, 1]],
    ["[1, 2]", "A [1]. B [2].", [1, 1, 1]],
    ["1,2", "A [1]. B [2].", [1, 1, 1]],
    ["[1], [2]", "A [1, 2].", [1, 1, 1]],
    ["1; 2", "A [1].", [1, 0.5, 2 / 3]],
    ['["doc-a", "doc-b"]', "A [doc-a] [doc-b].", [1, 1, 1]],
    ["Annual report, 2020", "A [annual report, 2020].", [1, 1, 1]],
    ["@smith2020", "A [@smith2020].", [1, 1, 1]],
    [[0], "A[0].", [1, 1, 1]],
    [[{ id: 4, title: "x" }], "A [4].", [1, 1, 1]],
    [["doc-a", "doc-b"], "A [doc-a] [Doc-B].", [1, 1, 1]],
  ])("scores gold %j against %j", (citations, response, [precision, recall, f1]) => {
    const { scores } = scored(citations, response);
    expect(scores.citation_precision).toBeCloseTo(precision, 12);
    expect(scores.citation_recall).toBeCloseTo(recall, 12);
    expect(scores.citation_f1).toBeCloseTo(f1, 12);
  });

  it.each(["No marks.", "", null, undefined, {}])("gives no precision for %j", (response) => {
    expect(scored([1], response)).toEqual({
      scores: { citation_recall: 0, citation_f1: 0 },
      unscored: { citation_precision: "the response cites nothing" },
      evidence: { citation_f1: "cited nothing; gold 1" },
    });
  });

  it.each([undefined, null, [], "", [null], {}, [{}]])("does not score citations of %j", (citations) => {
    const { scores, unscored } = scored(citations, "[1]");
    expect(scores).toEqual({});
    expect(Object.keys(unscored ?? {})).toEqual(evaluator.fields);
    expect(unscored?.citation_f1).toMatch(/no citations/);
  });

  it("gives the harmonic mean, and 1 for the golds themselves", () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ids, ids, (golds, cited) => {
        const { scores } = scored(golds, cited.map((id) => `x [${id}]`).join(" "));
        const { citation_precision: p = Number.NaN, citation_recall: r = Number.NaN } = scores;
        expect(scores.citation_f1).toBeCloseTo(p + r === 0 ? 0 : (2 * p * r) / (p + r), 12);
        expect(scored(golds, `[${golds.join(", ")}]`).scores.citation_f1).toBe(1);
      }),
    );
  });

  it("keeps its evidence short", () => {
    const all = Array.from({ length: 150 }, (_, i) => i + 1);
    expect(scored(all, `[1-150]`).evidence?.citation_f1?.length).toBeLessThan(120);
  });

  it.each([
    "[",
    "]",
    "[1",
    "[1]",
    "[1]-",
    "(source ",
    "1-",
    "[a",
    "(",
    "【",
    "¹",
    "¹,",
    "<sup>",
    "<sup>1",
    "`",
    "```",
    "x[1]",
    "a",
    "a_",
    "@a",
    "[@a ",
    " ",
  ])("stays quick on a megabyte of %j", (unit) => {
    const cpuMs = startCpuTimer();
    scored([1], unit.repeat(Math.ceil(1e6 / unit.length)));
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });

  it("declares what it emits", () => {
    expect(evaluator).toMatchObject({ name: "citation", primaryFields: ["citation_f1"] });
    expect(evaluator.fingerprint()).toEqual({ evaluator: "citation", version: 1 });
  });
});
