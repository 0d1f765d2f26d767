import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { ToolCallMatch, type ToolCallMatchOptions } from "./tool-call-match.js";
import { parsePythonCalls } from "./tool-calls/python-calls.js";

function scored(example: object, output: object | string, options?: ToolCallMatchOptions): ScoredWithEvidence {
  const made = typeof output === "string" ? { response: output } : output;
  const asked = { id: 1, question: "q", ...example } as Example;
  return new ToolCallMatch(options).score(asked, made as Output) as ScoredWithEvidence;
}

const score = (example: object, output: object | string, options?: ToolCallMatchOptions) =>
  scored(example, output, options).scores.tool_call_match;

const ARGS = { city: "Paris", days: 3 };
const ONE = { tool_calls: [{ name: "weather", arguments: ARGS }] };

describe("ToolCallMatch reads a call", () => {
  it.each<[string, object | string]>([
    [
      "of OpenAI",
      { tool_calls: [{ id: "x", type: "function", function: { name: "weather", arguments: JSON.stringify(ARGS) } }] },
    ],
    ["of Anthropic", { tool_calls: [{ type: "tool_use", id: "x", name: "weather", input: ARGS }] }],
    ["of Gemini", { tool_calls: [{ functionCall: { name: "weather", args: ARGS } }] }],
    ["of Bedrock", { tool_calls: [{ toolUse: { toolUseId: "x", name: "weather", input: ARGS } }] }],
    [
      "of the Responses API",
      { tool_calls: [{ type: "function_call", name: "weather", arguments: JSON.stringify(ARGS) }] },
    ],
    ["with its keys in another order", { tool_calls: [{ arguments: { days: 3, city: "Paris" }, name: "weather" }] }],
    ["in a list as text", { tool_calls: JSON.stringify([{ name: "weather", arguments: ARGS }]) }],
    ["outside of a list", { tool_calls: { name: "weather", arguments: ARGS } }],
    ["in JSON", JSON.stringify({ name: "weather", arguments: ARGS })],
    ["in a list in JSON", JSON.stringify([{ name: "weather", parameters: ARGS }])],
    ["in a message", JSON.stringify({ tool_calls: [{ name: "weather", arguments: ARGS }] })],
    ["in a response that is parsed", { response: { name: "weather", arguments: ARGS } }],
    ["in a fence", `Sure:\n\`\`\`json\n${JSON.stringify({ name: "weather", arguments: ARGS })}\n\`\`\``],
    ["of Hermes", `<tool_call>\n${JSON.stringify({ name: "weather", arguments: ARGS })}\n</tool_call>`],
    ["of Mistral", `[TOOL_CALLS] ${JSON.stringify([{ name: "weather", arguments: ARGS }])}`],
    ["of Llama", `<|python_tag|>${JSON.stringify({ name: "weather", parameters: ARGS })}`],
    ["of Llama in a tag", `<function=weather>${JSON.stringify(ARGS)}</function>`],
    ["by its name", JSON.stringify([{ weather: ARGS }])],
    ["in Python", "[weather(city='Paris', days=3)]"],
    ["in Python without brackets", 'weather(city="Paris", days=3)'],
    ["in Python in a fence", '```python\nweather(city="Paris", days=3)\n```'],
    ["in Python on a line", "I will look it up.\n[weather(city='Paris', days=3)]"],
    ["in a Python dict", "[{'name': 'weather', 'arguments': {'city': 'Paris', 'days': 3}}]"],
    ["after thinking", `<think>[weather(city="Rome")]</think>[weather(city="Paris", days=3.0)]`],
    ["in a quoted list", `["weather(city='Paris', days=3)"]`],
    ["in a list quoted as Python does", `['weather(city="Paris", days=3)']`],
    ["in Python on a line without brackets", "I will look it up.\n\nweather(city='Paris', days=3)\n\nOne moment."],
    ["in inline code on a line", "I will look it up:\n`weather(city='Paris', days=3)`"],
    ["in inline code", '`weather(city="Paris", days=3)`'],
    ["as a name and JSON on the next line", `weather\n${JSON.stringify(ARGS)}`],
    [
      "as a name and JSON after some words",
      `I will look it up.\n\n**weather**\n${JSON.stringify(ARGS)}\n\nOne moment.`,
    ],
    ["of ReAct", `Thought: look it up\nAction: weather\nAction Input: ${JSON.stringify(ARGS)}`],
    [
      "of Hermes in Python's quotes",
      "<tool_call>\n{'name': 'weather', 'arguments': {'city': 'Paris', 'days': 3}}\n</tool_call>",
    ],
    ["before the mark that ends a turn", "[weather(city='Paris', days=3)]<|eot_id|>"],
    ["before the mark of another model", "weather(city='Paris', days=3)</s>"],
    ["of newer Mistral models", `[TOOL_CALLS]weather${JSON.stringify(ARGS)}`],
    ["of newer Mistral models with a mark", `[TOOL_CALLS]weather[CALL_ID]a1B2[ARGS]${JSON.stringify(ARGS)}</s>`],
    [
      "of Qwen's coders",
      "<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
    ],
    [
      "of Claude's older prompts",
      '<invoke name="weather"><parameter name="city">Paris</parameter><parameter name="days">3</parameter></invoke>',
    ],
    [
      "of GLM",
      "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
    ],
    ["in a list of one", "- weather(city='Paris', days=3)"],
    ["in bold", "**weather(city='Paris', days=3)**"],
    ["of Hermes without an end", `<tool_call>\n${JSON.stringify({ name: "weather", arguments: ARGS })}`],
    ["of Hermes as a name and JSON", `<tool_call>weather\n${JSON.stringify(ARGS)}</tool_call>`],
    ["of Hermes in Python", "<tool_call>weather(city='Paris', days=3)</tool_call>"],
  ])("%s", (_, output) => {
    expect(scored(ONE, output)).toEqual({ scores: { tool_call_match: 1 } });
  });

  it.each<[object | string, RegExp]>([
    [{}, /0 calls made, 1 expected/],
    [{ response: null }, /0 calls made/],
    [{ tool_calls: null }, /0 calls made/],
    [{ tool_calls: 4 }, /0 calls made/],
    ["I do not know.", /0 calls made/],
    ["weather in Paris (3 days)", /0 calls made/],
    [{ tool_calls: [{ name: "news", arguments: ARGS }] }, /call 1: calls news, not weather/],
    [{ tool_calls: [{ name: "weather", arguments: { ...ARGS, unit: "C" } }] }, /argument unit is not expected/],
    [{ tool_calls: [{ name: "weather", arguments: { city: "Paris" } }] }, /argument days is missing/],
    [{ tool_calls: [{ name: "weather", arguments: { ...ARGS, days: "3" } }] }, /argument days is "3", not 3/],
    [
      { tool_calls: [{ name: "weather", arguments: { ...ARGS, city: "paris" } }] },
      /argument city is "paris", not "Paris"/,
    ],
    [{ tool_calls: [{ name: "weather", arguments: "{no json" }] }, /arguments are not JSON/],
    [
      {
        tool_calls: [
          { name: "weather", arguments: ARGS },
          { name: "weather", arguments: ARGS },
        ],
      },
      /2 calls made, 1 expected/,
    ],
    ["[weather('Paris', 3)]", /positional 1 is not expected/],
  ])("and reports what is wrong with %j", (output, reason) => {
    const { scores, evidence } = scored(ONE, output);
    expect(scores.tool_call_match).toBe(0);
    expect(evidence?.tool_call_match).toMatch(reason);
  });
});

