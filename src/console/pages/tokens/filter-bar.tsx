/** What narrows the list of tokens; the address holds it. */

import { inputShape } from '../../components/fields/field.tsx';
import { FilterField } from '../../components/fields/filter-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/use-words.tsx';
import { placesOf, useTeams } from './fields/place-field.tsx';
import { tokenStates, useTokenFilter } from './use-token-filter.ts';

export function FilterBar({ seesAll }: { readonly seesAll: boolean }) {
  const words = useWords().tokens;
  const { text, state, owner, team, change } = useTokenFilter();
  const all = useWords();
  const places = placesOf(useTeams()?.teams ?? [], all).map(({ value, label }) => [value, label] as const);
  return (
    <search className="flex flex-wrap items-center gap-2">
      <div className="min-w-64 grow sm:max-w-80">
        <FilterField
          label={words.filter}
          value={text ?? ''}
          onChange={(next) => change({ q: next }, { replace: true })}
        />
      </div>
      <Choice
        label={words.columns.state}
        value={state}
        options={[['', words.allStates], ...tokenStates.map((value) => [value, words.states[value]] as const)]}
        onChoose={(next) => change({ state: next })}
      />
      {seesAll && (
        <Choice
          label={words.columns.owner}
          value={owner}
          options={[
            ['', words.everybodys],
            ['me', words.mine],
            // Someone came here from a person's page.
            ...(owner === undefined || owner === 'me' ? [] : [[owner, words.onePersons] as const]),
          ]}
          onChoose={(next) => change({ owner: next })}
        />
      )}
      {places.length > 0 && (
        <Choice
          label={all.teams.place.label}
          value={team}
          options={[['', all.teams.place.all], ...places]}
          onChoose={(next) => change({ team: next })}
        />
      )}
    </search>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [string, string])[];
  onChoose(value: string | undefined): void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <span className="relative">
      <select
        aria-label={label}
        value={value ?? ''}
        onChange={(event) => onChoose(event.target.value === '' ? undefined : event.target.value)}
        className={`${inputShape} h-8 cursor-pointer appearance-none border-line-strong pr-8 pl-2.5 text-sm`}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="chevron" className="pointer-events-none absolute top-2 right-2.5 text-quiet" />
    </span>
  );
}
