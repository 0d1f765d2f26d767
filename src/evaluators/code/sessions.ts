const PROMPTED = /^>>>(?: |$)/m;
const CONTINUED = /^\.\.\.(?: |$)/;
/** What a program is made of. All else in a session only shows what something gives. */
const LASTING =
  /^(?:@|(?:async[ \t]+)?(?:def|for|with)\b|class\b|import\b|from\b|if\b|while\b|try\b|[A-Za-z_]\w*[ \t]*(?::[^=]*)?=(?!=))/;

/**
 * The program in the transcript of a Python session: what was typed, without the prompts, what came back and calls that
 * only try something out. Code that is no session is given back as it is.
 * @example
 * typedIn(">>> def f(x):\n...     return x + 1\n>>> f(1)\n2"); // "def f(x):\n    return x + 1"
 */
export function typedIn(code: string): string {
  if (!PROMPTED.test(code)) return code;
  const chunks = chunksOf(code.split("\n")).filter(([first = ""]) => LASTING.test(first));
  const isProgram = chunks.some(([first = ""]) => /^(?:@|(?:async[ \t]+)?def\b|class\b)/.test(first));
  return isProgram ? chunks.map((lines) => lines.join("\n").trimEnd()).join("\n") : code;
}

/** Each statement as it was typed; the lines in between are what the session answered. */
function chunksOf(lines: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    if (/^>>>(?: |$)/.test(line)) {
      open = [line.slice(4)];
      chunks.push(open);
    } else if (open !== null && CONTINUED.test(line)) open.push(line.slice(4));
    else open = null;
  }
  return chunks;
}