describe("ToolCallMatch reads text", () => {
  const ESCAPED = { tool_calls: [{ name: "get_weather", arguments: { home_city: "Paris", note: "a_b" } }] };

  it.each([
    String.raw`[get\_weather(home\_city='Paris', note='a_b')]`,
    String.raw`get\_weather(home\_city="Paris", note="a\_b")`,
    String.raw`{"name": "get\_weather", "arguments": {"home\_city": "Paris", "note": "a\_b"}}`,
    String.raw`\[get\_weather(home\_city='Paris', note='a\_b')\]`,
  ])("with Markdown's escapes: %s", (response) => {
    expect(score(ESCAPED, response)).toBe(1);
  });

  it("with a backslash that is part of a value", () => {
    const example = { tool_calls: [{ name: "find", arguments: { pattern: "a\\_b" } }] };
    expect(score(example, String.raw`[find(pattern=r'a\_b')]`)).toBe(1);
  });

  it("in several tags", () => {
    const two = {
      tool_calls: [
        { name: "f", arguments: { a: 1 } },
        { name: "g", arguments: { b: "x" } },
      ],
    };
    const call = (text: string) => `<tool_call>\n${text}\n</tool_call>`;
    expect(
      score(two, `${call("{'name': 'f', 'arguments': {'a': 1}}")}\n${call("{'name': 'g', 'arguments': {'b': 'x'}}")}`),
    ).toBe(1);
    expect(score(two, call("{'name': 'f', 'arguments': {'a': 1}}"))).toBe(0);
  });

  it("in several fences or points of a list", () => {
    const two = { tool_calls: [ONE.tool_calls[0], { name: "news", arguments: { city: "Rome" } }] };
    const [first, second] = ["weather(city='Paris', days=3)", 'news(city="Rome")'];
    expect(score(two, `\`\`\`python\n${first}\n\`\`\`\nand\n\`\`\`python\n${second}\n\`\`\``)).toBe(1);
    expect(score(two, `1. ${first}\n2. \`${second}\``)).toBe(1);
  });

  it("not where the output lists its calls, or says that there are none", () => {
    const response = "[weather(city='Paris', days=3)]";
    expect(scored(ONE, { tool_calls: [], response }).evidence?.tool_call_match).toMatch(/0 calls made, 1 expected/);
    expect(score({ tool_calls: [] }, { tool_calls: [], response })).toBe(1);
    expect(score(ONE, { tool_calls: null, response })).toBe(1);
    expect(score(ONE, { tool_calls: [{ name: "news", arguments: {} }], response })).toBe(0);
    expect(score(ONE, { tool_calls: [{ name: "weather", arguments: ARGS }, "?"] })).toBe(0);
  });

  const CALL = JSON.stringify({ name: "weather", arguments: ARGS });
  it.each([
    `Which city do you mean? For example, you could ask for weather(city="Paris", days=3).`,
    `I need the city first. A call would look like this:\n\n\`\`\`python\nweather(city="Paris", days=3)\n\`\`\``,
    `None of the tools fits. For example:\n\`\`\`json\n${CALL}\n\`\`\`\nonly tells the weather.`,
    `If you tell me the city, e.g. ${CALL}, I can go on.`,
    `Please name a city. Example:\n[weather(city='Paris', days=3)]`,
    `You would use:\nweather\n${JSON.stringify(ARGS)}`,
  ])("without reading an example as a call: %s", (response) => {
    const offered = { tool_calls: [], tools: [{ name: "weather", parameters: {} }] };
    expect(scored(offered, response)).toEqual({ scores: { tool_call_match: 1 } });
    expect(score(ONE, response)).toBe(0);
  });

  it("and ignores words inside an argument", () => {
    const sent = { tool_calls: [{ name: "send", arguments: { body: "For example, you could call me:", to: "Ada" } }] };
    const args = { body: "For example, you could call me:", to: "Ada" };
    expect(score(sent, JSON.stringify({ name: "send", arguments: args }, null, 2))).toBe(1);
    expect(score(sent, 'send(\n  body="For example, you could call me:",\n  to="Ada"\n)')).toBe(1);
  });

  it("and reads a tool that is available but not expected as a call", () => {
    const offered = { tool_calls: [], tools: [{ name: "weather", parameters: {} }] };
    for (const response of [`[{"weather": {"city": "Paris"}}]`, `Let me see.\nweather\n{"city": "Paris"}`])
      expect(score(offered, response)).toBe(0);
  });
});

