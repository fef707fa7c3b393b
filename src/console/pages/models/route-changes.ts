/** What may be done to routes and prices; both change what the lists of models say. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PriceChange, RouteChange } from '../../../admin/contracts/configuration-contract.ts';
import { ask } from '../../api/ask.ts';
import { keyOf } from '../../api/use-ask.ts';

export const routesPath = '/console/api/routes';
export const pricesPath = '/console/api/prices';
export const modelsPath = '/console/api/models';
export const modelPath = (id: string): string => `/console/api/model?id=${encodeURIComponent(id)}`;

const touched = ['models', 'model', 'routes', 'prices', 'providers', 'health', 'export', 'usage/unpriced'] as const;

/** Done when what the page shows is new as well: whoever saved must see it. */
function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all(touched.map((part) => queries.invalidateQueries({ queryKey: keyOf(`/console/api/${part}`) })));
  };
}

export function useRouteSave() {
  const onSuccess = useRefresh();
  return useMutation({ mutationFn: (change: RouteChange) => ask<unknown>(routesPath, { body: change }), onSuccess });
}

export function useRouteDelete(alias: string) {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: () => ask<unknown>(`${routesPath}?alias=${encodeURIComponent(alias)}`, { method: 'DELETE' }),
    onSuccess,
  });
}

export function usePriceSave() {
  const onSuccess = useRefresh();
  return useMutation({ mutationFn: (change: PriceChange) => ask<unknown>(pricesPath, { body: change }), onSuccess });
}

export function usePriceDelete() {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (pattern: string) =>
      ask<unknown>(`${pricesPath}?pattern=${encodeURIComponent(pattern)}`, { method: 'DELETE' }),
    onSuccess,
  });
}
