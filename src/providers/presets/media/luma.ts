/**
 * Luma: images and videos of its current API, and of the older Dream Machine API, which has models and keys of its own.
 * https://docs.agents.lumalabs.ai (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer } from '../paths.ts';

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

export const lumaDreamMachine: ProviderPreset = {
  name: 'luma-dream-machine',
  label: 'Luma Dream Machine',
  group: 'media',
  docs: 'https://docs.lumalabs.ai/docs/api',
  checked: '2026-11-16',
  baseUrl: 'https://api.lumalabs.ai/dream-machine/v1',
  keyVariables: ['LUMAAI_API_KEY', 'LUMAAI_AUTH_TOKEN', 'LUMA_API_KEY'],
  auth: bearer,
  checkPath: '/credits',
  formats: {},
  operations: {
    'make-image': { wire: 'dream-machine-image', path: '/generations/image', models: ['photon-*'] },
    'make-video': { wire: 'dream-machine-video', path: '/generations/video', models: ['ray-*'] },
  },
};