describe("ToolCallMatch of several calls", () => {
  const TWO = {
    tool_calls: [
      { name: "f", arguments: { a: 1 } },
      { name: "f", arguments: { a: 2 } },
    ],
  };

  it("accepts them in any order by default", () => {
    expect(score(TWO, "[f(a=1), f(a=2)]")).toBe(1);
    expect(score(TWO, "[f(a=2), f(a=1)]")).toBe(1);
    expect(score(TWO, "[f(a=2), f(a=1)]", { ordered: true })).toBe(0);
    expect(score(TWO, "[f(a=1), f(a=2)]", { ordered: true })).toBe(1);
    expect(score(TWO, "[f(a=1), f(a=1)]")).toBe(0);
    expect(score(TWO, '{"name": "f", "arguments": {"a": 2}}\n{"name": "f", "arguments": {"a": 1}}')).toBe(1);
  });

  it("pairs them even if the first match is needed elsewhere", () => {
    const example = { ground_truth: [{ f: { a: [1, 2] } }, { f: { a: [1] } }] };
    expect(score(example, "[f(a=1), f(a=2)]")).toBe(1);
    expect(score(example, "[f(a=2), f(a=1)]")).toBe(1);
    expect(score(example, "[f(a=2), f(a=2)]")).toBe(0);
  });

  it("can expect no call", () => {
    for (const none of [{ tool_calls: [] }, { ground_truth: [] }, { answers: "[]" }]) {
      expect(score(none, "None of the tools fits.")).toBe(1);
      expect(score(none, { tool_calls: [] })).toBe(1);
      expect(score(none, {})).toBe(1);
      expect(score(none, 'The object {"name": "x"} and the list [1, 2] are no calls.')).toBe(1);
      expect(score(none, '```json\n{"celsius": 3}\n```')).toBe(1);
      expect(score(none, "In Python:\nprint(1)")).toBe(1);
      expect(score(none, 'It is {"name": "Bob", "input": 3} and {"tool": "saw", "parameters": ["a"]}.')).toBe(1);
      expect(score(none, "[f(a=1)]")).toBe(0);
      expect(score(none, '{"name": "f", "arguments": ""}')).toBe(0);
      expect(score(none, '{"name": "f", "arguments": null}')).toBe(0);
      expect(score(none, '{"name": "f", "arguments": "{broken"}')).toBe(0);
      expect(score(none, '{"name": "f", "parameters": "{}"}')).toBe(0);
    }
  });

  it("matches any shuffle of itself, and nothing with one value changed", () => {
    const call = fc.record({
      name: fc.constantFrom("f", "g"),
      arguments: fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue()),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 5 }), fc.nat(), (calls, seed) => {
        const example = { tool_calls: calls };
        const turned = [...calls.slice(seed % calls.length), ...calls.slice(0, seed % calls.length)];
        expect(score(example, { tool_calls: turned })).toBe(1);
        const [first, ...rest] = turned;
        const changed = [{ ...first, arguments: { ...first?.arguments, extra: true } }, ...rest];
        expect(score(example, { tool_calls: changed })).toBe(0);
      }),
    );
  });
});

