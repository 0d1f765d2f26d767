import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CostBudget, createPrice } from "../budget/index.js";
import type { Example } from "../core/index.js";
import { attachFiles } from "../datasets/index.js";
import type { DialectName } from "../models/index.js";
import { makePng, TINY_PDF } from "../testing/images.js";
import { type Mock, startMock } from "../testing/mock/index.js";
import { type ModelOptions, ModelSystem } from "./model.js";
import { makeTrialContext, openModelFixture } from "./model-testing.js";
import { Prompt } from "./prompts/prompt.js";

const PNG = makePng(640, 480);
const DATA = PNG.toString("base64");
const PDF = TINY_PDF.toString("base64");
/** The mock counts a token for each 64 × 64 pixels. */
const PNG_TOKENS = 10 * 8;

const fixture = openModelFixture();
let dir: string;
let mock: Mock;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "assay-model-files-"));
  writeFileSync(join(dir, "chart.png"), PNG);
  writeFileSync(join(dir, "paper.pdf"), TINY_PDF);
  writeFileSync(join(dir, "notes.txt"), "Costs fell.");
  mock = await startMock({ reply: "fine" });
});
afterEach(async () => {
  await mock.close();
  await fixture.close();
  rmSync(dir, { recursive: true, force: true });
});

async function attach(example: object): Promise<Example> {
  const [attached] = await attachFiles([{ id: "e1", question: "What is shown?", ...example }], dir);
  return attached as Example;
}

/** The parts of a body that these tests look at. */
interface SentBody {
  readonly messages: readonly { readonly content: string | readonly { readonly type?: string }[] }[];
  readonly input: SentBody["messages"];
  readonly contents: readonly { readonly parts: readonly object[] }[];
}

/** The body that a system sends for an example. */
async function captureBody(example: Example, options: Partial<ModelOptions>): Promise<SentBody> {
  const server = await fixture.serve((_, response) => response.writeHead(400).end("{}"));
  const system = fixture.system(server, options);
  system.checkExample(example);
  await expect(system.process(example, makeTrialContext())).rejects.toThrow();
  return JSON.parse(server.requests[0]?.body ?? "") as SentBody;
}

const text = "What is shown?";
const url = "https://example.com/a.png";

