/** The team or project that a token counts against, for those who may choose one. */

import type { OrganizationView, TeamView } from '../../../../admin/contracts/organization-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Select } from '../../../components/fields/field.tsx';
import type { Words } from '../../../words/en.ts';
import { useWords } from '../../../words/use-words.tsx';

interface PlaceFieldProps {
  /** Empty for none. */
  readonly value: string;
  /** `move`: only where this person manages tokens. */
  readonly act: 'create' | 'move';
  readonly error?: string | undefined;
  onChange(unitId: string): void;
}

interface PlaceOption {
  readonly value: string;
  readonly label: string;
}

export function useTeams(): OrganizationView | undefined {
  return useAsk<OrganizationView>('/console/api/organization').data;
}

export function placesOf(teams: readonly TeamView[], words: Words): readonly PlaceOption[] {
  return teams.flatMap(({ id, name, projects }) => [
    { value: id, label: name },
    ...projects.map((project) => ({ value: project.id, label: words.teams.place.project(name, project.name) })),
  ]);
}

/** Nothing where there is nothing to choose. */
export function PlaceField({ value, act, error, onChange }: PlaceFieldProps) {
  const words = useWords();
  const organization = useTeams();
  const teams = (organization?.teams ?? []).filter(
    ({ role, mayManage }) => mayManage || (act === 'create' && role === 'member'),
  );
  if (teams.length === 0) return null;
  const { label, hint, none } = words.teams.place;
  // Only an owner or admin of Weir takes a token out of its team.
  const mayBeNone = act === 'create' || organization?.mayManage === true || value === '';
  return (
    <Select
      label={label}
      hint={hint}
      error={error}
      value={value}
      options={[...(mayBeNone ? [{ value: '', label: none }] : []), ...placesOf(teams, words)]}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
