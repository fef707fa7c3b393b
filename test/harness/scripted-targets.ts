/** Targets for tests: providers that are never called, each identified by its name. */

import { type ModelNote, type Provider, providerOf } from '../../src/providers/assemble.ts';
import { Catalogue, type ModelRoute } from '../../src/routing/catalogue.ts';
import type { ModelConfig } from '../../src/settings/config.ts';

export interface ScriptedProvider {
  readonly name: string;
  readonly keys?: readonly string[];
  readonly region?: string;
  readonly note?: Partial<ModelNote>;
}

export function scriptedProvider({ name, keys = ['k'], region, note }: ScriptedProvider): Provider {
  return providerOf({
    preset: {
      name,
      label: name,
      baseUrl: 'http://127.0.0.1:1/v1',
      keyVariables: [],
      auth: { style: 'bearer' },
      formats: { 'openai-chat': '/chat/completions' },
    },
    name,
    baseUrl: 'http://127.0.0.1:1/v1',
    keys: keys.map((value) => ({ id: value, value })),
    headers: {},
    models: ['m'],
    region,
    ...(note !== undefined && {
      notes: new Map([['m', { contextTokens: 100_000, inputModalities: ['text'], description: '', ...note }]]),
    }),
    transport: () => Promise.reject(new Error('unused')),
  });
}

type TargetTerms = Partial<Omit<ModelConfig['targets'][number], 'provider' | 'model'>>;

/** The route of a model `x` with one target `m` at each provider. */
export function scriptedRoute(
  homes: readonly (ScriptedProvider & TargetTerms)[],
  model: Partial<Pick<ModelConfig, 'choose' | 'affinity'>> = {},
): ModelRoute {
  const providers = homes.map(scriptedProvider);
  const targets = homes.map(({ name, tier = 0, weight = 1, conditions, firstEventTimeoutMs }) => ({
    provider: name,
    model: 'm',
    tier,
    weight,
    conditions,
    firstEventTimeoutMs,
  }));
  const route = new Catalogue(providers, [{ alias: 'x', targets, ...model }]).route('x');
  if (route === undefined) throw new Error('no route');
  return route;
}
