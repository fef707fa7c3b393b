/** The providers that Weir knows by name: found by a few letters, chosen by arrow keys and Enter or by a press. */

import { type KeyboardEvent, useEffect, useState } from 'react';
import type { PresetView } from '../../../../admin/contracts/configuration-contract.ts';
import { Badge } from '../../../components/badge.tsx';
import { inputShape } from '../../../components/fields/field.tsx';
import { Icon } from '../../../components/icon.tsx';
import { find } from '../../../frame/palette-search.ts';
import { useWords } from '../../../words/use-words.tsx';

const groups = [
  'maker',
  'host',
  'cloud',
  'plan',
  'media',
  'local',
  'format',
] as const satisfies readonly PresetView['group'][];

/** In the order in which they are shown, which is the order the arrow keys follow. */
function foundPresets(presets: readonly PresetView[], text: string): readonly PresetView[] {
  const findable = presets.map((preset) => ({
    preset,
    title: preset.title,
    keywords: [preset.kind, preset.baseUrl, ...preset.synonyms].join(' '),
  }));
  const found = find(findable, text).map(({ preset }) => preset);
  return groups.flatMap((group) => found.filter((preset) => preset.group === group));
}

/** Any server with the format that most have: found where nothing else is. */
const genericKind = 'openai-chat';

const optionId = (kind: string) => `preset-${kind}`;

interface PresetListProps {
  readonly presets: readonly PresetView[];
  onChoose(preset: PresetView): void;
}

export function PresetList({ presets, onChoose }: PresetListProps) {
  const words = useWords().providers.sheet;
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const matching = foundPresets(presets, text);
  // Whatever someone looked for most likely speaks this format.
  const found = matching.length > 0 ? matching : presets.filter(({ kind }) => kind === genericKind);
  const current = found[Math.min(place, found.length - 1)];
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setPlace((place + step + found.length) % found.length);
    else if (event.key === 'Enter' && current !== undefined) onChoose(current);
    else return;
    event.preventDefault();
  };
  return (
    <div className="grid min-w-0 gap-3">
      <div className="relative">
        <Icon name="search" className="pointer-events-none absolute top-2.5 left-2.5 text-quiet" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="preset-list"
          aria-activedescendant={current === undefined ? undefined : optionId(current.kind)}
          aria-label={words.search}
          placeholder={words.searchHint}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPlace(0);
          }}
          onKeyDown={press}
          // biome-ignore lint/a11y/noAutofocus: the sheet was opened to choose, and this is where one chooses.
          autoFocus
          spellCheck={false}
          autoComplete="off"
          className={`${inputShape} h-9 border-line-strong pr-2.5 pl-8`}
        />
      </div>
      <span role="status" className="sr-only">
        {matching.length > 0 ? words.found(matching.length) : words.nothing(text.trim())}
      </span>
      {matching.length === 0 && (
        <div className="grid gap-1 py-4 text-center">
          <p>{words.nothing(text.trim())}</p>
          <p className="text-sm text-quiet">{words.nothingOffer}</p>
        </div>
      )}
      <Options presets={found} current={current} onChoose={onChoose} />
    </div>
  );
}

interface OptionsProps extends PresetListProps {
  readonly current: PresetView | undefined;
}

function Options({ presets, current, onChoose }: OptionsProps) {
  const words = useWords().providers.sheet;
  const currentId = current === undefined ? '' : optionId(current.kind);
  useEffect(() => {
    document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  return (
    <div id="preset-list" role="listbox" aria-label={words.search} className="grid gap-3 empty:hidden">
      {[...Map.groupBy(presets, ({ group }) => group)].map(([group, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box is no fieldset.
        <div key={group} role="group" aria-label={words.groups[group]}>
          <div aria-hidden="true" className="pb-1 text-xs text-quiet">
            {words.groups[group]}
          </div>
          <div role="presentation" className="grid gap-x-2 sm:grid-cols-2">
            {members.map((preset) => (
              <Option key={preset.kind} preset={preset} isCurrent={preset === current} onChoose={onChoose} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly preset: PresetView;
  readonly isCurrent: boolean;
  onChoose(preset: PresetView): void;
}

function Option({ preset, isCurrent, onChoose }: OptionProps) {
  const words = useWords().providers.sheet;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above holds the focus and takes the keys.
    <div
      id={optionId(preset.kind)}
      role="option"
      aria-selected={isCurrent}
      tabIndex={-1}
      onClick={() => onChoose(preset)}
      className="flex h-9 min-w-0 cursor-pointer scroll-my-12 items-center gap-2 rounded-sm px-2 hover:bg-sunken aria-selected:bg-wash aria-selected:text-accent"
    >
      <span className="min-w-0 grow truncate">{preset.title}</span>
      {/* Of a format there can be any number. */}
      {preset.configured && preset.group !== 'format' && <Badge>{words.there}</Badge>}
    </div>
  );
}
