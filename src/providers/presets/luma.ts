/** Luma: images and videos of its current API, whose keys the older Dream Machine API does not know. */

import type { ProviderPreset } from '../provider.ts';
import { bearer } from './paths.ts';

const images = { wire: 'luma-image', path: '/generations', models: ['uni-*'] } as const;

export const luma: ProviderPreset = {
  name: 'luma',
  label: 'Luma',
  group: 'media',
  docs: 'https://docs.agents.lumalabs.ai',
  checked: '2026-11-16',
  baseUrl: 'https://agents.lumalabs.ai/v1',
  keyVariables: ['LUMA_AGENTS_API_KEY'],
  auth: bearer,
  formats: {},
  operations: {
    'make-image': images,
    'edit-image': images,
    'make-video': { wire: 'luma-video', path: '/generations', models: ['ray-*'] },
  },
};
