import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface Tab {
  key: string;
  title: string;
  count?: string;
}

interface TabsProps {
  /** For screen readers. */
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  onChoose: (key: string) => void;
  /** The content of the chosen tab. */
  children: ComponentChildren;
}

/**
 * Tabs with arrow keys, Home and End. The page keeps the chosen tab, in its address.
 * @example
 * <Tabs label="Parts of the run" tabs={TABS} chosen="rows" onChoose={(tab) => updateQuery(route, { tab })}>…</Tabs>
 */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const id = useId();
  return (
    <>
      <div
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => handleTabKey(event, tabs, chosen, onChoose)}
      >
        {tabs.map(({ key, title, count }) => (
          <button
            key={key}
            id={`${id}-${key}`}
            type="button"
            role="tab"
            aria-selected={key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {title}
            {count !== undefined && <span class="tab-count">{count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}

function handleTabKey(
  event: KeyboardEvent,
  tabs: readonly Tab[],
  chosen: string,
  onChoose: (key: string) => void,
): void {
  const list = event.currentTarget as HTMLElement;
  const here = tabs.findIndex(({ key }) => key === chosen);
  const next = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const place = (next + tabs.length) % tabs.length;
  const tab = tabs[place];
  if (tab === undefined) return;
  list.querySelectorAll<HTMLElement>('[role="tab"]')[place]?.focus();
  onChoose(tab.key);
}
