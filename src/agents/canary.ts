import { type Canary, type Environment, type Example, type Output, omitUndefined } from "../core/index.js";

const FILE = "canary.txt";
const WORD = "ready";

/** How much of an answer is quoted. */
const MAX_QUOTE_CHARS = 200;

/** The trivial task of an agent: one file with one word. Undefined for none. */
export function createAgentCanary(wanted: boolean | undefined): Canary | undefined {
  if (wanted === false) return undefined;
  const question = `Create a file named ${FILE} in the current folder that contains the word ${WORD}, and nothing else. Do not ask, and do nothing else.`;
  const example: Example = { id: "(canary)", question };
  return {
    example,
    adapt: (first) => ({ ...example, environment: selectImage(first.environment ?? {}) }),
    findProblem: findCanaryProblem,
    ...(wanted === true && { isAlways: true }),
  };
}

/** A container needs an image. */
function selectImage({ image, dockerfile, workdir }: Environment): Environment {
  return omitUndefined({ image, dockerfile, workdir });
}

function findCanaryProblem(output: Output): string | null {
  const { workspace, stopped, metadata, response = "" } = output;
  const file = workspace?.changes.find(({ path }) => path === FILE);
  if (file !== undefined && "content" in file && file.content.includes(WORD)) return null;
  const done = file === undefined ? `it did not create ${FILE}` : `it did not write ${WORD} into ${FILE}`;
  const end = stopped === undefined ? "" : ` and ended as ${stopped}`;
  const calls = metadata?.toolCalls;
  const tools = typeof calls === "number" ? `, with ${calls} tool ${calls === 1 ? "call" : "calls"}` : "";
  const said = response.trim().replaceAll(/\s+/g, " ").slice(0, MAX_QUOTE_CHARS);
  return `${done}${end}${tools}. ${said === "" ? "It said nothing" : `It said: ${said}`}`;
}
