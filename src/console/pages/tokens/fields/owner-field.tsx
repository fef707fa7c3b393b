/** The account that a token belongs to, for those who may choose it. */

import type { AccountView, OwnedTokenView } from '../../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Select } from '../../../components/fields/field.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { useTeams } from './place-field.tsx';

interface OwnerFieldProps {
  /** Empty for no account. */
  readonly value: string;
  /** Whose it is now; absent for a new token. */
  readonly token?: Pick<OwnedTokenView, 'ownerId' | 'ownerName'>;
  onChange(ownerId: string): void;
}

/** May this person choose the owner of a token? */
export function useMayChooseOwner(): boolean {
  return useSession().may('GET /console/api/accounts');
}

export function OwnerField({ value, token, onChange }: OwnerFieldProps) {
  const words = useWords().tokenList;
  const { account } = useSession();
  const { data } = useAsk<{ readonly items: readonly AccountView[] }>('/console/api/accounts');
  const listed = (data?.items ?? [account]).filter((person) => mayOwn(person, account) || person.id === token?.ownerId);
  const isMissing = token?.ownerId !== undefined && !listed.some(({ id }) => id === token.ownerId);
  return (
    <Select
      label={words.owner.label}
      hint={words.owner.hint}
      value={value}
      options={[
        ...listed.map(({ id, name }) => ({ value: id, label: id === account.id ? words.owner.you(name) : name })),
        ...(isMissing ? [{ value: token.ownerId, label: token.ownerName ?? token.ownerId }] : []),
        { value: '', label: words.noOwner },
      ]}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

interface TeamOwnerProps {
  /** The team or project of the token. */
  readonly place: string;
  readonly value: string;
  onChange(ownerId: string): void;
}

/** An admin of a team makes tokens of their own or of the team itself. */
export function TeamOwnerField({ place, value, onChange }: TeamOwnerProps) {
  const { tokenList, teams: words } = useWords();
  const { account } = useSession();
  const team = useTeams()?.teams.find(({ id, projects }) => id === place || projects.some((one) => one.id === place));
  if (team?.mayManage !== true) return null;
  return (
    <Select
      label={tokenList.owner.label}
      value={value}
      options={[
        { value: account.id, label: tokenList.owner.you(account.name) },
        { value: '', label: words.place.serviceOwner },
      ]}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** A viewer has no tokens, and an owner's are given by owners. */
function mayOwn({ id, role, state }: AccountView, me: Pick<AccountView, 'id' | 'role'>): boolean {
  if (id === me.id) return true;
  return state === 'active' && role !== 'viewer' && (role !== 'owner' || me.role === 'owner');
}
