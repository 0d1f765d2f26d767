import { strip } from "./python-text.js";

/**
 * The eight forms of a response of which one must follow an instruction for the loose verdict: with and without its
 * asterisks, each whole, without its first line, without its last, and without both. Forms that are the same are given once.
 */
export function looseResponses(response: string): string[] {
  const lines = response.split("\n");
  const forms = [response, lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map((form) =>
    typeof form === "string" ? form : strip(form.join("\n")),
  );
  return [...new Set(forms.flatMap((form) => [form, form.replaceAll("*", "")]))];
}
