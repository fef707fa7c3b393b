/** What was raised: newest first, narrowed by kind and status; a row opens with its facts and deliveries. */

import { useMemo } from 'react';
import type { PageView } from '../../../admin/contracts/account-contract.ts';
import type { AlertDeliveryView, AlertView } from '../../../admin/contracts/alert-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Time } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FactRows } from '../../components/fact-rows.tsx';
import { Select } from '../../components/fields/field.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { Part } from '../../components/part.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { alertsPath, deliveryTones, severityTones, stateTones } from './alert-paths.ts';

const everyMs = 15_000;

export function History() {
  const words = useWords().alerts;
  const navigation = useNavigation();
  const [kind] = useQueryWord('kind');
  const [state] = useQueryWord('state');
  const [after] = useQueryWord('after');
  const [openId, setOpenId] = useQueryWord('alert');
  const given = Object.entries({ kind, state, after }).flatMap(([word, value]) =>
    value === undefined ? [] : [[word, value]],
  );
  const path = given.length === 0 ? alertsPath : `${alertsPath}?${new URLSearchParams(given)}`;
  const { data, error, refetch } = useAsk<PageView<AlertView>>(path, { everyMs });
  const columns = useColumns();
  const narrow = useNarrowAlert();
  const open = data?.items.find(({ id }) => id === openId);
  const go = (changes: Readonly<Record<string, string | undefined>>) =>
    navigation.go(withQuery(navigation.address(), changes));
  const isNarrow = kind !== undefined || state !== undefined;
  return (
    <div className="grid min-w-0 gap-3">
      <Filters kind={kind} state={state} onChange={(changes) => go({ ...changes, after: undefined })} />
      {error !== null && data === undefined ? (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      ) : (
        <Table
          label={words.history}
          columns={columns}
          rows={data?.items}
          keyOf={({ id }) => id}
          openKey={openId}
          onOpen={({ id }) => setOpenId(id)}
          narrow={narrow}
          empty={
            <EmptyState icon={isNarrow ? 'search' : 'alerts'} title={isNarrow ? words.noneMatches : words.none}>
              {isNarrow ? words.noneMatchesHint : words.noneHint}
            </EmptyState>
          }
        />
      )}
      {(after !== undefined || data?.next !== undefined) && (
        <nav aria-label={words.paging} className="flex justify-end gap-2">
          <Button size="small" disabled={after === undefined} onClick={() => go({ after: undefined })}>
            {words.newest}
          </Button>
          <Button size="small" disabled={data?.next === undefined} onClick={() => go({ after: data?.next })}>
            {words.older}
          </Button>
        </nav>
      )}
      {open !== undefined && <AlertPanel alert={open} onClose={() => setOpenId(undefined)} />}
    </div>
  );
}

interface FiltersProps {
  readonly kind: string | undefined;
  readonly state: string | undefined;
  onChange(changes: Readonly<Record<string, string | undefined>>): void;
}

function Filters({ kind, state, onChange }: FiltersProps) {
  const words = useWords().alerts;
  const optionsOf = (all: string, named: Readonly<Record<string, string>>) => [
    { value: '', label: all },
    ...Object.entries(named).map(([value, label]) => ({ value, label })),
  ];
  const chosen = (value: string) => (value === '' ? undefined : value);
  return (
    <div className="grid max-w-md grid-cols-2 gap-3">
      <Select
        label={words.columns.kind}
        value={kind ?? ''}
        options={optionsOf(words.allKinds, words.kinds)}
        onChange={(event) => onChange({ kind: chosen(event.target.value) })}
      />
      <Select
        label={words.columns.state}
        value={state ?? ''}
        options={optionsOf(words.allStates, words.states)}
        onChange={(event) => onChange({ state: chosen(event.target.value) })}
      />
    </div>
  );
}

