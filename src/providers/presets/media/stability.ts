/**
 * Stability AI: images made and edited; the wire adds the path, which differs with the service.
 * https://platform.stability.ai/docs/api-reference (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer } from '../paths.ts';

const images = { wire: 'stability-image', path: '/v2beta/stable-image' } as const;

export const stability: ProviderPreset = {
  name: 'stability',
  label: 'Stability AI',
  synonyms: ['stable diffusion', 'sdxl'],
  group: 'media',
  docs: 'https://platform.stability.ai/docs/api-reference',
  checked: '2026-11-16',
  baseUrl: 'https://api.stability.ai',
  keyVariables: ['STABILITY_API_KEY'],
  auth: bearer,
  tables: { litellm: 'stability' },
  checkPath: '/v1/user/balance',
  formats: {},
  operations: { 'make-image': images, 'edit-image': images },
};
