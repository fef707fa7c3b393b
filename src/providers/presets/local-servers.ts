/** Presets of the inference servers that people run themselves, at the loopback port each one uses by default. */

import type { ProviderPreset } from '../provider.ts';
import {
  bearer,
  chat,
  completions,
  embeddings,
  madeImages,
  messages,
  modelsPath,
  olderChat,
  rerank,
  responses,
  transcriptions,
} from './paths.ts';

/**
 * Templates of many open models refuse instructions that are not first.
 * https://github.com/ollama/ollama/issues/17774, https://github.com/anthropics/claude-code/issues/77698 (read 2026-11-15).
 */
const quirks = { ...olderChat, takes: { ...olderChat.takes, laterInstructions: 'refused' } } as const;

/** All four may be started with a key of the operator's choice, hence the auth style. */
const server = { keyVariables: [], auth: bearer, modelsPath, local: true, quirks } as const;

export const localServers: readonly ProviderPreset[] = [
  {
    ...server,
    name: 'ollama',
    label: 'Ollama',
    group: 'local',
    docs: 'https://docs.ollama.com/api/openai-compatibility',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:11434/v1',
    formats: { ...chat, ...responses, ...completions, ...messages },
    operations: { ...embeddings, ...madeImages },
  },
  {
    ...server,
    name: 'lm-studio',
    label: 'LM Studio',
    group: 'local',
    docs: 'https://lmstudio.ai/docs/developer/openai-compat',
    checked: '2026-05-01',
    baseUrl: 'http://127.0.0.1:1234/v1',
    formats: { ...chat, ...responses, ...completions },
    operations: embeddings,
    // "'response_format.type' must be 'json_schema'": https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/189.
    quirks: { ...quirks, takes: { ...quirks.takes, refuses: ['jsonOutput'] } },
  },
  {
    ...server,
    name: 'vllm',
    label: 'vLLM',
    group: 'local',
    docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server/',
    checked: '2026-05-01',
    baseUrl: 'http://127.0.0.1:8000/v1',
    formats: { ...chat, ...responses, ...completions },
    operations: { ...embeddings, ...rerank, ...transcriptions },
  },
  {
    ...server,
    name: 'llama.cpp',
    label: 'llama.cpp',
    group: 'local',
    docs: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    checked: '2026-05-01',
    baseUrl: 'http://127.0.0.1:8080/v1',
    formats: { ...chat, ...completions, ...messages },
    operations: { ...embeddings, ...rerank },
  },
];
