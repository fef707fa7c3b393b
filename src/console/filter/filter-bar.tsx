/** One field for every filter: writing finds what is meant, choosing makes a chip of it, and chips go with a press. */

import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { useSpeech } from '../words/use-words.tsx';
import { conditionText } from './condition-text.ts';
import { type Condition, type FilterKind, withCondition, withoutCondition } from './filter.ts';
import { kindName } from './kind-name.ts';
import { SuggestionList } from './suggestion-list.tsx';
import { type KnownValues, type Suggestion, suggestionsFor } from './suggestions.ts';

interface FilterBarProps {
  readonly conditions: readonly Condition[];
  readonly known: KnownValues;
  onChange(conditions: readonly Condition[]): void;
  /** Someone begins to filter: what there is to choose from is worth asking for. */
  onBegin(): void;
}

export function FilterBar({ conditions, known, onChange, onBegin }: FilterBarProps) {
  const { words, tag } = useSpeech();
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [place, setPlace] = useState(-1);
  const labelOf = (kind: FilterKind, value: string) => known[kind]?.find((one) => one.value === value)?.label ?? value;
  const nameOf = (kind: FilterKind, label: string) => `${kindName(kind, words)} ${label}`;
  const found = suggestionsFor(text, known, conditions, nameOf);
  // Whoever has written something means the first; whoever has not may only be looking.
  const current = found[text.trim() === '' ? place : Math.max(0, Math.min(place, found.length - 1))];
  const choose = (suggestion: Suggestion) => {
    onChange(withCondition(conditions, { kind: suggestion.kind, value: suggestion.value }));
    setText('');
    setPlace(-1);
  };
  const remove = (condition: Condition) => {
    onChange(withoutCondition(conditions, condition));
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = conditions.at(-1);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      setOpen(true);
      setPlace((Math.max(place, text.trim() === '' ? -1 : 0) + step + found.length) % found.length);
    } else if (event.key === 'Enter' && isOpen && current !== undefined) choose(current);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative">
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a press beside the field means the field, which the keyboard reaches by itself. */}
      <div
        onClick={(event) => event.target === event.currentTarget && field.current?.focus()}
        className="flex min-h-9 cursor-text flex-wrap items-center gap-1.5 rounded-md border border-line-strong bg-raised py-1 pr-1 pl-2.5 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent"
      >
        <Icon name="filter" className="text-quiet" />
        {conditions.map((condition) => {
          const said = conditionText(condition, labelOf(condition.kind, condition.value), words, tag);
          return <Chip key={`${condition.kind} ${condition.value}`} {...said} onRemove={() => remove(condition)} />;
        })}
        <input
          ref={field}
          data-filter=""
          role="combobox"
          aria-label={words.requests.filter}
          aria-expanded={isOpen && found.length > 0}
          aria-autocomplete="list"
          {...(isOpen && found.length > 0 && { 'aria-controls': listId })}
          {...(isOpen && current !== undefined && { 'aria-activedescendant': `${listId}-${found.indexOf(current)}` })}
          placeholder={conditions.length === 0 ? words.requests.filterHint : words.requests.filterMore}
          value={text}
          spellCheck={false}
          autoComplete="off"
          onFocus={() => {
            onBegin();
            setOpen(true);
          }}
          onBlur={() => setOpen(false)}
          onClick={() => setOpen(true)}
          onChange={(event) => {
            setText(event.target.value);
            setPlace(-1);
            setOpen(true);
          }}
          onKeyDown={press}
          className="h-7 min-w-32 grow basis-32 bg-transparent outline-none"
        />
        {conditions.length > 0 && (
          <Button kind="quiet" size="small" onClick={() => onChange([])}>
            {words.requests.clear}
          </Button>
        )}
      </div>
      {isOpen && found.length > 0 && (
        <SuggestionList id={listId} suggestions={found} current={current} onChoose={choose} />
      )}
    </div>
  );
}

interface ChipProps {
  readonly name: string;
  readonly value: string;
  onRemove(): void;
}

function Chip({ name, value, onRemove }: ChipProps) {
  const { words } = useSpeech();
  return (
    <button
      type="button"
      aria-label={words.requests.removeFilter(`${name} ${value}`)}
      onClick={onRemove}
      className="inline-flex h-6 max-w-full cursor-pointer items-center gap-1.5 rounded-sm bg-wash px-2 text-xs text-accent hover:bg-pressed"
    >
      <span>{name}</span> <span className="truncate font-medium">{value}</span>
      <Icon name="close" className="size-3" />
    </button>
  );
}
