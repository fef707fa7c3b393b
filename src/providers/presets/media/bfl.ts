/**
 * Black Forest Labs: images, each model at a path of its own, fetched at the URL in the first reply.
 * https://docs.bfl.ai/quick_start/generating_images (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';

const images = { wire: 'bfl-image', path: '/{model}' } as const;

export const bfl: ProviderPreset = {
  name: 'bfl',
  label: 'Black Forest Labs',
  synonyms: ['flux'],
  group: 'media',
  docs: 'https://docs.bfl.ai/quick_start/generating_images',
  checked: '2026-11-16',
  tables: { litellm: 'black_forest_labs' },
  baseUrl: 'https://api.bfl.ai/v1',
  keyVariables: ['BFL_API_KEY'],
  auth: { style: 'header', header: 'x-key' },
  checkPath: '/credits',
  formats: {},
  operations: { 'make-image': images, 'edit-image': images },
};
