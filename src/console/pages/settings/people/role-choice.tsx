/** The four roles, each with what it means: nobody should have to guess what they grant. */

import { useId } from 'react';
import type { Role } from '../../../../admin/contracts/account-contract.ts';
import { useWords } from '../../../words/use-words.tsx';

const roles = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[];

interface RoleChoiceProps {
  readonly value: Role;
  /** Only an owner makes owners. */
  readonly mayOwn: boolean;
  readonly disabled?: boolean;
  onChange(role: Role): void;
}

export function RoleChoice({ value, mayOwn, disabled = false, onChange }: RoleChoiceProps) {
  const words = useWords();
  const group = useId();
  return (
    <fieldset disabled={disabled} className="grid gap-2 disabled:opacity-60">
      <legend className="mb-2 text-sm font-medium">{words.settings.role}</legend>
      {roles
        .filter((role) => role !== 'owner' || mayOwn || value === 'owner')
        .map((role) => (
          <label
            key={role}
            className={
              'flex cursor-pointer items-start gap-3 rounded-md border border-line p-3 hover:bg-sunken has-checked:border-accent ' +
              'has-checked:bg-wash has-disabled:cursor-default'
            }
          >
            <input
              type="radio"
              name={group}
              value={role}
              checked={value === role}
              onChange={() => onChange(role)}
              className="mt-0.5 size-4 shrink-0 accent-(--accent)"
            />
            <span className="grid gap-0.5">
              <span className="text-sm font-medium">{words.session.roles[role]}</span>
              <span className="text-xs text-quiet">{words.settings.roleMeanings[role]}</span>
            </span>
          </label>
        ))}
    </fieldset>
  );
}
