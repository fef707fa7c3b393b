/** The role of an admin key as people read it, with its team. */

import { useMemo } from 'react';
import type { AdminKeyView } from '../../../../admin/contracts/admin-key-contract.ts';
import { useWords } from '../../../words/use-words.tsx';

export function useRoleText(): (view: AdminKeyView) => string {
  const { adminKeys, session } = useWords();
  return useMemo(
    () =>
      ({ role, teamId, teamName }) =>
        teamId === undefined
          ? session.roles[role]
          : adminKeys.teamRole(adminKeys.teamRoles[role === 'viewer' ? 'viewer' : 'admin'], teamName ?? teamId),
    [adminKeys, session],
  );
}
