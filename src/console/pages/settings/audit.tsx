/** Who did what in the console: newest first, narrowed by person and by deed. */

import type { AccountView, AuditAction, AuditView, PageView } from '../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Time } from '../../components/amounts.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Select } from '../../components/fields/field.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { withQuery } from '../../router/navigation.ts';
import { Link, useNavigation, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { accountsPath } from './people/accounts-path.ts';
import { Section } from './section.tsx';

const pageEntries = 50;

export function Audit() {
  const words = useWords().settings;
  const navigation = useNavigation();
  const [action] = useQueryWord('action');
  const [who] = useQueryWord('who');
  const [after] = useQueryWord('after');
  const query = new URLSearchParams({ limit: String(pageEntries) });
  if (action !== undefined) query.set('action', action);
  if (who !== undefined) query.set('account', who);
  if (after !== undefined) query.set('after', after);
  const { data, error, refetch } = useAsk<PageView<AuditView>>(`/console/api/audit?${query}`);
  const columns = useColumns();
  const narrow = useNarrowEntry();
  const go = (changes: Readonly<Record<string, string | undefined>>) =>
    navigation.go(withQuery(navigation.address(), changes));
  return (
    <Section id="audit">
      <Filters action={action} who={who} onChange={(changes) => go({ ...changes, after: undefined })} />
      {error !== null && data === undefined ? (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      ) : (
        <Table
          label={words.auditList}
          columns={columns}
          rows={data?.items}
          keyOf={({ id }) => id}
          narrow={narrow}
          empty={<EmptyState icon="search" title={words.noAudit} />}
        />
      )}
      {(after !== undefined || data?.next !== undefined) && (
        <div className="flex justify-end gap-2">
          <Button disabled={after === undefined} onClick={() => go({ after: undefined })}>
            {words.newest}
          </Button>
          <Button disabled={data?.next === undefined} onClick={() => go({ after: data?.next })}>
            {words.older}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface FiltersProps {
  readonly action: string | undefined;
  readonly who: string | undefined;
  onChange(changes: Readonly<Record<string, string | undefined>>): void;
}

function Filters({ action, who, onChange }: FiltersProps) {
  const words = useWords().settings;
  const { data } = useAsk<{ readonly items: readonly AccountView[] }>(accountsPath);
  return (
    <div className="grid max-w-xl gap-4 sm:grid-cols-2">
      <Select
        label={words.auditWhat}
        value={action ?? ''}
        options={[
          { value: '', label: words.everything },
          ...Object.entries(words.actions).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => onChange({ action: event.target.value })}
      />
      <Select
        label={words.auditWho}
        value={who ?? ''}
        options={[
          { value: '', label: words.everybody },
          ...(data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(event) => onChange({ who: event.target.value })}
      />
    </div>
  );
}

function useColumns(): readonly Column<AuditView>[] {
  const words = useWords().settings;
  // Every deed has its words, which the type checker sees to; a page that is older than its server shows the bare name.
  const named: Readonly<Record<AuditAction, string>> = words.actions;
  return [
    { id: 'at', head: words.auditWhen, widthPx: 96, cell: ({ at }) => <Time at={at} /> },
    { id: 'who', head: words.auditWho, minPx: 100, cell: ({ accountName }) => accountName },
    { id: 'what', head: words.auditWhat, minPx: 140, cell: ({ action }) => named[action] ?? action },
    { id: 'subject', head: words.auditSubject, minPx: 160, cell: (entry) => <Subject entry={entry} /> },
    { id: 'detail', head: words.auditDetail, minPx: 150, drop: 1, cell: ({ detail }) => <Detail detail={detail} /> },
    {
      id: 'address',
      head: words.auditFrom,
      widthPx: 128,
      drop: 2,
      cell: ({ address }) => <span className="font-mono text-[0.93em] text-quiet">{address}</span>,
    },
  ];
}

/** An entry on a phone. */
function useNarrowEntry(): (entry: AuditView) => NarrowRow {
  const named: Readonly<Record<AuditAction, string>> = useWords().settings.actions;
  return (entry) => ({
    title: named[entry.action] ?? entry.action,
    titleEnd: <Time at={entry.at} />,
    detail: (
      <>
        {entry.accountName} · <Subject entry={entry} /> · <Detail detail={entry.detail} />
      </>
    ),
  });
}

function Subject({ entry: { subject } }: { readonly entry: AuditView }) {
  const [kind = '', id = ''] = subject.split(':', 2);
  const to =
    kind === 'token' && id.startsWith('tok_')
      ? `/console/tokens?${new URLSearchParams({ token: id })}`
      : kind === 'account' && id.startsWith('acc_')
        ? `/console/settings?${new URLSearchParams({ section: 'people', person: id })}`
        : undefined;
  const text = <span className="font-mono text-[0.93em]">{id || kind}</span>;
  if (to === undefined) return text;
  return (
    <Link to={to} className="rounded-sm text-accent hover:underline">
      {text}
    </Link>
  );
}

function Detail({ detail }: { readonly detail: AuditView['detail'] }) {
  const text = Object.entries(detail)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
  return (
    <span className="text-quiet" title={text}>
      {text}
    </span>
  );
}
