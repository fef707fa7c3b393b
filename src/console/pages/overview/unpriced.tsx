/** Models that were used lately and have no price: how much of it, and one step to set one. Nothing where there are none. */

import type { UseQueryResult } from '@tanstack/react-query';
import type { UnpricedView } from '../../../admin/contracts/analytics-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Time } from '../../components/amounts.tsx';
import { Link } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { countText, shortCountText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { setPricePath } from '../models/price-path.ts';
import { Card } from './card.tsx';

const everyMs = 60_000;
const shownMax = 10;
const shortFrom = 100_000;

export function useUnpriced(): UseQueryResult<UnpricedView> {
  return useAsk<UnpricedView>('/console/api/usage/unpriced', { everyMs });
}

export function Unpriced({ view }: { readonly view: UnpricedView | undefined }) {
  const { words, tag } = useSpeech();
  const own = words.overview;
  const maySet = useSession().may('POST /console/api/prices');
  if (view === undefined || view.items.length === 0) return null;
  const rest = view.items.length - shownMax;
  const count = (value: number) => (value < shortFrom ? countText : shortCountText)(value, tag);
  return (
    <Card title={own.unpriced}>
      <p className="px-4 pb-2 text-sm text-quiet">{own.unpricedHint}</p>
      <ul className="grid grid-cols-1 px-4 pb-3">
        {view.items.slice(0, shownMax).map((used) => (
          <li
            key={`${used.provider}/${used.model}`}
            className="flex min-h-9 min-w-0 flex-wrap items-center gap-x-4 gap-y-0.5 border-t border-line py-1.5 text-sm"
          >
            <code className="min-w-0 grow basis-48 truncate">{`${used.provider}/${used.model}`}</code>
            <span className="text-xs text-quiet">
              {own.groupRequests(countText(used.requests, tag), used.requests)}
            </span>
            {used.inputTokens + used.outputTokens > 0 && (
              <span className="text-xs text-quiet">
                {own.unpricedTokens(count(used.inputTokens), count(used.outputTokens))}
              </span>
            )}
            <span className="text-xs text-quiet max-sm:hidden">
              <Time at={used.lastAt} />
            </span>
            {maySet && (
              <Link
                to={setPricePath(used.provider, used.model)}
                aria-label={own.setPriceOf(`${used.provider}/${used.model}`)}
                className="ml-auto shrink-0 rounded-sm font-medium text-accent underline-offset-2 hover:underline"
              >
                {own.setPrice}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="px-4 pb-3 text-xs text-quiet">{own.unpricedMore(countText(rest, tag))}</p>}
    </Card>
  );
}
