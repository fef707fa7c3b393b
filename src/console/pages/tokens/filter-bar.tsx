/** What narrows the list of tokens; the address holds it. */

import { Choice } from '../../components/fields/choice.tsx';
import { FilterField } from '../../components/fields/filter-field.tsx';
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