function useColumns(): readonly Column<AlertView>[] {
  const words = useWords().alerts;
  return useMemo(
    () => [
      { id: 'raised', head: words.columns.raised, widthPx: 112, cell: ({ raisedAt }) => <Time at={raisedAt} /> },
      {
        id: 'severity',
        head: words.columns.severity,
        widthPx: 104,
        cell: ({ severity }) => <Badge tone={severityTones[severity]}>{words.severities[severity]}</Badge>,
      },
      { id: 'kind', head: words.columns.kind, widthPx: 136, drop: 1, cell: ({ kind }) => words.kinds[kind] },
      {
        id: 'title',
        head: words.columns.title,
        minPx: 220,
        cell: ({ title }) => <span className="font-medium">{title}</span>,
      },
      { id: 'state', head: words.columns.state, widthPx: 112, cell: ({ state }) => <State state={state} /> },
      { id: 'sent', head: words.columns.sent, widthPx: 120, drop: 2, cell: (alert) => <SentTo alert={alert} /> },
    ],
    [words],
  );
}

/** An alert on a phone. */
function useNarrowAlert(): (alert: AlertView) => NarrowRow {
  const words = useWords().alerts;
  return ({ title, state, severity, kind, raisedAt }) => ({
    title,
    titleEnd: <State state={state} />,
    detail: `${words.severities[severity]} · ${words.kinds[kind]}`,
    detailEnd: <Time at={raisedAt} />,
  });
}

function State({ state }: { readonly state: AlertView['state'] }) {
  const words = useWords().alerts;
  return (
    <Badge tone={stateTones[state]} dot>
      {words.states[state]}
    </Badge>
  );
}

function SentTo({ alert: { deliveries } }: { readonly alert: AlertView }) {
  const words = useWords().alerts;
  if (deliveries.length === 0) return <span className="text-quiet">{words.notSent}</span>;
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length;
  return <span className="tabular-nums">{words.sentTo(delivered, deliveries.length)}</span>;
}

function AlertPanel({ alert, onClose }: { readonly alert: AlertView; readonly onClose: () => void }) {
  const words = useWords().alerts;
  const { title, detail, kind, severity, state, threshold, raisedAt, seenAt, resolvedAt, deliveries } = alert;
  const facts = [
    { name: words.columns.state, value: <State state={state} /> },
    {
      name: words.columns.severity,
      value: <Badge tone={severityTones[severity]}>{words.severities[severity]}</Badge>,
    },
    { name: words.columns.kind, value: words.kinds[kind] },
    { name: words.subject, value: alert.subjectName },
    // Some kinds have none: their word only tells them apart in the database.
    ...(/\d/.test(threshold) ? [{ name: words.threshold, value: threshold }] : []),
    { name: words.columns.raised, value: <Time at={raisedAt} /> },
    ...(resolvedAt === undefined
      ? [{ name: words.seenAt, value: <Time at={seenAt} /> }]
      : [{ name: words.resolvedAt, value: <Time at={resolvedAt} /> }]),
  ];
  return (
    <SidePanel open title={title} onClose={onClose}>
      <div className="grid gap-6">
        <p className="text-pretty">{detail}</p>
        <FactRows facts={facts} />
        <Part title={words.deliveries}>
          {deliveries.length === 0 ? (
            <p className="text-quiet">{words.noDeliveries}</p>
          ) : (
            <ul className="grid gap-3">
              {deliveries.map((delivery) => (
                <Delivery key={`${delivery.channelId} ${delivery.notice} ${delivery.at}`} delivery={delivery} />
              ))}
            </ul>
          )}
        </Part>
      </div>
    </SidePanel>
  );
}

function Delivery({ delivery }: { readonly delivery: AlertDeliveryView }) {
  const words = useWords().alerts;
  const { channelName, notice, state, tries, at, error } = delivery;
  return (
    <li className="grid gap-1 border-b border-line pb-3 text-sm last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">{channelName ?? words.deletedChannel}</span>
        <Badge tone={deliveryTones[state]} dot>
          {words.deliveryStates[state]}
        </Badge>
      </div>
      <div className="flex flex-wrap justify-between gap-2 text-quiet">
        <span>
          {words.notices[notice]} · {words.tries(tries)}
        </span>
        <Time at={at} />
      </div>
      {error !== undefined && <p className="break-words text-bad">{error}</p>}
    </li>
  );
}
