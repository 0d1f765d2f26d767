interface NumberFilterProps {
  label: string;
  value: number | null;
  onChange: (value: string) => void;
}

/** A limit. It takes effect when it is finished: half a number is another one. */
export function NumberFilter({ label, value, onChange }: NumberFilterProps) {
  return (
    <label class="filter filter-number">
      <span>{label}</span>
      <input
        type="number"
        step="any"
        value={value ?? ""}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
