/** The teams whose admin keys the person creates: all for owners and admins of Weir, their own for admins of a team. */

import type { OrganizationView, TeamView } from '../../../../admin/contracts/organization-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { useSession } from '../../../session/session.tsx';

/** Undefined for a person who has nothing to do with admin keys. */
export function useManagedTeams(): readonly TeamView[] | undefined {
  const { account, may } = useSession();
  const when = may('GET /console/api/admin-keys');
  const { data } = useAsk<OrganizationView>('/console/api/organization', { when });
  const teams = data?.teams.filter(({ mayManage }) => mayManage) ?? [];
  return when && (account.role !== 'member' || teams.length > 0) ? teams : undefined;
}
