/** Where alerts are sent. */

import { useMemo } from 'react';
import type { ChannelView } from '../../../admin/contracts/alert-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Time } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { channelsPath, deliveryTones } from './alert-paths.ts';
import { ChannelPanel, NewChannelPanel } from './channel-panel.tsx';

const newChannel = 'new';

export function Channels() {
  const words = useWords().alerts;
  const mayWrite = useSession().may('POST /console/api/alert-channels');
  const [openId, setOpenId] = useQueryWord('channel');
  const { data, error, refetch } = useAsk<{ readonly items: readonly ChannelView[] }>(channelsPath);
  const columns = useColumns();
  const narrow = useNarrowChannel();
  const open = data?.items.find(({ id }) => id === openId);
  const close = () => setOpenId(undefined);
  const add = (
    <Button icon="plus" onClick={() => setOpenId(newChannel)}>
      {words.newChannel}
    </Button>
  );
  return (
    <div className="grid min-w-0 gap-3">
      {mayWrite && <div className="flex justify-end">{add}</div>}
      {error !== null ? (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      ) : (
        <Table
          label={words.channels}
          columns={columns}
          rows={data?.items}
          keyOf={({ id }) => id}
          openKey={openId}
          onOpen={({ id }) => setOpenId(id)}
          narrow={narrow}
          empty={
            <EmptyState icon="send" title={words.noChannels}>
              {words.noChannelsHint}
            </EmptyState>
          }
        />
      )}
      {openId === newChannel && mayWrite && <NewChannelPanel onClose={close} />}
      {open !== undefined && <ChannelPanel key={open.id} channel={open} mayWrite={mayWrite} onClose={close} />}
    </div>
  );
}

const targetOf = ({ host, to }: ChannelView): string => host ?? (to ?? []).join(', ');

function useColumns(): readonly Column<ChannelView>[] {
  const words = useWords().alerts;
  return useMemo(
    () => [
      { id: 'name', head: words.columns.name, minPx: 140, cell: (channel) => <Name channel={channel} /> },
      { id: 'kind', head: words.columns.kind, widthPx: 144, cell: ({ kind }) => words.channelKinds[kind] },
      {
        id: 'target',
        head: words.columns.target,
        minPx: 180,
        drop: 1,
        cell: (channel) => <span className="font-mono text-[0.93em]">{targetOf(channel)}</span>,
      },
      { id: 'last', head: words.columns.last, widthPx: 200, cell: (channel) => <Last channel={channel} /> },
    ],
    [words],
  );
}

/** A channel on a phone. */
function useNarrowChannel(): (channel: ChannelView) => NarrowRow {
  const words = useWords().alerts;
  return (channel) => ({
    title: <Name channel={channel} />,
    titleEnd: words.channelKinds[channel.kind],
    detail: targetOf(channel),
    detailEnd: <Last channel={channel} />,
  });
}

function Name({ channel: { name, disabled } }: { readonly channel: ChannelView }) {
  const words = useWords().alerts;
  return (
    <span className="flex items-center gap-2 font-medium">
      <span className="truncate">{name}</span>
      {disabled && <Badge>{words.disabled}</Badge>}
    </span>
  );
}

function Last({ channel: { last } }: { readonly channel: ChannelView }) {
  const words = useWords().alerts;
  if (last === undefined) return <span className="text-quiet">{words.never}</span>;
  return (
    <span className="flex items-center gap-2">
      <Badge tone={deliveryTones[last.state]} dot>
        {words.deliveryStates[last.state]}
      </Badge>
      <Time at={last.at} />
    </span>
  );
}
