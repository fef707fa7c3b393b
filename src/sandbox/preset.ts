/** The sandbox's preset: the formats and operations that it serves, and their paths. */

import {
  chat,
  completions,
  familyOperations,
  generate,
  live,
  messages,
  rerank,
  responses,
} from '../providers/presets/paths.ts';
import type { ProviderRules } from '../providers/provider.ts';

export const baseUrl = 'sandbox://local/v1';
export const videoPath = '/video/generations';

export const sandboxPreset: ProviderRules = {
  name: 'sandbox',
  label: 'Sandbox (built in)',
  baseUrl,
  keyVariables: [],
  auth: { style: 'none' },
  formats: { ...responses, ...messages, ...generate, ...chat, ...completions },
  operations: {
    ...familyOperations,
    ...rerank,
    ...live,
    'edit-image': { ...familyOperations['edit-image'], fetchesNothing: true },
    'make-video': { wire: 'video-generations', path: videoPath, fetchesNothing: true },
  },
  modelsPath: '/models',
};
