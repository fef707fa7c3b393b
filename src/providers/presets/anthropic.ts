/** Anthropic: the messages format at its source. */

import type { ProviderPreset } from '../provider.ts';
import { messages, modelsPath } from './paths.ts';

export const anthropic: ProviderPreset = {
  name: 'anthropic',
  label: 'Anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  keyVariables: ['ANTHROPIC_API_KEY'],
  auth: { style: 'header', header: 'x-api-key' },
  headers: { 'anthropic-version': '2023-06-01' },
  formats: { ...messages },
  // Without a limit it shows the first 20.
  modelsPath: `${modelsPath}?limit=1000`,
  priceProvider: 'anthropic',
  quirks: { countsTokens: true },
};
