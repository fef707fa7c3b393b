/** A request from its facts to its last cost line, in the order in which people ask. */

import type { ReactNode } from 'react';
import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { Count, Duration, Money, Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Code, Id } from '../../../components/code-block.tsx';
import { StoryFacts } from '../../../components/fact-grid.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Link } from '../../../router/router.tsx';
import { bytesText } from '../../../texts/number.ts';
import { guessHint } from '../../../texts/price-version.ts';
import { exactTimeText } from '../../../texts/time.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { CostLines } from './cost-lines.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { Timeline } from './timeline.tsx';

export function Story({ story }: { readonly story: RequestDetailView }) {
  const words = useWords().requests;
  return (
    <div className="grid gap-6">
      <FailureNotice story={story} />
      <Head story={story} />
      {story.attempts.length > 0 && (
        <Part title={words.timeline}>
          <Timeline story={story} />
        </Part>
      )}
      {story.way !== undefined && (
        <Part title={words.way}>
          <Way way={story.way} />
        </Part>
      )}
      {story.row !== undefined && (
        <Part title={words.cost}>
          <CostLines story={story} />
        </Part>
      )}
      <Part title={words.ids}>
        <Ids story={story} />
      </Part>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid min-w-0 gap-2.5">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Head({ story: { row, attempts, bytesIn, bytesOut, tokenName } }: { readonly story: RequestDetailView }) {
  const { words, tag } = useSpeech();
  const { columns, ...own } = words.requests;
  const { dimensions } = words.usage;
  const at = row?.at ?? attempts[0]?.at;
  if (row === undefined) {
    return (
      <div className="grid gap-3">
        <div>
          <Badge tone="accent" dot>
            {own.running}
          </Badge>
        </div>
        {at !== undefined && <StoryFacts facts={[{ label: columns.at, value: <Time at={at} /> }]} />}
      </div>
    );
  }
  const link = 'text-accent underline-offset-2 hover:underline';
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={row.status} code={row.code} />
        <Badge>{row.endpoint}</Badge>
        <Badge>{row.stream ? own.streamed : own.notStreamed}</Badge>
        {row.estimated && <Badge tone="warn">{own.estimated}</Badge>}
        {row.guess === true && (
          <span title={guessHint(row.priceVersion, own)}>
            <Badge tone="warn">{own.guess}</Badge>
          </span>
        )}
        {row.costNano === null && <Badge tone="warn">{own.unpriced}</Badge>}
      </div>
      <StoryFacts
        facts={[
          {
            label: columns.at,
            value: <span title={row.at}>{exactTimeText(Date.parse(row.at), tag)}</span>,
            columns: 2,
          },
          row.tokenId !== '' && {
            label: columns.token,
            value: (
              <Link to={`/console/tokens?${new URLSearchParams({ token: row.tokenId })}`} className={link}>
                {tokenName ?? row.tokenId}
              </Link>
            ),
          },
          row.endUser !== undefined && { label: dimensions.user.name, value: row.endUser },
          row.tags !== undefined && { label: words.requests.tags, value: row.tags.join(', ') },
          row.provider !== '' && {
            label: columns.provider,
            value: `${row.provider} / ${row.upstreamModel}`,
            columns: 2,
          },
          row.requests !== undefined && { label: own.counted, value: <Count value={row.requests} /> },
          { label: columns.attempts, value: <Count value={row.attempts} /> },
          { label: columns.total, value: <Duration ms={row.totalMs} /> },
          { label: columns.firstEvent, value: <Duration ms={row.firstEventMs} /> },
          { label: columns.cost, value: <Money nano={row.costNano} /> },
          { label: columns.input, value: <Count value={row.inputTokens} /> },
          { label: columns.output, value: <Count value={row.outputTokens} /> },
          bytesIn !== undefined &&
            bytesOut !== undefined && {
              label: own.bytes,
              value: `${bytesText(bytesIn, tag)} / ${bytesText(bytesOut, tag)}`,
            },
        ]}
      />
    </div>
  );
}

function Way({ way }: { readonly way: NonNullable<RequestDetailView['way']> }) {
  const words = useWords().requests;
  return (
    <div className="grid gap-2 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Code>{way.from}</Code>
        <Icon name="right" className="text-quiet" />
        <Code>{way.to}</Code>
        <span className="text-quiet">{words.lanes[way.lane]}</span>
      </p>
      {way.losses.length + way.replyLosses.length === 0 && <p className="text-quiet">{words.nothingLost}</p>}
      <Losses title={words.lost(way.losses.length)} names={way.losses} />
      <Losses title={words.lostOfReply(way.replyLosses.length)} names={way.replyLosses} />
    </div>
  );
}

function Losses({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div className="grid gap-1">
      <p className="text-warn">{title}</p>
      <ul className="grid list-disc gap-0.5 pl-5">
        {names.map((name) => (
          <li key={name} className="break-words">
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Ids({ story: { requestId, row, attempts } }: { readonly story: RequestDetailView }) {
  const words = useWords();
  const ids = [
    { label: words.parts.requestId, value: requestId },
    ...(row === undefined || row.tokenId === '' ? [] : [{ label: words.requests.tokenId, value: row.tokenId }]),
    ...attempts.map(({ id }, index) => ({ label: words.requests.attemptId(index + 1), value: id })),
  ];
  return (
    <StoryFacts
      facts={ids.map(({ label, value }) => ({ label, value: <Id value={value} what={label} />, columns: 3 }))}
    />
  );
}
