/**
 * Google AI Studio: generateContent at its source, with an API key.
 * https://ai.google.dev/api/generate-content (read 2026-11-16).
 */

import type { ProviderPreset } from '../provider.ts';
import { generate, generateOperations, modelsPath } from './paths.ts';

export const gemini: ProviderPreset = {
  name: 'gemini',
  label: 'Google Gemini',
  synonyms: ['google', 'gemma', 'imagen', 'veo'],
  group: 'maker',
  docs: 'https://ai.google.dev/api/generate-content',
  checked: '2026-11-16',
  tables: { genaiPrices: 'google', modelsDev: 'google', litellm: 'gemini' },
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  auth: { style: 'header', header: 'x-goog-api-key' },
  formats: { ...generate },
  operations: generateOperations,
  // Without a size it shows the first 50.
  modelsPath: `${modelsPath}?pageSize=1000`,
  quirks: {
    // The most expensive of its models: https://ai.google.dev/gemini-api/docs/pricing (read 2026-11-19).
    toolFees: { web_search: 0.035, google_maps: 0.025 },
    countsTokens: true,
    // Penalties are for the same models on the cloud's own API; https://github.com/vercel/ai (google-model-catalog.ts, read 2026-11-15).
    takesOf: [{ models: /^gemini-2\.5/, profile: { refuses: ['presencePenalty', 'frequencyPenalty'] } }],
  },
};
