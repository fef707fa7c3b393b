/** The columns of the list of end users, and an end user on a phone. */

import { useMemo } from 'react';
import type { EndUserView } from '../../../admin/contracts/end-user-contract.ts';
import { Money, Time } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { useWords } from '../../words/use-words.tsx';
import { BudgetBar } from '../teams/budget-rows.tsx';

export const endUsersPath = '/console/api/end-users';

export function useEndUserColumns(): readonly Column<EndUserView>[] {
  const words = useWords().endUsers;
  return useMemo(() => {
    const heads = words.columns;
    return [
      { id: 'name', head: heads.name, minPx: 170, cell: (user) => <Name user={user} /> },
      { id: 'state', head: heads.state, widthPx: 110, drop: 3, cell: (user) => <StateBadge user={user} /> },
      { id: 'scope', head: heads.scope, minPx: 150, drop: 2, cell: (user) => <Scope user={user} /> },
      { id: 'budget', head: heads.budget, minPx: 256, cell: ({ terms }) => <BudgetBar budgets={terms.budgets} /> },
      {
        id: 'lastSeen',
        head: heads.lastSeen,
        widthPx: 104,
        drop: 1,
        cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
      },
      {
        id: 'total',
        head: heads.total,
        widthPx: 108,
        align: 'end',
        drop: 4,
        cell: ({ spend }) => <Money nano={spend.totalNano} />,
      },
      {
        id: 'month',
        head: heads.month,
        widthPx: 104,
        align: 'end',
        cell: ({ spend }) => <Money nano={spend.monthNano} />,
      },
    ];
  }, [words]);
}

export function narrowEndUser(user: EndUserView): NarrowRow {
  return {
    title: <Name user={user} />,
    titleEnd: user.blocked ? <StateBadge user={user} /> : <Time at={user.lastSeenAt} />,
    detail: user.terms.budgets === undefined ? <Scope user={user} /> : <BudgetBar budgets={user.terms.budgets} />,
    detailEnd: <Money nano={user.spend.monthNano} />,
  };
}

interface UserProps {
  readonly user: EndUserView;
}

function Name({ user: { name } }: UserProps) {
  return (
    <span className="truncate font-medium" title={name}>
      {name}
    </span>
  );
}

export function StateBadge({ user: { blocked, limited } }: UserProps) {
  const words = useWords().endUsers;
  if (blocked) {
    return (
      <Badge tone="bad" dot>
        {words.blocked}
      </Badge>
    );
  }
  return limited ? (
    <Badge tone="ok" dot>
      {words.active}
    </Badge>
  ) : (
    <Badge tone="plain">{words.unlimited}</Badge>
  );
}

export function Scope({ user: { scope } }: UserProps) {
  const words = useWords().endUsers;
  if (scope.name === undefined) return <span className="text-quiet">{words.hidden}</span>;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="truncate" title={scope.name}>
        {scope.name}
      </span>
      {scope.name !== words.kinds[scope.kind] && (
        <span className="shrink-0 text-xs text-quiet">{words.kinds[scope.kind]}</span>
      )}
    </span>
  );
}
