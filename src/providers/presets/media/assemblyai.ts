/**
 * AssemblyAI: transcripts of uploaded files, at hosts of their own those of short clips, and a gateway to other
 * vendors’ models. https://www.assemblyai.com/docs/api-reference/transcripts/submit (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { bearer, chat, olderChat } from '../paths.ts';

export const assemblyai: ProviderPreset = {
  name: 'assemblyai',
  label: 'AssemblyAI',
  group: 'media',
  docs: 'https://www.assemblyai.com/docs/api-reference/transcripts/submit',
  checked: '2026-11-16',
  baseUrl: 'https://api.assemblyai.com/v2',
  keyVariables: ['ASSEMBLYAI_API_KEY'],
  auth: { style: 'header', header: 'authorization' },
  tables: { litellm: 'assemblyai' },
  checkPath: '/transcript?limit=1',
  formats: {},
  operations: { transcribe: { wire: 'assemblyai-transcription', path: '/upload' } },
};

/** One request for a wave file of two minutes at most. */
export const assemblyaiSync: ProviderPreset = {
  name: 'assemblyai-sync',
  label: 'AssemblyAI Sync',
  group: 'media',
  docs: 'https://www.assemblyai.com/docs/api-reference/sync-api/transcribe',
  checked: '2026-11-16',
  baseUrl: 'https://sync.assemblyai.com',
  keyVariables: ['ASSEMBLYAI_API_KEY'],
  keyVariableIsShared: true,
  auth: { style: 'header', header: 'authorization' },
  formats: {},
  operations: { transcribe: { wire: 'assemblyai-sync', path: '/transcribe' } },
};

export const assemblyaiGateway: ProviderPreset = {
  name: 'assemblyai-gateway',
  label: 'AssemblyAI LLM Gateway',
  group: 'host',
  docs: 'https://www.assemblyai.com/docs/llm-gateway/quickstart',
  checked: '2026-11-16',
  baseUrl: 'https://llm-gateway.assemblyai.com/v1',
  keyVariables: ['ASSEMBLYAI_API_KEY'],
  // A key for transcripts alone does not ask for its models.
  keyVariableIsShared: true,
  auth: bearer,
  formats: { ...chat },
  operations: {},
  quirks: olderChat,
};
