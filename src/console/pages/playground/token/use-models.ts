/** What the token may use, asked once for each token; the answer is also the proof that the token works. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { AskError } from '../../../api/ask.ts';
import { callGateway, refusalOf } from '../../../api/call-gateway.ts';
import { readModels } from '../models.ts';
import type { PlaygroundModel } from '../playground-contract.ts';

const none: readonly PlaygroundModel[] = [];

export function useModels(token: string | undefined) {
  return useQuery({
    queryKey: ['playground-models', token],
    enabled: token !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const response = await callGateway({ method: 'GET', path: '/v1/models', token: token ?? '', signal });
      const text = await response.text();
      if (response.ok) return readModels(JSON.parse(text));
      const refusal = refusalOf(text, response);
      // A token for conversations alone works; whoever has it must know the names of the models.
      if (refusal instanceof AskError && refusal.code === 'endpoint_not_allowed') return none;
      throw refusal;
    },
  });
}
