/** Models that end and that tokens still used lately: when, and whose they are. Nothing where there are none. */

import type { EndingModelView } from '../../../admin/contracts/analytics-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Link } from '../../router/router.tsx';
import { countText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { EndingBadge } from '../models/ending-badge.tsx';
import { Card } from './card.tsx';

const everyMs = 60_000;
const shownMax = 10;
const tokensShown = 3;

export function EndingModels() {
  const { words, tag } = useSpeech();
  const own = words.overview;
  const { data } = useAsk<{ readonly items: readonly EndingModelView[] }>('/console/api/usage/ending', { everyMs });
  if (data === undefined || data.items.length === 0) return null;
  const rest = data.items.length - shownMax;
  return (
    <Card title={own.ending}>
      <p className="px-4 pb-2 text-sm text-quiet">{own.endingHint}</p>
      <ul className="grid grid-cols-1 px-4 pb-3">
        {data.items.slice(0, shownMax).map((ending) => (
          <EndingLine key={`${ending.provider} ${ending.model}`} ending={ending} />
        ))}
      </ul>
      {rest > 0 && <p className="px-4 pb-3 text-xs text-quiet">{own.endingMore(countText(rest, tag))}</p>}
    </Card>
  );
}

function EndingLine({ ending }: { readonly ending: EndingModelView }) {
  const { words, tag } = useSpeech();
  const own = words.overview;
  const { provider, model, names, tokens, isMost } = ending;
  const name = names.find((each) => each === model) ?? names[0] ?? model;
  const rest = tokens.length - tokensShown;
  return (
    <li className="flex min-h-9 min-w-0 flex-wrap items-center gap-x-4 gap-y-0.5 border-t border-line py-1.5 text-sm">
      <Link
        to={`/console/models?${new URLSearchParams({ model: name })}`}
        className="min-w-0 grow basis-48 truncate font-mono text-xs underline-offset-2 hover:underline"
      >
        {`${provider}/${model}`}
      </Link>
      <ul className="flex min-w-0 flex-wrap gap-x-3 text-xs text-quiet">
        {tokens.slice(0, tokensShown).map((token) => (
          <li key={token.id} className="min-w-0 break-words">
            <Link
              to={`/console/tokens?${new URLSearchParams({ token: token.id })}`}
              className="underline-offset-2 hover:underline"
            >
              {own.endingUse(token.name, countText(token.requests, tag), isMost === true)}
            </Link>
          </li>
        ))}
        {rest > 0 && <li>{own.endingTokens(countText(rest, tag))}</li>}
      </ul>
      <EndingBadge {...ending} />
    </li>
  );
}
