/** Which models a token may use: chosen from those that are served, or typed as a pattern. */

import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { ModelView } from '../../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { inputShape } from '../../../components/fields/field.tsx';
import { Icon } from '../../../components/icon.tsx';
import { closesByEscape } from '../../../components/overlays/side-panel.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { entriesOf, type ModelOffer, offersFor, withEntries, withoutEntry } from './model-choice.ts';

interface ModelListFieldProps {
  /** One name or pattern a line. */
  readonly value: string;
  readonly error: string | undefined;
  onChange(value: string): void;
}

export function ModelListField({ value, error, onChange }: ModelListFieldProps) {
  const all = useWords();
  const words = all.tokenList.models;
  const id = useId();
  const chosen = entriesOf(value);
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="flex items-baseline gap-2 text-sm font-medium">
        {all.tokens.fields.models}
        <span className="text-xs font-normal text-quiet">{all.parts.optional}</span>
      </label>
      {chosen.length > 0 && (
        <ul aria-label={words.chosen} className="flex flex-wrap gap-1">
          {chosen.map((entry) => (
            <li key={entry} className="flex max-w-full rounded-sm border border-line bg-sunken text-xs leading-6">
              <span className="truncate pl-1.5 font-mono">{entry}</span>
              <button
                type="button"
                aria-label={words.remove(entry)}
                onClick={() => onChange(withoutEntry(value, entry))}
                className="grid size-6 shrink-0 cursor-pointer place-items-center rounded-sm text-quiet hover:text-text"
              >
                <Icon name="close" className="size-3" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <ModelSearch id={id} value={value} error={error} onChange={onChange} />
      <p id={`${id}-note`} className={`text-xs ${error === undefined ? 'text-quiet' : 'text-bad'}`}>
        {error ?? words.hint}
      </p>
    </div>
  );
}

function ModelSearch({ id, value, error, onChange }: ModelListFieldProps & { readonly id: string }) {
  const words = useWords().tokenList.models;
  const { data } = useAsk<{ readonly items: readonly ModelView[] }>('/console/api/models');
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [wanted, setWanted] = useState(0);
  const offers = isOpen ? offersFor(typed, data?.items ?? [], entriesOf(value)) : [];
  const place = Math.min(wanted, offers.length - 1);
  const add = (text: string) => {
    onChange(withEntries(value, text));
    setTyped('');
    setWanted(0);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const offer = offers[place];
    if (step !== undefined) {
      setOpen(true);
      if (isOpen && offers.length > 0) setWanted((place + step + offers.length) % offers.length);
    } else if (event.key === 'Enter' && isOpen && offer !== undefined) add(offer.name);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative">
      <input
        id={id}
        role="combobox"
        {...(offers.length > 0 && { [closesByEscape]: '' })}
        aria-expanded={offers.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={offers.length > 0 ? `${id}-${place}` : undefined}
        aria-describedby={`${id}-note`}
        aria-invalid={error === undefined ? undefined : true}
        placeholder={words.search}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setOpen(true);
          setWanted(0);
          // Several at once, as they are pasted.
          if (/[\n,]/.test(target.value)) add(target.value);
          else setTyped(target.value);
        }}
        onClick={() => setOpen(true)}
        onKeyDown={press}
        // What was typed and not taken yet counts: nobody expects it to vanish with the next field.
        onBlur={() => {
          setOpen(false);
          if (typed.trim() !== '') add(typed);
        }}
        className={`${inputShape} ${error === undefined ? 'border-line-strong' : 'border-bad'} h-8 px-2.5 font-mono text-sm`}
      />
      <span role="status" className="sr-only">
        {isOpen && words.found(offers.length)}
      </span>
      <Offers id={id} offers={offers} place={place} onPoint={setWanted} onPick={add} />
    </div>
  );
}

interface OffersProps {
  readonly id: string;
  readonly offers: readonly ModelOffer[];
  readonly place: number;
  onPoint(place: number): void;
  onPick(name: string): void;
}

function Offers({ id, offers, place, onPoint, onPick }: OffersProps) {
  const words = useWords().tokenList.models;
  useEffect(() => {
    if (offers.length > 0) document.getElementById(`${id}-${place}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, place, offers.length]);
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={words.list}
      // The focus stays in the field, whose blur would take what was typed so far.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      className="absolute inset-x-0 top-full z-10 mt-1 max-h-56 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float empty:hidden"
    >
      {offers.map(({ name, kind }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above holds the focus and takes the keys.
        <div
          key={`${kind} ${name}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === place}
          tabIndex={-1}
          onPointerMove={() => index !== place && onPoint(index)}
          onClick={() => onPick(name)}
          className="flex h-8 cursor-pointer items-center justify-between gap-3 rounded-sm px-2 text-sm aria-selected:bg-pressed"
        >
          <span className="truncate font-mono">{kind === 'typed' ? words.add(name) : name}</span>
          {kind === 'alias' && <span className="shrink-0 text-xs text-quiet">{words.alias}</span>}
        </div>
      ))}
    </div>
  );
}
