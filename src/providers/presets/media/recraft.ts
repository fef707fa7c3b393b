/**
 * Recraft: images on OpenAI’s wire; its edits have forms of their own. https://www.recraft.ai/docs/api-reference/agents
 * (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer, madeImages } from '../paths.ts';

export const recraft: ProviderPreset = {
  name: 'recraft',
  label: 'Recraft',
  group: 'media',
  docs: 'https://www.recraft.ai/docs/api-reference/agents',
  checked: '2026-11-16',
  tables: { litellm: 'recraft' },
  baseUrl: 'https://external.api.recraft.ai/v1',
  keyVariables: ['RECRAFT_API_TOKEN', 'RECRAFT_API_KEY'],
  auth: bearer,
  checkPath: '/users/me',
  formats: {},
  operations: { 'make-image': { ...madeImages['make-image'], inputsMax: 6 } },
};
