/** How far someone has come: which base URL, provider, token and request are there already. */

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ModelView, OwnedTokenView, PageView } from '../../../../admin/contracts/account-contract.ts';
import type { ConfiguredProviderView } from '../../../../admin/contracts/configuration-contract.ts';
import { keyOf, useAsk } from '../../../api/use-ask.ts';
import { remember, remembered } from '../../../remembered.ts';
import { useSession } from '../../../session/session.tsx';
import { useRequests } from '../../requests/use-requests.ts';
import { modelFor } from '../../tokens/sample-model.ts';
import { hasOwnToken, type Progress, servingNames } from './progress.ts';

/** As the newest requests below it ask, so that both share one answer. */
const newest = { range: { kind: 'last', name: '1y' }, conditions: [], limit: 20, live: true } as const;
const copied = 'copied';
const mayListProviders = 'GET /console/api/providers';

interface ShownProgress extends Progress {
  /** A served model for snippets: a real one where there is one. */
  readonly model: string;
  copiedUrl(): void;
}

export function useProgress(): ShownProgress {
  const session = useSession();
  const [isCopied, setCopied] = useState(() => remembered('first-hour') === copied);
  const seesProviders = session.may(mayListProviders);
  const providers = useAsk<{ readonly items: readonly ConfiguredProviderView[] }>('/console/api/providers', {
    when: seesProviders,
  });
  const models = useAsk<{ readonly items: readonly ModelView[] }>('/console/api/models');
  const tokens = useAsk<PageView<OwnedTokenView>>('/console/api/tokens?limit=100');
  const requestId = useFirstRequest();
  return {
    isCopied: isCopied || requestId !== undefined,
    providers: servingNames(seesProviders ? providers.data?.items : undefined, models.data?.items ?? []),
    hasToken: hasOwnToken(tokens.data?.items ?? []),
    requestId,
    model: modelFor({}, models.data?.items ?? []),
    copiedUrl() {
      remember('first-hour', copied);
      setCopied(true);
    },
  };
}

/** The figures of the page follow at once. */
function useFirstRequest(): string | undefined {
  const queries = useQueryClient();
  const requestId = useRequests(newest).data?.items.at(-1)?.requestId;
  const hasArrived = requestId !== undefined;
  useEffect(() => {
    if (hasArrived) void queries.invalidateQueries({ queryKey: keyOf('/console/api/usage/overview') });
  }, [hasArrived, queries]);
  return requestId;
}
