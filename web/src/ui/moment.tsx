import { formatDay, formatTime } from "./dates.js";

/** A moment in two lines, for a narrow column; programs can read it as well. */
export function DateAndTime({ at }: { at: string }) {
  return (
    <time dateTime={at} class="nowrap">
      {formatDay(at)}
      <span class="quiet small block">{formatTime(at)}</span>
    </time>
  );
}