describe("ToolCallMatch's expected calls", () => {
  it.each<[string, object]>([
    ["in OpenAI's shape", { tool_calls: [{ function: { name: "weather", arguments: JSON.stringify(ARGS) } }] }],
    ["as text", { tool_calls: JSON.stringify([{ name: "weather", arguments: ARGS }]) }],
    ["of xlam", { answers: JSON.stringify([{ name: "weather", arguments: ARGS }]) }],
    ["of xlam in a list", { answers: [JSON.stringify([{ name: "weather", arguments: ARGS }])] }],
    ["of xlam, parsed", { answers: [{ name: "weather", arguments: ARGS }] }],
    ["as the answer", { answer: JSON.stringify({ name: "weather", arguments: ARGS }) }],
    ["of BFCL", { ground_truth: [{ weather: { city: ["Paris"], days: [3, 4], unit: ["", "C"] } }] }],
    ["of BFCL as text", { possible_answer: JSON.stringify([{ weather: { city: ["Paris"], days: [3] } }]) }],
    ["of BFCL in Python", { ground_truth: ["weather(city='Paris', days=3)"] }],
  ])("%s", (_, example) => {
    expect(score(example, { tool_calls: [{ name: "weather", arguments: ARGS }] })).toBe(1);
    expect(score(example, { tool_calls: [{ name: "weather", arguments: { city: "Rome", days: 3 } }] })).toBe(0);
  });

  it.each([
    [{}, /no calls to compare with/],
    [{ answer: "Paris" }, /no calls to compare with/],
    [{ tool_calls: "x" }, /tool_calls is not a list of calls/],
    [{ tool_calls: [1] }, /tool_calls is not a list/],
    [{ ground_truth: [["f(a=1)"]] }, /ground_truth is not a list of calls/],
    [{ ground_truth: [{ f: 1 }] }, /ground_truth is not a list/],
    [{ possible_answer: "nothing" }, /possible_answer is not a list/],
    [{ tool_calls: [{ name: "f", arguments: "a=1" }] }, /arguments of the expected call f are not a JSON object/],
    [{ answers: '[{"name": "f", "arguments": [1]}]' }, /arguments of the expected call f are not a JSON object/],
    [{ ground_truth: [{ name: "f", arguments: "{" }] }, /arguments of the expected call f are not a JSON object/],
  ])("are rejected for %j", (example, reason) => {
    expect(scored(example, "[f(a=1)]")).toMatchObject({
      scores: {},
      unscored: { tool_call_match: expect.stringMatching(reason) },
    });
  });

  // Expected values come from BFCL's ast_checker.
  it.each<[object, object, number]>([
    [{ city: ["New York, NY"] }, { city: "new york NY" }, 1],
    [{ city: ["New York"] }, { city: "Newark" }, 0],
    [{ day: ["2024-04-01", "April 1, 2024"] }, { day: "april 1 2024" }, 1],
    [{ x: [1.0] }, { x: 1 }, 1],
    [{ x: [5] }, { x: "5" }, 0],
    [{ x: [true] }, { x: true }, 1],
    [{ x: [true] }, { x: "true" }, 0],
    [{ x: [true] }, { x: 1 }, 0],
    [{ x: ["a", ""] }, {}, 1],
    [{ x: ["a"] }, {}, 0],
    [{ x: ["a"] }, { x: "a", y: 1 }, 0],
    [
      {
        x: [
          [1, 2],
          [2, 1],
        ],
      },
      { x: [2, 1] },
      1,
    ],
    [{ x: [[1, 2]] }, { x: [2, 1] }, 0],
    [{ x: [["Red", "Blue"]] }, { x: ["red", "blue"] }, 1],
    [{ x: [{ a: [1], b: ["q", ""] }] }, { x: { a: 1 } }, 1],
    [{ x: [{ a: [1], b: ["q"] }] }, { x: { a: 1 } }, 0],
    [{ x: [{ a: [1] }] }, { x: { a: 1, c: 2 } }, 0],
    [{ x: [[{ a: [1] }, { a: [2] }]] }, { x: [{ a: 1 }, { a: 2 }] }, 1],
    [{ x: [[{ a: [1] }, { a: [2] }]] }, { x: [{ a: 1 }] }, 0],
  ])("of BFCL allow %j for %j: %d", (allowed, args, expected) => {
    expect(score({ ground_truth: [{ f: allowed }] }, { tool_calls: [{ name: "f", arguments: args }] })).toBe(expected);
  });

  // Expected values come from BFCL's Python reader.
  it.each<[object, string]>([
    [{ x: [0.5] }, "[f(x=1/2)]"],
    [{ base: [10], height: [5] }, "[f(base=2*5, height=5)]"],
    [{ base: [10] }, "[f(base=(10))]"],
    [{ x: ["hello world"] }, "[f(x='hello ' 'world')]"],
    [{ x: ["g(2)"] }, "[f(x=g(2))]"],
  ])("of BFCL allow %j for %j", (allowed, response) => {
    expect(score({ ground_truth: [{ f: allowed }] }, response)).toBe(1);
  });

  it("of BFCL distinguish 10.0 from 10 where a whole number is declared", () => {
    const declared = (type: object) => ({
      ground_truth: [{ "m.f": { x: [10, [10]] } }],
      function: [{ name: "m.f", parameters: { type: "dict", properties: { x: type } } }],
    });
    expect(score(declared({ type: "integer" }), "[m.f(x=10)]")).toBe(1);
    expect(score(declared({ type: "integer" }), "[m.f(x=10.0)]")).toBe(0);
    expect(score(declared({ type: "integer" }), "[m_f(x=20/2)]")).toBe(0);
    expect(score(declared({ type: "array", items: { type: "integer" } }), "[m.f(x=[10.0])]")).toBe(0);
    expect(score(declared({ type: "array", items: { type: "integer" } }), "[m.f(x=[10])]")).toBe(1);
    expect(score(declared({ type: "float" }), "[m.f(x=10.0)]")).toBe(1);
    const wrapped = { ground_truth: [{ f: { x: [10] } }] };
    const tools = [
      { type: "function", function: { name: "f", parameters: { properties: { x: { type: "integer" } } } } },
    ];
    expect(scored({ ...wrapped, tools: JSON.stringify(tools) }, "[f(x=10.0)]").evidence?.tool_call_match).toBe(
      "call 1: argument x is a fraction, not a whole number",
    );
    expect(score({ ...wrapped, tools: [null, 4, "x"] }, "[f(x=10.0)]")).toBe(1);
  });

  it("of BFCL need what the tool's schema requires, even if an empty text is allowed", () => {
    const example = (required: string[]) => ({
      ground_truth: [{ "m.f": { a: [1], unit: ["C", ""] } }],
      tools: [{ name: "m_f", parameters: { properties: { a: {}, unit: {} }, required } }],
    });
    expect(score(example(["a"]), "[m.f(a=1)]")).toBe(1);
    expect(scored(example(["a", "unit"]), "[m.f(a=1)]").evidence?.tool_call_match).toBe(
      "call 1: argument unit is missing",
    );
    expect(score(example(["a", "unit"]), "[m.f(a=1, unit='C')]")).toBe(1);
  });

  it("of BFCL may have dots, which providers forbid", () => {
    expect(
      score(
        { ground_truth: [{ "math.add": { a: [1] } }] },
        { tool_calls: [{ name: "math_add", arguments: { a: 1 } }] },
      ),
    ).toBe(1);
  });
});