describe("images and files in a request", () => {
  const SENT: Readonly<
    Record<string, { image: object; link?: object; document: object; text: object; at: (body: SentBody) => unknown }>
  > = {
    chat: {
      image: { type: "image_url", image_url: { url: `data:image/png;base64,${DATA}` } },
      link: { type: "image_url", image_url: { url } },
      document: { type: "file", file: { filename: "paper.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
      text: { type: "text", text },
      at: (body) => body.messages[0]?.content,
    },
    responses: {
      image: { type: "input_image", image_url: `data:image/png;base64,${DATA}`, detail: "auto" },
      link: { type: "input_image", image_url: url, detail: "auto" },
      document: { type: "input_file", filename: "paper.pdf", file_data: `data:application/pdf;base64,${PDF}` },
      text: { type: "input_text", text },
      at: (body) => body.input[0]?.content,
    },
    anthropic: {
      image: { type: "image", source: { type: "base64", media_type: "image/png", data: DATA } },
      link: { type: "image", source: { type: "url", url } },
      document: {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: PDF },
        title: "paper.pdf",
      },
      text: { type: "text", text },
      at: (body) => body.messages[0]?.content,
    },
    gemini: {
      image: { inlineData: { mimeType: "image/png", data: DATA } },
      document: { inlineData: { mimeType: "application/pdf", data: PDF } },
      text: { text },
      at: (body) => body.contents[0]?.parts,
    },
    bedrock: {
      image: { image: { format: "png", source: { bytes: DATA } } },
      document: { document: { format: "pdf", name: "paper pdf", source: { bytes: PDF } } },
      text: { text },
      at: (body) => body.messages[0]?.content,
    },
  };

  it.each(Object.keys(SENT) as DialectName[])("have the form of the API format %s", async (dialect) => {
    const { image, link, document, text: question, at } = SENT[dialect] ?? expect.unreachable();
    const images = link === undefined ? ["chart.png"] : ["chart.png", url];
    const body = await captureBody(await attach({ images, files: ["paper.pdf"] }), { dialect });
    expect(at(body)).toEqual([image, ...(link === undefined ? [] : [link]), document, question]);
  });

  it("send a text file as text, before the question", async () => {
    const body = await captureBody(await attach({ files: ["notes.txt"] }), { dialect: "chat" });
    expect(body.messages[0]?.content).toEqual([
      { type: "text", text: "notes.txt:\n\nCosts fell." },
      { type: "text", text },
    ]);
  });

  it("go with the first message of a conversation, and with the last one of a prompt", async () => {
    const example = await attach({
      images: ["chart.png"],
      turns: [
        { role: "user", content: "Look." },
        { role: "assistant", content: "I do." },
      ],
    });
    const talk = await captureBody(example, { dialect: "anthropic" });
    expect(talk.messages.map(({ content }) => content.length)).toEqual([2, "I do.".length, text.length]);
    expect(talk.messages[0]?.content[0]).toMatchObject({ type: "image" });
    const prompt = new Prompt({
      name: "shots",
      template: [
        { role: "user", content: "Like this" },
        { role: "assistant", content: "a cat" },
        { role: "user", content: "{{question}}" },
      ],
    });
    const prompted = await captureBody(await attach({ images: ["chart.png"] }), { dialect: "chat", prompt });
    expect(prompted.messages[0]?.content).toBe("Like this");
    expect(prompted.messages[2]?.content).toMatchObject([{ type: "image_url" }, { type: "text", text }]);
  });

  it("send nothing else than before for an example without files", async () => {
    const body = await captureBody({ id: 1, question: text }, { dialect: "chat" });
    expect(body.messages).toEqual([{ role: "user", content: text }]);
  });
});

describe("usage and cost of images", () => {
  const price = createPrice({ input_per_1k: 0.001, output_per_1k: 0.002 }, "test");

  it.each(["chat", "responses", "anthropic", "gemini", "bedrock"] as const)(
    "are those that the provider reports in %s",
    async (dialect) => {
      const system = new ModelSystem({ model: "m", baseUrl: mock.url, dialect });
      const example = await attach({ images: ["chart.png"] });
      const budget = new CostBudget({ price });
      const output = await system.process(example, makeTrialContext({ budget }));
      const textTokens = Math.ceil(text.length / 4);
      expect(output.usage).toMatchObject({ input: textTokens + PNG_TOKENS, output: 1 });
      expect(budget.bill.costUsd).toBeCloseTo((textTokens + PNG_TOKENS + 2) / 1e6, 12);
      expect(output.metadata?.sentFiles).toEqual([
        { path: "chart.png", sha256: expect.stringMatching(/^[\da-f]{64}$/) },
      ]);
      expect(system.countFileTokens(example)).toBeGreaterThanOrEqual(PNG_TOKENS);
      await system.close();
    },
  );

  it("are estimated where the provider reports none, in every call of a conversation", async () => {
    await mock.close();
    mock = await startMock({ reply: "fine", noUsage: true });
    const system = new ModelSystem({ model: "gpt-4o", baseUrl: mock.url });
    const ask = async (example: Example) => {
      const budget = new CostBudget({ price });
      await system.process(example, makeTrialContext({ budget }));
      return budget.bill.costUsd * 1e6;
    };
    const turns = [
      { role: "user", content: "one" },
      { role: "user", content: "two" },
    ];
    const plain = await ask({ id: 1, question: "", turns });
    const seen = await ask(await attach({ question: "", turns, images: ["chart.png"] }));
    expect(seen - plain).toBeCloseTo(2 * 425, 6);
    await system.close();
  });

  it("are unknown before the call for a PDF, and a text file counts at most its bytes", async () => {
    const system = new ModelSystem({ model: "gpt-4o", baseUrl: mock.url });
    expect(system.countFileTokens(await attach({ images: ["chart.png"] }))).toBe(425);
    expect(system.countFileTokens(await attach({ files: ["paper.pdf"] }))).toBeNull();
    expect(system.countFileTokens(await attach({ files: ["notes.txt"] }))).toBe("notes.txtCosts fell.".length);
    expect(system.countFileTokens(await attach({ images: [url] }))).toBe(85 + 8 * 170);
    expect(system.countFileTokens(await attach({}))).toBe(0);
    await system.close();
  });
});

describe("files that cannot be sent", () => {
  const check = async (example: object, options: Partial<ModelOptions>) => {
    const system = fixture.system({ url: mock.url }, options);
    const attached = await attach(example);
    return () => system.checkExample(attached);
  };

  it("are refused before anything is sent", async () => {
    const image = { images: ["chart.png"] };
    const pdf = { files: ["paper.pdf"] };
    const link = { images: [url] };
    expect(await check(image, { model: "o3-mini" })).toThrow(/The example "e1" .* the model o3-mini reads no images/);
    expect(await check(pdf, { model: "gpt-3.5-turbo" })).toThrow(/reads no PDF files/);
    expect(await check({ files: ["notes.txt"] }, { model: "gpt-3.5-turbo" })).not.toThrow();
    expect(await check(image, { model: "nobody-knows-it" })).not.toThrow();
    expect(await check(link, { dialect: "gemini" })).toThrow(
      /is a URL, .* the API format gemini cannot send it. Download/,
    );
    expect(await check({ files: [url] }, { dialect: "chat" })).toThrow(/the API format chat cannot send it/);
    const own = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    expect(await check({ images: [own] }, { dialect: "gemini" })).not.toThrow();
    expect(mock.counts.requests).toBe(0);
  });

  it("are refused if nobody looked them up, or if they have changed", async () => {
    const system = fixture.system({ url: mock.url });
    const raw = { id: "e1", question: "?", images: ["chart.png"] } as unknown as Example;
    expect(() => system.checkExample(raw)).toThrow(
      /was not looked up. Load the dataset from a file, or call attachFiles/,
    );
    const example = await attach({ images: ["chart.png"] });
    writeFileSync(join(dir, "chart.png"), makePng(1, 1));
    await expect(system.process(example, makeTrialContext())).rejects.toThrow(/"chart.png" has changed/);
    const copy = JSON.parse(JSON.stringify(example)) as Example;
    await expect(system.process(copy, makeTrialContext())).rejects.toThrow(/The content of "chart.png" is not here/);
    expect(mock.counts.requests).toBe(0);
  });
});
