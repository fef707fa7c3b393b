/**
 * Deepgram: speech and transcripts, with everything but the text or the audio in the query.
 * https://developers.deepgram.com/reference/deepgram-api-overview (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';

export const deepgram: ProviderPreset = {
  // Its list of models has a shape of its own, so none is declared.
  name: 'deepgram',
  label: 'Deepgram',
  group: 'media',
  docs: 'https://developers.deepgram.com/reference/deepgram-api-overview',
  checked: '2026-11-16',
  tables: { litellm: 'deepgram' },
  baseUrl: 'https://api.deepgram.com/v1',
  keyVariables: ['DEEPGRAM_API_KEY'],
  auth: { style: 'header', header: 'authorization', prefix: 'Token ' },
  checkPath: '/projects',
  formats: {},
  operations: {
    speak: { wire: 'deepgram-speech', path: '/speak' },
    transcribe: { wire: 'deepgram-transcription', path: '/listen' },
  },
};