describe("parsePythonCalls", () => {
  it.each<[string, unknown]>([
    ["f()", {}],
    ["f( a = 1 , )", { a: 1 }],
    ["a.b.c(x=-1.5e3)", { x: -1500 }],
    ["f(a=True, b=None, c=false, d=1_000)", { a: true, b: null, c: false, d: 1000 }],
    ["f(a='it\\'s', b=\"x\\n\\u00e9\", c=r'\\d', d='''a'b''')", { a: "it's", b: "x\né", c: "\\d", d: "a'b" }],
    ["f(a=[1, [2]], b=(1, 2), c={'k': {'l': 'm'}}, d=[])", { a: [1, [2]], b: [1, 2], c: { k: { l: "m" } }, d: [] }],
    ["f(a=some_name)", { a: "some_name" }],
    ["f(a=1/2, b=2*5, c=7//2, d=-7%3, e=2**-1, f=-2**2)", { a: 0.5, b: 10, c: 3, d: 2, e: 0.5, f: -4 }],
    ["f(a=1 + 2*3 - 4, b=(1+2)*3, c='x' + \"y\", d=2**3**0)", { a: 3, b: 9, c: "xy", d: 2 }],
    ["f(a='hello ' 'world', b=('x'\n 'y'))", { a: "hello world", b: "xy" }],
    ["f(a=(10), b=(10,), c=(), d=((1, 2), (3)))", { a: 10, b: [10], c: [], d: [[1, 2], 3] }],
    ["f(a=g(2), b=g.h('x', [1]), c=x[0])", { a: "g(2)", b: "g.h('x', [1])", c: "x[0]" }],
    ["f(a=g(b=1, c=h(2)))", { a: { g: { b: 1, c: "h(2)" } } }],
    ["f(a='(x), [y]')", { a: "(x), [y]" }],
    ["f(1, b=2)", { "positional 1": 1, b: 2 }],
    ["f(__proto__=1)", Object.fromEntries([["__proto__", 1]])],
  ])("reads %j", (text, args) => {
    const [call, ...rest] = parsePythonCalls(text) ?? [];
    expect(rest).toEqual([]);
    expect(JSON.stringify(call?.args)).toBe(JSON.stringify(args));
  });

  it.each([
    "",
    "f",
    "f(",
    "f(a=",
    "f(a=1",
    "f(a=1) and more",
    "[f(a=1)",
    "[1, 2]",
    "Done (ok)",
    "x = 1",
    "f(a='x)",
    "f(a=1 b=2)",
    "f(a=1 + b)",
    "f(a=1 / 0)",
    "f(a=-'x')",
    "f(a=lambda x: x + 1)",
    "f(a=g(b=)",
  ])("reads nothing in %j", (text) => {
    expect(parsePythonCalls(text)).toBeNull();
  });

  it("reads any JSON value back", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value);
        const [call] = parsePythonCalls(`f(x=${text})`) ?? [];
        expect(JSON.stringify(call?.args?.x)).toBe(text);
      }),
    );
  });
});

