/**
 * Cartesia: speech and transcripts; every request names the version of the API.
 * https://docs.cartesia.ai/api-reference/tts/bytes (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer } from '../paths.ts';

export const cartesia: ProviderPreset = {
  name: 'cartesia',
  label: 'Cartesia',
  group: 'media',
  docs: 'https://docs.cartesia.ai/api-reference/tts/bytes',
  checked: '2026-11-16',
  baseUrl: 'https://api.cartesia.ai',
  keyVariables: ['CARTESIA_API_KEY'],
  auth: bearer,
  checkPath: '/voices?limit=1',
  formats: {},
  operations: {
    speak: { wire: 'cartesia-speech', path: '/tts/bytes' },
    transcribe: { wire: 'cartesia-transcription', path: '/stt' },
  },
  headers: { 'cartesia-version': '2026-03-01' },
};
