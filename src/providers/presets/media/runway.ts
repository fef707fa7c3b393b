/**
 * Runway: videos of its own models and of others; the wire adds the path, which differs with the input.
 * https://docs.dev.runwayml.com/api/ (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer } from '../paths.ts';

export const runway: ProviderPreset = {
  name: 'runway',
  label: 'Runway',
  group: 'media',
  docs: 'https://docs.dev.runwayml.com/api/',
  checked: '2026-11-16',
  tables: { litellm: 'runwayml' },
  baseUrl: 'https://api.dev.runwayml.com/v1',
  keyVariables: ['RUNWAYML_API_SECRET'],
  auth: bearer,
  checkPath: '/organization',
  formats: {},
  operations: { 'make-video': { wire: 'runway-video', path: '' } },
  headers: { 'x-runway-version': '2024-11-06' },
};
