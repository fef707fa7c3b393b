/** Finds a model by typing: grouped by provider, with what it can hold and what it costs; a name that is not listed can be used as well. */

import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Finder } from '../../components/fields/finder.tsx';
import { Icon } from '../../components/icon.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { moneyText } from '../../texts/money.ts';
import { shortCountText } from '../../texts/number.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { findModels, pricePerMillionNano } from './models.ts';
import type { PlaygroundModel } from './playground-contract.ts';

interface ModelPickerProps {
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
        <ModelFinder
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

function ModelFinder({ models, value, onPick }: Omit<ModelPickerProps, 'onChange'> & { onPick(id: string): void }) {
  const words = useWords().playground.model;
  const [text, setText] = useState('');
  return (
    <Finder
      text={text}
      items={optionsFor(models, text)}
      words={{ ...words, field: words.find, placeholder: words.find, list: words.pick }}
      firstPlace={Math.max(
        0,
        optionsFor(models, '').findIndex(({ id }) => id === value),
      )}
      optionShape="items-start py-1.5 aria-selected:bg-pressed"
      groupOf={({ provider }) => provider}
      view={(option) => <OptionView option={option} isPicked={option.id === value} />}
      onText={setText}
      onPick={({ id }) => onPick(id)}
    />
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
