import { formatDay, formatMoment, formatTime } from "./dates.js";

/** A moment as text that programs can read as well. */
export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{formatMoment(at)}</time>;
}

/** A moment in two lines, for a narrow column. */
export function MomentInTwo({ at }: { at: string }) {
  return (
    <time dateTime={at} class="nowrap">
      {formatDay(at)}
      <span class="quiet small block">{formatTime(at)}</span>
    </time>
  );
}
