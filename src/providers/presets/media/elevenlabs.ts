/**
 * ElevenLabs: speech, where the voice is a part of the path, and transcripts.
 * https://elevenlabs.io/docs/api-reference/introduction (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';

export const elevenlabs: ProviderPreset = {
  // Its list of models has a shape of its own, so none is declared.
  name: 'elevenlabs',
  label: 'ElevenLabs',
  synonyms: ['voice', 'text to speech'],
  group: 'media',
  docs: 'https://elevenlabs.io/docs/api-reference/introduction',
  checked: '2026-11-16',
  tables: { litellm: 'elevenlabs' },
  baseUrl: 'https://api.elevenlabs.io/v1',
  keyVariables: ['ELEVENLABS_API_KEY'],
  auth: { style: 'header', header: 'xi-api-key' },
  checkPath: '/models',
  formats: {},
  operations: {
    speak: { wire: 'elevenlabs-speech', path: '/text-to-speech' },
    transcribe: { wire: 'elevenlabs-transcription', path: '/speech-to-text' },
  },
};
