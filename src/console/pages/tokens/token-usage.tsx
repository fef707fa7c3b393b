/** What one token or end user used in the last thirty days, in sums that lead to the single requests. */

import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Count, Money } from '../../components/amounts.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Part } from '../../components/part.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Link } from '../../router/router.tsx';
import { countText } from '../../texts/number.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';

const dayMs = 86_400_000;
const rangeDays = 30;
const modelsShown = 5;

/** From the beginning of a day, so that the question stays the same while the panel is open. */
function rangeStart(): string {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return new Date(today - (rangeDays - 1) * dayMs).toISOString();
}

/** `filter`: the words by which the requests are found. */
export function UsagePart({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const words = useWords().tokens;
  const query = new URLSearchParams({ ...filter, from: rangeStart() });
  const { data, error, isPlaceholderData } = useAsk<OverviewView>(`/console/api/usage/overview?${query}`);
  const requests = `/console/requests?${new URLSearchParams(filter)}`;
  const link = (
    <Link to={requests} className="rounded-sm text-sm text-accent hover:underline">
      {words.toRequests}
    </Link>
  );
  return (
    <Part title={words.usage(rangeDays)} tools={link}>
      {error !== null ? (
        <ErrorNotice error={error} />
      ) : (
        <Sums overview={isPlaceholderData ? undefined : data} to={requests} />
      )}
    </Part>
  );
}

function Sums({ overview, to }: { readonly overview: OverviewView | undefined; readonly to: string }) {
  const { words: all, tag } = useSpeech();
  const words = all.tokens;
  const { leftOut } = all.overview;
  const total = overview?.total;
  const cells = [
    [words.sums.requests, <Count key="requests" value={total?.requests} />],
    [words.sums.failures, <Count key="failures" value={total?.failures} />],
    [
      words.sums.tokens,
      <Count key="tokens" value={total === undefined ? undefined : total.inputTokens + total.outputTokens} />,
    ],
    [words.sums.cost, <Money key="cost" nano={total?.costNano} />],
  ] as const;
  const left = total?.unpriced ?? 0;
  return (
    <div className="grid gap-3">
      <dl className="grid grid-cols-2 overflow-hidden rounded-md border border-line sm:grid-cols-4">
        {cells.map(([name, value]) => (
          <div
            key={name}
            className="grid gap-0.5 border-line p-3 not-last:border-r max-sm:nth-2:border-r-0 max-sm:nth-[-n+2]:border-b"
          >
            <dt className="text-xs text-quiet">{name}</dt>
            <dd>{total === undefined ? <Skeleton className="h-5 w-12" /> : value}</dd>
          </div>
        ))}
      </dl>
      {left > 0 && <p className="text-xs text-quiet">{leftOut(countText(left, tag), left)}</p>}
      {overview !== undefined && overview.models.length > 0 && (
        <ul className="grid gap-1 text-sm">
          {overview.models.slice(0, modelsShown).map((model) => (
            <li key={model.key} className="flex items-center justify-between gap-4">
              <Link
                to={`${to}&${new URLSearchParams({ model: model.key })}`}
                className="min-w-0 truncate rounded-sm font-mono text-[0.93em] hover:text-accent hover:underline"
              >
                {model.label}
              </Link>
              <span className="flex shrink-0 gap-4">
                <Count value={model.requests} />
                <Money nano={model.costNano} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
