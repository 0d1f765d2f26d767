import type { Language } from "../../exec/sandbox/interpreters.js";

const PYTHON_NAMED = /^(?:async[ \t]+def|def|class)[ \t]+(\w+)/;
const PYTHON_ASSIGNED = /^(\w+)[ \t]*(?::[^=]*)?=(?!=)/;
const PYTHON_IMPORTED = /^(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(.+)$/;
const MULTILINE_IMPORT = /^from[ \t]+[\w.]+[ \t]+import[ \t]*\([^()]*\)/gm;
const JAVASCRIPT_NAMED =
  /^(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function\b[ \t]*\*?|class|const|let|var)[ \t]+([\w$]+)/;
const JAVASCRIPT_EXPORTED = /^(?:module\.)?exports\.([\w$]+)[ \t]*=/;

/** A name defined at the top level of a program. */
export interface Definition {
  name: string;
  /** False for the result of a statement, such as one that shows how a function is used. */
  isLasting: boolean;
  isImported?: boolean;
}

/** Finds top-level definitions by how their lines begin. */
export function findDefinitions(code: string, language: Language): Definition[] {
  const ofLine = language === "python" ? parsePythonDefinitions : parseJavaScriptDefinitions;
  const text = language === "python" ? code.replace(MULTILINE_IMPORT, (found) => found.replaceAll("\n", " ")) : code;
  return text.split("\n").flatMap((line) => (/^\s/.test(line) ? [] : ofLine(line)));
}

/** Without imported names. */
export function listDefinedNames(code: string, language: Language): Set<string> {
  const own = findDefinitions(code, language).filter(({ isImported }) => isImported !== true);
  return new Set(own.map(({ name }) => name));
}

export function findIdentifiers(code: string): Set<string> {
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

function parsePythonDefinitions(line: string): Definition[] {
  const named = PYTHON_NAMED.exec(line)?.[1];
  if (named !== undefined) return [{ name: named, isLasting: true }];
  const imported = PYTHON_IMPORTED.exec(line)?.[1];
  if (imported !== undefined)
    return parseImportedNames(imported).map((name) => ({ name, isLasting: true, isImported: true }));
  const assigned = PYTHON_ASSIGNED.exec(line)?.[1];
  return assigned === undefined ? [] : [{ name: assigned, isLasting: isConstantName(assigned) }];
}

function parseImportedNames(list: string): string[] {
  return list
    .split(",")
    .map(
      (part) =>
        part
          .trim()
          .split(/[ \t]+/)
          .at(-1) ?? "",
    )
    .map((name) => (name.split(".")[0] ?? "").replace(/[()]/g, ""))
    .filter((name) => name !== "");
}

function parseJavaScriptDefinitions(line: string): Definition[] {
  const name = JAVASCRIPT_NAMED.exec(line)?.[1] ?? JAVASCRIPT_EXPORTED.exec(line)?.[1];
  if (name === undefined) return [];
  const isValue = /^(?:const|let|var)\b/.test(line) && !/=>|\bfunction\b|\bclass\b|\brequire\b/.test(line);
  return [{ name, isLasting: !isValue || isConstantName(name) }];
}

function isConstantName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}
