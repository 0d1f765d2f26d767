/** Finds the first reading of a response that is a program. Expects `job` and `vm`. */
export const JAVASCRIPT_CHOICE = String.raw`
function choose() {
  let first;
  for (const { text, mayCut } of job.variants) {
    let left = text;
    for (let tries = 0; tries < 4 && left !== null; tries += 1) {
      try {
        return { text: left, script: new vm.Script(left, { filename: "program.js" }) };
      } catch (error) {
        first ??= error;
        left = mayCut ? cut(left, error) : null;
      }
    }
  }
  throw first;
}

// What stands before the line where JavaScript stops understanding, when the function is still in it.
function cut(text, error) {
  const number = Number(/^program\.js:(\d+)/.exec(String(error.stack))?.[1] ?? 0);
  const lines = text.split("\n");
  let at = Math.min(number, lines.length) - 1;
  while (at > 0 && /^\s|^$/.test(lines[at])) at -= 1;
  const kept = lines.slice(0, Math.max(at, 0)).join("\n");
  return kept.trim() !== "" && kept.includes(job.entry) ? kept : null;
}
`;
