/** A field and the list of what it finds, in groups: the focus stays in the field, arrow keys move in the list, Enter takes. */

import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { Icon } from '../icon.tsx';

interface FinderProps<Item extends { readonly id: string }> {
  readonly text: string;
  /** In the order in which they are shown, which is the order the arrow keys follow. */
  readonly items: readonly Item[];
  readonly words: {
    readonly field: string;
    readonly placeholder: string;
    readonly list: string;
    found(count: number): string;
    nothing(text: string): string;
  };
  /** Where the list begins before anything is typed. */
  readonly firstPlace?: number;
  /** How an option lies in its line, and looks where it is the one that Enter would take. */
  readonly optionShape: string;
  /** Those of one group follow each other; an empty name has no heading. */
  groupOf(item: Item): string;
  view(item: Item, isCurrent: boolean): ReactNode;
  onText(text: string): void;
  onPick(item: Item): void;
}

export function Finder<Item extends { readonly id: string }>(props: FinderProps<Item>) {
  const { text, items, words, firstPlace = 0, onText, onPick } = props;
  const listId = useId();
  const [wanted, setWanted] = useState(firstPlace);
  const place = Math.min(wanted, items.length - 1);
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const current = items[place];
    if (step !== undefined && items.length > 0) setWanted((place + step + items.length) % items.length);
    else if (event.key === 'Enter' && current !== undefined) onPick(current);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-quiet" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={place < 0 ? undefined : `${listId}-${place}`}
          aria-label={words.field}
          placeholder={words.placeholder}
          value={text}
          onChange={(event) => {
            onText(event.target.value);
            setWanted(0);
          }}
          onKeyDown={press}
          spellCheck={false}
          autoComplete="off"
          className="h-full min-w-0 grow bg-transparent text-lg outline-none"
        />
      </div>
      <span role="status" className="sr-only">
        {words.found(items.length)}
      </span>
      <FoundList {...props} id={listId} place={place} onPoint={setWanted} />
      {items.length === 0 && <p className="px-4 py-8 text-center text-quiet">{words.nothing(text.trim())}</p>}
    </>
  );
}

interface FoundListProps<Item extends { readonly id: string }> extends FinderProps<Item> {
  readonly id: string;
  readonly place: number;
  onPoint(place: number): void;
}

function FoundList<Item extends { readonly id: string }>(props: FoundListProps<Item>) {
  const { id, items, place, words, optionShape, groupOf, view, onPick, onPoint } = props;
  useEffect(() => {
    document.getElementById(`${id}-${place}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, place]);
  const placed = items.map((item, at) => ({ item, at }));
  return (
    <div id={id} role="listbox" aria-label={words.list} className="overflow-y-auto p-2 empty:hidden">
      {[...Map.groupBy(placed, ({ item }) => groupOf(item))].map(([group, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box is no fieldset.
        <div key={group} role="group" aria-label={group || words.field}>
          {group !== '' && (
            <div aria-hidden="true" className="px-2 pt-2 pb-1 text-xs text-quiet">
              {group}
            </div>
          )}
          {members.map(({ item, at }) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above holds the focus and takes the keys.
            <div
              key={item.id}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === place}
              tabIndex={-1}
              onPointerMove={() => at !== place && onPoint(at)}
              onClick={() => onPick(item)}
              className={`flex cursor-pointer gap-3 rounded-sm px-2 ${optionShape}`}
            >
              {view(item, at === place)}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
