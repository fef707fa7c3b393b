/** What a live conversation has used so far: tokens as its events say, provider and cost as the ledger does, turn by turn. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RequestsView } from '../../../../../admin/contracts/analytics-contract.ts';
import { ask } from '../../../../api/ask.ts';
import { Money } from '../../../../components/amounts.tsx';
import { useSessionState } from '../../../../session/session.tsx';
import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import type { PlaygroundModel, PlaygroundToken } from '../../playground-contract.ts';
import { Fact, FactRow } from '../operation-facts.tsx';
import type { Live } from './use-live.ts';

interface LiveFactsProps {
  readonly live: Live;
  readonly token: PlaygroundToken;
  readonly models: readonly PlaygroundModel[];
}

const turnsMax = 100;

export function LiveFacts({ live, token, models }: LiveFactsProps) {
  const { words, tag } = useSpeech();
  const { facts: names } = words.playground;
  const model = models.find(({ id }) => id === live.begun?.model);
  const ledger = useTurns(live, token);
  if (live.begun === undefined) return null;
  const { input, output } = live.state.tokens;
  const isFree = model?.providers[0] === 'sandbox';
  const only = model?.providers.length === 1 ? model.providers[0] : undefined;
  const provider = ledger?.provider ?? only;
  const cost = isFree ? '0' : ledger?.costNano;
  return (
    <FactRow>
      <Fact name={names.model}>
        <span className="font-mono">{live.begun.model}</span>
      </Fact>
      {provider !== undefined && <Fact name={names.provider}>{provider}</Fact>}
      <Fact name={names.tokens} isNameHidden>
        {words.operations.realtime.tokens(countText(input, tag), countText(output, tag))}
      </Fact>
      <Fact name={names.cost}>
        {cost === undefined ? <span className="text-quiet">{words.answers.costUnknown}</span> : <Money nano={cost} />}
      </Fact>
    </FactRow>
  );
}

/** The rows of this token since the conversation began; asked for again after each response. */
function useTurns({ begun, state }: Live, { id = '' }: PlaygroundToken) {
  const { session } = useSessionState();
  const mayRead = session?.may('GET /console/api/usage/requests') === true;
  const since = begun?.atMs ?? 0;
  const { data } = useQuery<RequestsView>({
    queryKey: ['playground', 'live', since, state.tokens.input + state.tokens.output],
    enabled: mayRead && id !== '' && begun !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const words = new URLSearchParams({
        from: `${since}`,
        token: id,
        endpoint: 'realtime',
        limit: `${turnsMax}`,
      });
      return ask<RequestsView>(`/console/api/usage/requests?${words}`, { signal });
    },
    // Rows are written in groups, a moment after the response.
    refetchInterval: ({ state: { dataUpdateCount } }) => (dataUpdateCount < 4 ? 500 : false),
    staleTime: 0,
  });
  // Those of the conversation before may still be there.
  const rows = (data?.items ?? []).filter(({ at }) => Date.parse(at) >= since);
  if (rows.length === 0) return undefined;
  const isPriced = rows.every(({ costNano }) => costNano !== null);
  const sum = rows.reduce((total, { costNano }) => total + BigInt(costNano ?? '0'), 0n);
  return { provider: rows[0]?.provider, costNano: isPriced ? sum.toString() : null };
}
