/** Keys with which programs call the admin API. */

import { useMemo, useState } from 'react';
import type { AdminKeysView, AdminKeyView } from '../../../../admin/contracts/admin-key-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import type { NarrowRow } from '../../../components/tables/column.ts';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Section } from '../section.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyPanel } from './key-panel.tsx';
import { adminKeysPath, keyTones } from './key-paths.ts';
import { useManagedTeams } from './managed-teams.ts';
import { useRoleText } from './role-text.ts';

const newKey = 'new';

export function AdminKeysSection() {
  const words = useWords().adminKeys;
  const [keyId, setKeyId] = useQueryWord('key');
  const [after, setAfter] = useState('');
  const { data, error, refetch } = useAsk<AdminKeysView>(`${adminKeysPath}?limit=100&after=${after}`);
  const teams = useManagedTeams();
  const columns = useColumns();
  const narrow = useNarrowKey();
  const close = () => setKeyId(undefined);
  const open = data?.items.find(({ id }) => id === keyId);
  return (
    <Section
      id="adminKeys"
      tools={
        <Button icon="plus" onClick={() => setKeyId(newKey)}>
          {words.create}
        </Button>
      }
    >
      {error !== null ? (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      ) : (
        <Table
          label={words.list}
          columns={columns}
          rows={data?.items}
          keyOf={({ id }) => id}
          openKey={keyId}
          onOpen={({ id }) => setKeyId(id)}
          narrow={narrow}
          empty={
            <EmptyState icon="lock" title={words.none}>
              {words.noneHint}
            </EmptyState>
          }
        />
      )}
      {(after !== '' || data?.next !== undefined) && (
        <div className="flex gap-2">
          <Button disabled={after === ''} onClick={() => setAfter('')}>
            {words.newest}
          </Button>
          <Button disabled={data?.next === undefined} onClick={() => setAfter(data?.next ?? '')}>
            {words.older}
          </Button>
        </div>
      )}
      {keyId === newKey && data !== undefined && teams !== undefined && (
        <CreateKey areas={data.areas} teams={teams} onClose={close} />
      )}
      {open !== undefined && <KeyPanel key={open.id} view={open} onClose={close} />}
    </Section>
  );
}

function useColumns(): readonly Column<AdminKeyView>[] {
  const words = useWords().adminKeys;
  const roleText = useRoleText();
  return useMemo(
    () => [
      { id: 'name', head: words.columns.name, minPx: 140, cell: (key) => <Name view={key} /> },
      { id: 'role', head: words.columns.role, minPx: 120, cell: roleText },
      { id: 'access', head: words.columns.access, widthPx: 112, drop: 1, cell: (key) => <Access view={key} /> },
      { id: 'state', head: words.columns.state, widthPx: 120, cell: (key) => <State view={key} /> },
      { id: 'used', head: words.columns.used, widthPx: 112, drop: 2, cell: (key) => <Used view={key} /> },
    ],
    [words, roleText],
  );
}

/** A key on a phone. */
function useNarrowKey(): (view: AdminKeyView) => NarrowRow {
  const roleText = useRoleText();
  return (view) => ({
    title: <Name view={view} />,
    titleEnd: <State view={view} />,
    detail: roleText(view),
    detailEnd: <Used view={view} />,
  });
}

interface ViewProps {
  readonly view: AdminKeyView;
}

function Name({ view: { name, hint } }: ViewProps) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="truncate font-medium">{name}</span>
      <span className="font-mono text-xs text-quiet">{hint.slice(hint.indexOf('…'))}</span>
    </span>
  );
}

function Access({ view: { scopes } }: ViewProps) {
  const words = useWords().adminKeys;
  if (scopes === undefined) return words.everything;
  return <span title={scopes.join(', ')}>{words.scopes(scopes.length)}</span>;
}

function State({ view: { state } }: ViewProps) {
  const words = useWords().adminKeys;
  return (
    <Badge tone={keyTones[state]} dot>
      {words.states[state]}
    </Badge>
  );
}

function Used({ view: { lastUsedAt } }: ViewProps) {
  const words = useWords().adminKeys.facts;
  return lastUsedAt === undefined ? <span className="text-quiet">{words.never}</span> : <Time at={lastUsedAt} />;
}
