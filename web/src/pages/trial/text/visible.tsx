import { visibleParts } from "./visible-text.js";

/** A browser takes long to lay out very many pieces: where there are more marks than this, they look like the text. */
const MOST_MARKS = 2000;

/** A text in which nothing is hidden; what stands for a hidden character is drawn quietly, so that it is not taken for text. */
export function Visible({ text }: { text: string }) {
  const parts = visibleParts(text);
  if (parts.length > 2 * MOST_MARKS) return <>{parts.map((part) => part.text).join("")}</>;
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
