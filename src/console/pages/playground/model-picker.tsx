/** Finds a model by typing: grouped by provider, with what it can hold and what it costs; a name that is not listed can be used as well. */

import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { moneyText } from '../../texts/money.ts';
import { shortCountText } from '../../texts/number.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { findModels, pricePerMillionNano } from './models.ts';
import type { PlaygroundModel } from './playground-contract.ts';

export interface ModelPickerProps {
  readonly models: readonly PlaygroundModel[];
  readonly value: string;
  onChange(id: string): void;
}

export function ModelPicker({ models, value, onChange }: ModelPickerProps) {
  const words = useWords().playground.model;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        className="min-w-0 shrink"
        aria-haspopup="dialog"
        aria-label={value === '' ? words.pick : words.picked(value)}
        onClick={() => setOpen(true)}
      >
        <Icon name="models" className="text-quiet" />
        <span className="truncate font-mono">{value === '' ? words.pick : value}</span>
        <Icon name="chevron" className="text-quiet" />
      </Button>
      <Dialog open={isOpen} title={words.pick} bare onClose={() => setOpen(false)}>
        <Finder
          models={models}
          value={value}
          onPick={(id) => {
            setOpen(false);
            onChange(id);
          }}
        />
      </Dialog>
    </>
  );
}

interface Option {
  readonly id: string;
  readonly provider: string;
  readonly model: PlaygroundModel | undefined;
}

function optionsFor(models: readonly PlaygroundModel[], text: string): readonly Option[] {
  const listed = findModels(models, text).flatMap(({ provider, models: found }) =>
    found.map((model) => ({ id: model.id, provider, model })),
  );
  const typed = text.trim();
  const isListed = typed === '' || models.some(({ id }) => id === typed);
  return isListed ? listed : [...listed, { id: typed, provider: '', model: undefined }];
}

function Finder({ models, value, onPick }: Omit<ModelPickerProps, 'onChange'> & { onPick(id: string): void }) {
  const words = useWords().playground.model;
  const listId = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(() =>
    Math.max(
      0,
      optionsFor(models, '').findIndex(({ id }) => id === value),
    ),
  );
  const options = optionsFor(models, text);
  const current = options[Math.min(place, options.length - 1)];
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) setPlace((place + step + options.length) % options.length);
    else if (event.key === 'Enter' && current !== undefined) onPick(current.id);
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
          aria-activedescendant={current === undefined ? undefined : `${listId}-${options.indexOf(current)}`}
          aria-label={words.find}
          placeholder={words.find}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPlace(0);
          }}
          onKeyDown={press}
          spellCheck={false}
          autoComplete="off"
          className="h-full min-w-0 grow bg-transparent text-lg outline-none"
        />
      </div>
      <span role="status" className="sr-only">
        {words.found(options.length)}
      </span>
      <OptionList id={listId} options={options} current={current} value={value} onPick={onPick} onPoint={setPlace} />
      {options.length === 0 && <p className="px-4 py-8 text-center text-quiet">{words.nothing(text.trim())}</p>}
    </>
  );
}

interface OptionListProps {
  readonly id: string;
  readonly options: readonly Option[];
  readonly current: Option | undefined;
  readonly value: string;
  onPick(id: string): void;
  onPoint(place: number): void;
}

function OptionList({ id, options, current, value, onPick, onPoint }: OptionListProps) {
  const words = useWords().playground.model;
  const place = current === undefined ? -1 : options.indexOf(current);
  useEffect(() => {
    document.getElementById(`${id}-${place}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, place]);
  return (
    <div id={id} role="listbox" aria-label={words.pick} className="overflow-y-auto p-2 empty:hidden">
      {[...Map.groupBy(options, ({ provider }) => provider)].map(([provider, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box is no fieldset.
        <div key={provider} role="group" aria-label={provider || words.find}>
          {provider !== '' && (
            <div aria-hidden="true" className="px-2 pt-2 pb-1 text-xs text-quiet">
              {provider}
            </div>
          )}
          {members.map((option) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above moves and picks by keyboard.
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox, as its pattern wants.
            <div
              key={option.id}
              id={`${id}-${options.indexOf(option)}`}
              role="option"
              aria-selected={option === current}
              onClick={() => onPick(option.id)}
              onPointerMove={() => onPoint(options.indexOf(option))}
              className={`flex cursor-pointer items-start gap-3 rounded-sm px-2 py-1.5 ${option === current ? 'bg-pressed' : ''}`}
            >
              <OptionView option={option} isPicked={option.id === value} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function OptionView({ option, isPicked }: { readonly option: Option; readonly isPicked: boolean }) {
  const { tag, words: all } = useSpeech();
  const words = all.playground.model;
  const { model } = option;
  if (model === undefined) return <span className="font-mono text-sm">{words.byName(option.id)}</span>;
  return (
    <>
      <span className="grid min-w-0 grow gap-0.5">
        <span className="flex items-center gap-2 font-mono text-sm">
          <span className="truncate">{model.id}</span>
          {isPicked && <Icon name="check" className="text-accent" />}
        </span>
        {model.description !== undefined && <span className="truncate text-xs text-quiet">{model.description}</span>}
      </span>
      <span className="grid shrink-0 justify-items-end gap-0.5 text-xs text-quiet tabular-nums">
        {model.contextTokens !== undefined && <span>{words.context(shortCountText(model.contextTokens, tag))}</span>}
        {model.pricing !== undefined && <span>{priceText(model.pricing, words, tag)}</span>}
      </span>
    </>
  );
}

function priceText(
  { prompt, completion }: NonNullable<PlaygroundModel['pricing']>,
  words: { readonly free: string; price(input: string, output: string): string },
  tag: string,
): string {
  const [input, output] = [pricePerMillionNano(prompt), pricePerMillionNano(completion)];
  return input === '0' && output === '0' ? words.free : words.price(moneyText(input, tag), moneyText(output, tag));
}
