/** What may be done to providers, and what must be asked anew after it: a provider changes the models and routes that are served too. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ChangedProviderView,
  ConfiguredProviderView,
  NewProvider,
  ProviderChanges,
  ProviderPause,
  ProviderTrialView,
} from '../../../admin/contracts/configuration-contract.ts';
import { ask } from '../../api/ask.ts';
import { keyOf } from '../../api/use-ask.ts';

export const providersPath = '/console/api/providers';
const providerPath = (name: string): string => `${providersPath}/${encodeURIComponent(name)}`;

const touched = ['providers', 'models', 'model', 'routes', 'health', 'presets', 'export'] as const;

function useRefreshConfiguration(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all(touched.map((part) => queries.invalidateQueries({ queryKey: keyOf(`/console/api/${part}`) })));
  };
}

export function useProviderChange(name: string) {
  const refresh = useRefreshConfiguration();
  return useMutation({
    mutationFn: (changes: ProviderChanges) =>
      ask<ChangedProviderView>(providerPath(name), { method: 'PATCH', body: changes }),
    onSuccess: refresh,
  });
}

export function useProviderDelete(name: string) {
  const refresh = useRefreshConfiguration();
  return useMutation({
    mutationFn: () => ask<undefined>(providerPath(name), { method: 'DELETE' }),
    onSuccess: refresh,
  });
}

export function useProviderCreate() {
  const refresh = useRefreshConfiguration();
  return useMutation({
    mutationFn: (provider: NewProvider) => ask<ConfiguredProviderView>(providersPath, { body: provider }),
    onSuccess: refresh,
  });
}

/** Of one that is configured elsewhere. */
export function useProviderPause(name: string) {
  const refresh = useRefreshConfiguration();
  return useMutation({
    mutationFn: (body: ProviderPause) => ask<ConfiguredProviderView>(`${providerPath(name)}/pause`, { body }),
    onSuccess: refresh,
  });
}

/** Of one that is there. */
export function useProviderTrial(name: string) {
  const refresh = useRefreshConfiguration();
  return useMutation({
    mutationFn: () => ask<ProviderTrialView>(`${providerPath(name)}/trial`, { body: {} }),
    onSuccess: refresh,
  });
}

/** Of one that is not kept yet. */
export function useDraftTrial() {
  return useMutation({
    mutationFn: (provider: NewProvider) => ask<ProviderTrialView>(`${providersPath}/trial`, { body: provider }),
  });
}