describe("ToolCallMatch", () => {
  it("handles too deep nesting", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const wrapped = `${'{"function":'.repeat(50_000)}{}${"}".repeat(50_000)}`;
    const listed = `${'{"tool_calls":['.repeat(50_000)}${"]}".repeat(50_000)}`;
    for (const text of [deep, wrapped, listed, `f(a=${"[".repeat(90_000)})`, `[f(a=${deep.slice(0, 50_000)}`]) {
      expect(score(ONE, text)).toBe(0);
    }
    expect(score(ONE, { tool_calls: [{ name: "weather", arguments: { city: JSON.parse(deep) } }] })).toBe(0);
  });

  it.each([
    "[",
    "{",
    "f(",
    "f(a=1)\n",
    "[f(a=1)]\n",
    '{"name":"f","arguments":{}}',
    "'",
    "<function=f>",
    "<function=f>x</function>",
    "```\n",
    "[f(a='",
    "f(a=((1,",
    "((",
    "-",
    "2**",
    "a ",
    " ",
  ])("stays quick on a megabyte of %j", (unit) => {
    const cpuMs = startCpuTimer();
    score(ONE, unit.repeat(Math.ceil(1e6 / unit.length)));
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });

  it("declares what it emits", () => {
    expect(new ToolCallMatch()).toMatchObject({ name: "tool_call_match", fields: ["tool_call_match"] });
    expect(new ToolCallMatch({ ordered: true }).fingerprint()).toEqual({
      evaluator: "tool_call_match",
      version: 3,
      ordered: true,
    });
  });
});
