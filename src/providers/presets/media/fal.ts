/**
 * fal: images and videos through a queue; a model’s name is its path.
 * https://fal.ai/docs/documentation/model-apis/inference/queue (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';

const images = { wire: 'fal-image', path: '/{+model}' } as const;

export const fal: ProviderPreset = {
  name: 'fal',
  label: 'fal',
  group: 'media',
  docs: 'https://fal.ai/docs/documentation/model-apis/inference/queue',
  checked: '2026-11-16',
  tables: { litellm: 'fal_ai' },
  baseUrl: 'https://queue.fal.run',
  keyVariables: ['FAL_KEY'],
  auth: { style: 'header', header: 'authorization', prefix: 'Key ' },
  formats: {},
  operations: {
    'make-image': images,
    'edit-image': images,
    'make-video': { wire: 'fal-video', path: '/{+model}' },
  },
};
