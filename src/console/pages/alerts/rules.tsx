/** Which alerts go where. */

import { useMemo } from 'react';
import type { ChannelView, RuleView } from '../../../admin/contracts/alert-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { channelsPath, rulesPath } from './alert-paths.ts';
import { RulePanel } from './rule-panel.tsx';

const newRule = 'new';

export function Rules() {
  const words = useWords().alerts;
  const mayWrite = useSession().may('POST /console/api/alert-rules');
  const [openId, setOpenId] = useQueryWord('rule');
  const rules = useAsk<{ readonly items: readonly RuleView[] }>(rulesPath);
  const channels = useAsk<{ readonly items: readonly ChannelView[] }>(channelsPath);
  const names = useMemo(() => new Map((channels.data?.items ?? []).map(({ id, name }) => [id, name])), [channels.data]);
  const columns = useColumns(names);
  const narrow = useNarrowRule(names);
  const open = rules.data?.items.find(({ id }) => id === openId);
  const isNew = openId === newRule && mayWrite;
  return (
    <div className="grid min-w-0 gap-3">
      {mayWrite && (
        <div className="flex justify-end">
          <Button icon="plus" onClick={() => setOpenId(newRule)}>
            {words.newRule}
          </Button>
        </div>
      )}
      {rules.error !== null ? (
        <ErrorNotice error={rules.error} onAgain={() => void rules.refetch()} />
      ) : (
        <Table
          label={words.rules}
          columns={columns}
          rows={rules.data?.items}
          keyOf={({ id }) => id}
          openKey={openId}
          onOpen={({ id }) => setOpenId(id)}
          narrow={narrow}
          empty={
            <EmptyState icon="filter" title={words.noRules}>
              {words.noRulesHint}
            </EmptyState>
          }
        />
      )}
      {(isNew || open !== undefined) && channels.data !== undefined && (
        <RulePanel
          key={openId}
          rule={open}
          channels={channels.data.items}
          mayWrite={mayWrite}
          onClose={() => setOpenId(undefined)}
        />
      )}
    </div>
  );
}

type Names = ReadonlyMap<string, string>;

function useColumns(names: Names): readonly Column<RuleView>[] {
  const words = useWords().alerts;
  return useMemo(
    () => [
      { id: 'name', head: words.columns.name, minPx: 140, cell: (rule) => <Name rule={rule} /> },
      { id: 'kinds', head: words.columns.kinds, minPx: 200, drop: 1, cell: (rule) => kindsText(rule, words.kinds) },
      { id: 'channels', head: words.columns.channels, minPx: 160, cell: (rule) => channelsText(rule, names) },
      {
        id: 'severity',
        head: words.fields.severityMin,
        widthPx: 144,
        drop: 2,
        cell: ({ severityMin }) => words.severities[severityMin],
      },
    ],
    [words, names],
  );
}

const kindsText = ({ kinds }: RuleView, named: Readonly<Record<string, string>>): string =>
  kinds.map((kind) => named[kind] ?? kind).join(', ');
const channelsText = ({ channels }: RuleView, names: Names): string =>
  channels.flatMap((id) => names.get(id) ?? []).join(', ');

/** A rule on a phone. */
function useNarrowRule(names: Names): (rule: RuleView) => NarrowRow {
  const words = useWords().alerts;
  return (rule) => ({
    title: <Name rule={rule} />,
    titleEnd: words.severities[rule.severityMin],
    detail: kindsText(rule, words.kinds),
    detailEnd: channelsText(rule, names),
  });
}

function Name({ rule: { name, disabled } }: { readonly rule: RuleView }) {
  const words = useWords().alerts;
  return (
    <span className="flex items-center gap-2 font-medium">
      <span className="truncate">{name}</span>
      {disabled && <Badge>{words.disabled}</Badge>}
    </span>
  );
}
