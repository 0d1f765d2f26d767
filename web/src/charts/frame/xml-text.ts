/** What no XML file may hold: controls but tab and line breaks, halves of letters, and two that are no letters. */
const FORBIDDEN_IN_XML = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** A serialised picture that every reader of XML accepts, whatever a name in it holds. */
export function replaceForbiddenCharacters(text: string): string {
  return text.replace(FORBIDDEN_IN_XML, "\ufffd");
}
