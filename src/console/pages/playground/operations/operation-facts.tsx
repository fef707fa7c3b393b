/** One line about a call: who served it, what it used and what it cost. */

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Duration, Money } from '../../../components/amounts.tsx';
import { useSessionState } from '../../../session/session.tsx';
import { countText } from '../../../texts/number.ts';
import { useSpeech } from '../../../words/use-words.tsx';
import { estimatedCostNano } from '../conversation/estimate-cost.ts';
import type { PlaygroundModel } from '../playground-contract.ts';
import { costFromLedger } from '../wire/ledger-cost.ts';
import type { CallFacts } from './call.ts';

interface OperationFactsProps {
  readonly facts: CallFacts;
  /** For prices, where the gateway did not say what it cost. */
  readonly models: readonly PlaygroundModel[];
  readonly tookMs?: number | undefined;
}

export function OperationFacts({ facts, models, tookMs }: OperationFactsProps) {
  const { words, tag } = useSpeech();
  const { facts: names } = words.playground;
  const { provider, model, inputTokens, outputTokens } = facts;
  return (
    <FactRow>
      <Fact name={names.model}>
        <span className="font-mono">{model}</span>
      </Fact>
      {provider !== '' && <Fact name={names.provider}>{provider}</Fact>}
      {tookMs !== undefined && (
        <Fact name={names.total}>
          <Duration ms={tookMs} />
        </Fact>
      )}
      {(inputTokens ?? outputTokens) !== undefined && (
        <Fact name={names.tokens}>
          <span className="font-mono">
            {names.inOut(countText(inputTokens ?? 0, tag), countText(outputTokens ?? 0, tag))}
          </span>
        </Fact>
      )}
      <CostFact facts={facts} models={models} />
    </FactRow>
  );
}

export function CostFact({ facts, models }: Omit<OperationFactsProps, 'tookMs'>) {
  const { words } = useSpeech();
  const { facts: names } = words.playground;
  const { nano, isEstimated } = useCost(facts, models);
  return (
    <Fact name={names.cost}>
      {nano === undefined ? (
        <span className="text-quiet">{words.answers.costUnknown}</span>
      ) : (
        <span title={isEstimated ? names.aboutHint : undefined}>
          {isEstimated && `${names.about} `}
          <Money nano={nano} />
        </span>
      )}
    </Fact>
  );
}

interface Cost {
  /** Null where no price is known, undefined where it cannot be known here. */
  readonly nano: string | null | undefined;
  readonly isEstimated: boolean;
}

/** What the reply said; what the ledger says; what the price list would make of it. */
function useCost(
  { costNano, requestId, model: id, provider, ...tokens }: CallFacts,
  models: readonly PlaygroundModel[],
): Cost {
  const { session } = useSessionState();
  const isFree = provider === 'sandbox';
  const mayRead = session?.may('GET /console/api/usage/requests/{id}') === true;
  const { data } = useQuery({
    queryKey: ['playground', 'cost', requestId],
    enabled: mayRead && costNano === undefined && !isFree && requestId !== '',
    queryFn: async () => ({ nano: await costFromLedger(requestId) }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isFree) return { nano: '0', isEstimated: false };
  const known = costNano ?? data?.nano;
  if (known !== undefined) return { nano: known, isEstimated: false };
  const model = models.find((one) => one.id === id);
  if (model?.isPriceUnknown === true) return { nano: null, isEstimated: false };
  return { nano: estimatedCostNano(model, tokens), isEstimated: true };
}

export function FactRow({ children }: { readonly children: ReactNode }) {
  const { words } = useSpeech();
  return (
    <dl
      aria-label={words.playground.facts.label}
      className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 text-xs text-quiet"
    >
      {children}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  /** Where the value says what it is. */
  readonly isNameHidden?: boolean;
  readonly children: ReactNode;
}

export function Fact({ name, isNameHidden = false, children }: FactProps) {
  return (
    <div className="flex items-baseline gap-1.5 whitespace-nowrap">
      <dt className={isNameHidden ? 'sr-only' : ''}>{name}</dt>
      <dd className="text-text">{children}</dd>
    </div>
  );
}
