import type { JudgeAnswer, JudgeModel, JudgeRequest } from "./judge-model.js";

/** A judge for tests that gives scripted answers and records its requests. */
export interface ScriptedJudge extends JudgeModel {
  readonly requests: JudgeRequest[];
}

/** Answers with texts in order, repeating the last one, or with what a function returns for the message. */
export function createScriptedJudge(
  script: readonly (string | JudgeAnswer)[] | ((message: string, number: number) => string | JudgeAnswer),
  more: Partial<JudgeModel> = {},
): ScriptedJudge {
  const requests: JudgeRequest[] = [];
  const next = (message: string) =>
    typeof script === "function"
      ? script(message, requests.length)
      : (script[requests.length - 1] ?? script.at(-1) ?? "");
  return {
    name: "scripted",
    requests,
    async ask(request) {
      requests.push(request);
      const said = next(request.messages.map(({ parts }) => parts.join("\n")).join("\n"));
      return typeof said === "string" ? { response: said, costUsd: 0.01, usage: { input: 10, output: 5 } } : said;
    },
    ...more,
  };
}

/** Extracts the texts between the tags of a name. */
export function extractTagged(tag: string, message: string): string[] {
  const mark = /mark of this message is ([0-9a-f]+)/.exec(message)?.[1] ?? "";
  return message
    .split(`<${tag}-${mark}>\n`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf(`\n</${tag}-${mark}>`)));
}
