/** What is read: figures, a table with its side panel, and charts with one crosshair. */

import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { Count, Duration, Money, Time } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock, Id } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { Progress } from '../../components/progress.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { durationText } from '../../texts/time.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { chartSeries, chartTimesS, type SampleRequest, sampleRequests } from './samples.ts';
import { Specimens } from './specimens.tsx';

export function Facts() {
  return (
    <div className="grid min-w-0 gap-8">
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
        <Amounts />
        <Specimens title="Budgets">
          <Progress label="This month" share={0.42} text="$4.20 of $10" />
          <Progress label="Today" share={0.86} text="$0.86 of $1" />
          <Progress label="In total" share={1} text="$50 of $50" />
        </Specimens>
      </div>
      <Requests />
      <Charts />
    </div>
  );
}

function Amounts() {
  const nowMs = useMemo(() => Date.now(), []);
  const rows = [
    [
      'Money',
      <Money key="a" nano="42000" />,
      <Money key="b" nano="12345600" />,
      <Money key="c" nano="1234567890000" />,
    ],
    ['Spans', <Duration key="a" ms={84.4} />, <Duration key="b" ms={1_240} />, <Duration key="c" ms={200_000} />],
    [
      'Moments',
      <Time key="a" at={nowMs} />,
      <Time key="b" at={nowMs - 320_000} />,
      <Time key="c" at={nowMs + 3 * 86_400_000} />,
    ],
    ['Counts', <Count key="a" value={7} />, <Count key="b" value={1_234_567} />, <Count key="c" value={undefined} />],
  ] as const;
  return (
    <Specimens title="Figures">
      <dl className="grid gap-2">
        {rows.map(([name, ...cells]) => (
          <div key={name} className="grid grid-cols-4 items-baseline gap-4">
            <dt className="text-quiet">{name}</dt>
            {cells.map((cell) => (
              <dd key={cell.key} className="text-right">
                {cell}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </Specimens>
  );
}

const columns: readonly Column<SampleRequest>[] = [
  { id: 'at', head: 'When', widthPx: 96, cell: ({ at }) => <Time at={at} /> },
  { id: 'model', head: 'Model', cell: ({ model }) => model },
  { id: 'token', head: 'Token', cell: ({ token }) => <span className="text-quiet">{token}</span> },
  {
    id: 'status',
    head: 'Status',
    widthPx: 112,
    cell: ({ status, code }) => (
      <Badge tone={status < 400 ? 'ok' : status === 429 ? 'warn' : 'bad'} dot>
        {status < 400 ? status : `${status} ${code}`}
      </Badge>
    ),
  },
  { id: 'tokens', head: 'Tokens', align: 'end', cell: ({ tokens }) => <Count value={tokens} /> },
  { id: 'time', head: 'Time', align: 'end', cell: ({ totalMs }) => <Duration ms={totalMs} /> },
  { id: 'cost', head: 'Cost', align: 'end', cell: ({ costNano }) => <Money nano={costNano} /> },
];

function Requests() {
  const [openId, setOpenId] = useQueryWord('request');
  const open = sampleRequests.find(({ id }) => id === openId);
  const empty = (
    <EmptyState title="No requests yet" action={<Button kind="primary">Open the playground</Button>}>
      They appear here as soon as a token is used.
    </EmptyState>
  );
  return (
    <>
      <Specimens title="Table: j, k, Enter, Esc">
        <Table
          label="Requests"
          columns={columns}
          rows={sampleRequests}
          keyOf={({ id }) => id}
          openKey={openId}
          onOpen={({ id }) => setOpenId(id)}
          empty={empty}
        />
      </Specimens>
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
        <Specimens title="Table on its way">
          <Table
            label="Requests on their way"
            columns={columns.slice(0, 3)}
            rows={undefined}
            keyOf={({ id }) => id}
            empty={empty}
          />
        </Specimens>
        <Specimens title="Empty table">
          <Table label="No requests" columns={columns} rows={[]} keyOf={({ id }) => id} empty={empty} />
        </Specimens>
      </div>
      <SidePanel
        open={open !== undefined}
        title={open?.model ?? ''}
        onClose={() => setOpenId(undefined)}
        actions={<Button onClick={() => setOpenId(undefined)}>Close</Button>}
      >
        {open !== undefined && <Story request={open} />}
      </SidePanel>
    </>
  );
}

function Story({ request }: { readonly request: SampleRequest }) {
  return (
    <div className="grid gap-5">
      <Id value={request.id} what="the request id" />
      <dl className="grid grid-cols-2 gap-4">
        <div>
          <dt className="text-xs text-quiet">Cost</dt>
          <dd>
            <Money nano={request.costNano} />
          </dd>
        </div>
        <div>
          <dt className="text-xs text-quiet">Time</dt>
          <dd>
            <Duration ms={request.totalMs} />
          </dd>
        </div>
      </dl>
      <CodeBlock title="Headers" code={`x-request-id: ${request.id}\nx-weir-attempts: 1\nx-weir-cost-usd: 0.000042`} />
    </div>
  );
}

function Charts() {
  const { tag, words } = useSpeech();
  const formats = useMemo(() => {
    const number = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
    return {
      count: (value: number) => number.format(value),
      duration: (value: number) => durationText(value, tag, words.units),
    };
  }, [tag, words]);
  return (
    <div className="grid min-w-0 gap-4 xl:grid-cols-2">
      <Chart
        title="Requests a minute"
        kind="stack"
        timesS={chartTimesS}
        series={chartSeries.requests}
        format={formats.count}
        together="gallery"
      />
      <Chart
        title="Time to first token"
        timesS={chartTimesS}
        series={chartSeries.latency}
        format={formats.duration}
        together="gallery"
      />
    </div>
  );
}
