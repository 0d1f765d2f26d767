import { createInterface } from "node:readline";
import { INIT_KINDS, INIT_TEMPLATES, type InitKind } from "./init-kinds.js";

interface AskStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks what to begin with, until there is an answer; null after Ctrl-C or the end of the input. */
export function askKind({ input, output }: AskStreams): Promise<InitKind | null> {
  const lines = INIT_KINDS.map((kind, i) => `  ${i + 1}  ${kind.padEnd(12)}${INIT_TEMPLATES[kind].summary}\n`);
  output.write(`What do you want to begin with?\n${lines.join("")}`);
  const reader = createInterface({ input, output, terminal: true });
  return new Promise((resolve) => {
    reader.setPrompt(`Number or name [1]: `);
    reader.on("line", (line) => {
      const kind = readKind(line);
      if (kind === undefined) {
        output.write(`Enter a number from 1 to ${INIT_KINDS.length}, or a name.\n`);
        return reader.prompt();
      }
      resolve(kind);
      reader.close();
    });
    reader.on("SIGINT", () => reader.close());
    reader.on("close", () => resolve(null));
    reader.prompt();
  });
}

function readKind(line: string): InitKind | undefined {
  const answer = line.trim().toLowerCase() || "1";
  return INIT_KINDS.find((kind, i) => kind === answer || String(i + 1) === answer);
}
