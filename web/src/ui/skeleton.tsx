/** Stands for what is loading, in its shape; screen readers hear what it is. */
export function Skeleton({ of }: { of: string }) {
  return (
    <div class="skeleton loading" role="status">
      <span class="unseen">Loading {of} …</span>
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}
