/** What the filter could mean, by kind; the field above holds the focus and says which one is meant. */

import { useEffect } from 'react';
import { useSpeech } from '../words/use-words.tsx';
import { conditionText } from './condition-text.ts';
import { kindName } from './kind-name.ts';
import type { Suggestion } from './suggestions.ts';

interface SuggestionListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly current: Suggestion | undefined;
  onChoose(suggestion: Suggestion): void;
}

export function SuggestionList({ id, suggestions, current, onChoose }: SuggestionListProps) {
  const { words, tag } = useSpeech();
  const currentPlace = current === undefined ? -1 : suggestions.indexOf(current);
  useEffect(() => {
    if (currentPlace >= 0) document.getElementById(`${id}-${currentPlace}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, currentPlace]);
  return (
    <div
      id={id}
      role="listbox"
      aria-label={words.requests.suggestions}
      className="absolute top-full z-20 mt-1.5 max-h-80 w-full max-w-lg animate-rise overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float"
    >
      {[...Map.groupBy(suggestions, ({ kind }) => kind)].map(([kind, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box is no fieldset.
        <div key={kind} role="group" aria-label={kindName(kind, words)}>
          {members.map((suggestion, place) => {
            const index = suggestions.indexOf(suggestion);
            const said = conditionText(suggestion, suggestion.label, words, tag);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above holds the focus and takes the keys.
              <div
                key={suggestion.value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={suggestion === current}
                tabIndex={-1}
                // The press must not take the focus from the field.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onChoose(suggestion)}
                className="flex h-8 cursor-pointer items-center gap-3 rounded-sm px-2 text-sm hover:bg-sunken aria-selected:bg-wash"
              >
                {/* Said with each, seen once for all of its kind. */}
                <span className="w-20 shrink-0 text-xs text-quiet">
                  <span className={place === 0 ? '' : 'sr-only'}>{said.name}</span>
                </span>
                <span className="min-w-0 truncate">{said.value}</span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
