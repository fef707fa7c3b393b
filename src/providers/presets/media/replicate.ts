/**
 * Replicate: images and videos from community models; the wire adds the path, which differs with a model’s version.
 * https://replicate.com/docs/reference/http (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer } from '../paths.ts';

const images = { wire: 'replicate-image', path: '' } as const;

export const replicate: ProviderPreset = {
  name: 'replicate',
  label: 'Replicate',
  group: 'media',
  docs: 'https://replicate.com/docs/reference/http',
  checked: '2026-11-16',
  tables: { litellm: 'replicate' },
  baseUrl: 'https://api.replicate.com/v1',
  keyVariables: ['REPLICATE_API_TOKEN'],
  auth: bearer,
  checkPath: '/account',
  formats: {},
  operations: {
    'make-image': images,
    'edit-image': images,
    'make-video': { wire: 'replicate-video', path: '' },
  },
};
