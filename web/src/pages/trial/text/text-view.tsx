import { memo } from "preact/compat";
import { useMemo } from "preact/hooks";
import { Scrollable } from "./scrollable.js";
import { splitIntoBlocks } from "./text-blocks.js";
import { useGrowingCount } from "./use-growing.js";
import { RevealedText } from "./visible.js";

/** A browser lays out so many characters in a moment; blocks out of sight are not laid out at all. */
const BLOCK_LENGTH = 20_000;
const BLOCKS_PER_STEP = 5;

interface TextBlocksProps {
  label: string;
  text: string;
  isWrapped: boolean;
}

/** A text in blocks, which are drawn a few at a time. */
export function TextBlocks({ label, text, isWrapped }: TextBlocksProps) {
  const blocks = useMemo(() => splitIntoBlocks(text, BLOCK_LENGTH), [text]);
  const count = useGrowingCount(blocks.length, BLOCKS_PER_STEP, text);
  if (text === "") return <p class="quiet">(empty)</p>;
  return (
    <Scrollable class={`text-blocks${isWrapped ? " text-wrapped" : ""}`} label={label}>
      {blocks.slice(0, count).map((block, place) => (
        <TextBlock key={place} text={block} />
      ))}
    </Scrollable>
  );
}

const TextBlock = memo(function TextBlock({ text }: { text: string }) {
  // The end of the line is the end of the block.
  return (
    <pre class="text-block">
      <RevealedText text={text.endsWith("\n") ? text.slice(0, -1) : text} />
    </pre>
  );
});
