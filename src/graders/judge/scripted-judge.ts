import type { JudgeAnswer, JudgeModel, JudgeRequest } from "./judge-model.js";

/** A judge for tests that answers as it is told and remembers what it was asked. */
export interface ScriptedJudge extends JudgeModel {
  readonly requests: JudgeRequest[];
}

/** Answers with what the test says: texts in turn (the last one from then on), or what a function makes of the message. */
export function scriptedJudge(
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

/** What stands between the tags of this name in a message. */
export function shownAs(tag: string, message: string): string[] {
  const mark = /mark of this message is ([0-9a-f]+)/.exec(message)?.[1] ?? "";
  return message
    .split(`<${tag}-${mark}>\n`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf(`\n</${tag}-${mark}>`)));
}
