/** The last hour of a provider as a row of small bars: how much it served, and how much of it failed. */

import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { countText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';

const minuteMs = 60_000;
const minutes = 60;
const barPx = 2;
const heightPx = 20;

export function ProviderSpark({ name }: { readonly name: string }) {
  const { tag, words } = useSpeech();
  // The same question for a whole minute, so that a page that is drawn anew finds its answer.
  const toMs = Math.ceil(Date.now() / minuteMs) * minuteMs;
  const range = { from: new Date(toMs - minutes * minuteMs).toISOString(), to: new Date(toMs).toISOString() };
  const query = new URLSearchParams({ ...range, provider: name });
  const { data } = useAsk<OverviewView>(`/console/api/usage/overview?${query}`, { everyMs: minuteMs });
  const buckets = data?.buckets ?? [];
  const most = Math.max(1, ...buckets.map(({ requests }) => requests));
  const { requests, failures } = data?.total ?? { requests: 0, failures: 0 };
  const said = words.providers.lastHour(countText(requests, tag), countText(failures, tag));
  return (
    <svg
      role="img"
      aria-label={said}
      viewBox={`0 0 ${minutes * (barPx + 1)} ${heightPx}`}
      width={minutes * (barPx + 1)}
      height={heightPx}
      className="shrink-0"
    >
      <title>{said}</title>
      <path d={`M0 ${heightPx - 0.5}H${minutes * (barPx + 1)}`} className="stroke-line" />
      {buckets.slice(-minutes).map(({ at, requests: all, failures: bad }, index) => {
        if (all === 0) return null;
        // A single request among thousands is still a request.
        const tall = Math.max(2, (all / most) * heightPx);
        const badTall = bad === 0 ? 0 : Math.max(1, (bad / all) * tall);
        const x = index * (barPx + 1);
        return (
          <g key={at}>
            <rect x={x} y={heightPx - tall} width={barPx} height={tall} className="fill-accent" />
            <rect x={x} y={heightPx - tall} width={barPx} height={badTall} className="fill-bad" />
          </g>
        );
      })}
    </svg>
  );
}
