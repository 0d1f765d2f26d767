const STATEMENT = /^(?:@|async[ \t]+def\b|def\b|class\b|import\b|from\b|#|[)\]}]|"""|''')/;
/** Values that a program sets up for itself; a call of anything else most likely shows how it is used. */
const PLAIN_VALUE =
  /^\w+[ \t]*(?::[^=]*)?=[ \t]*(?:[[{("'\d-]|None\b|True\b|False\b|lambda\b|(?:dict|set|list|deque|Counter|defaultdict|OrderedDict)\()/;
const EMPTY_LINE = /^(?:\.\.\.|pass|raise[ \t]+NotImplementedError\b.*|#.*)?$/;

/** True when Python code only imports and defines: nothing of it shows how something is used. */
export function onlyDefines(code: string): boolean {
  const tops = code.split("\n").filter((line) => line.trim() !== "" && !/^\s/.test(line));
  return tops.every((line) => STATEMENT.test(line) || PLAIN_VALUE.test(line));
}

/** True when a function of Python code is only announced: its body is dots, `pass` or a comment. */
export function isStub(code: string, name: string): boolean {
  const lines = code.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith(`def ${name}`) && !/\w/.test(line[name.length + 4] ?? ""));
  if (at === -1) return false;
  if (/:[ \t]*(?:\.\.\.|pass)[ \t]*$/.test(lines[at] ?? "")) return true;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^[^\s)]/.test(line));
  const body = end === -1 ? rest : rest.slice(0, end);
  const text = body.join("\n").replace(/"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/g, "");
  return (lines[at] ?? "").trimEnd().endsWith(":") && text.split("\n").every((line) => EMPTY_LINE.test(line.trim()));
}
