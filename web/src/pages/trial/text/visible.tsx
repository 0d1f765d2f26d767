import { revealParts } from "./visible-text.js";

/** A browser takes long to lay out very many pieces: where there are more marks than this, they look like the text. */
const MAX_MARKS = 2000;

/** A text in which nothing is hidden; what stands for a hidden character is drawn quietly, so that it is not taken for text. */
export function RevealedText({ text }: { text: string }) {
  const parts = revealParts(text);
  if (parts.length > 2 * MAX_MARKS) return <>{parts.map((part) => part.text).join("")}</>;
  return (
    <>
      {parts.map((part, place) =>
        part.isMark ? (
          <span key={place} class="hidden-character">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
