/** Presets of the inference servers that people run themselves, at the loopback port each one uses by default. */

import type { ProviderPreset } from '../provider.ts';
import { llamaCppChat, llamaCppMessages, ollamaMessages, ollamaResponses } from './copied-formats.ts';
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
  speech,
  transcription,
  transcriptions,
} from './paths.ts';

/**
 * Templates of many open models refuse instructions that are not first.
 * https://github.com/ollama/ollama/issues/17774, https://github.com/anthropics/claude-code/issues/77698 (read 2026-11-15).
 */
const quirks = { ...olderChat, takes: { ...olderChat.takes, laterInstructions: 'refused' } } as const;

/** All of them may be started with a key of the operator's choice, hence the auth style. */
const server = { group: 'local', keyVariables: [], auth: bearer, local: true, quirks } as const;
const listing = { ...server, modelsPath } as const;

export const localServers: readonly ProviderPreset[] = [
  {
    ...listing,
    name: 'ollama',
    label: 'Ollama',
    synonyms: ['llama', 'qwen', 'gemma'],
    docs: 'https://docs.ollama.com/api/openai-compatibility',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:11434/v1',
    formats: { ...chat, ...responses, ...completions, ...messages },
    operations: { ...embeddings, ...madeImages },
    quirks: { ...quirks, copied: { 'anthropic-messages': ollamaMessages, 'openai-responses': ollamaResponses } },
  },
  {
    ...listing,
    name: 'lm-studio',
    label: 'LM Studio',
    synonyms: ['llama', 'qwen'],
    docs: 'https://lmstudio.ai/docs/developer/openai-compat',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:1234/v1',
    formats: { ...chat, ...responses, ...completions },
    operations: embeddings,
    // "'response_format.type' must be 'json_schema'": https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/189.
    quirks: { ...quirks, takes: { ...quirks.takes, refuses: ['jsonOutput'] } },
  },
  {
    ...listing,
    name: 'vllm',
    label: 'vLLM',
    synonyms: ['llama', 'qwen'],
    docs: 'https://docs.vllm.ai/en/stable/serving/online_serving.html',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:8000/v1',
    formats: { ...chat, ...responses, ...completions },
    operations: { ...embeddings, ...rerank, ...transcriptions },
  },
  {
    ...listing,
    name: 'llama.cpp',
    label: 'llama.cpp',
    synonyms: ['llama', 'gguf', 'llama-server'],
    docs: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:8080/v1',
    // Its copy of the responses format says `completed` for a cut reply, and its events say not to which item they belong.
    formats: { ...chat, ...completions, ...messages },
    operations: { ...embeddings, ...rerank, ...transcription },
    quirks: {
      ...quirks,
      countsTokens: true,
      // Its HTTP library does, also where both sides asked to keep it: tried with build 11549.
      closesAfterStream: true,
      echoesThinkingAs: 'reasoning_content',
      // An object in place of a word is taken for `auto`.
      takes: { ...quirks.takes, forcedTools: 'unnamed', allowedTools: 'refused', searchOption: 'refused' },
      copied: { 'openai-chat': llamaCppChat, 'anthropic-messages': llamaCppMessages },
    },
  },
  {
    ...listing,
    name: 'sglang',
    label: 'SGLang',
    docs: 'https://docs.sglang.io/docs/basic_usage/send_request',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:30000/v1',
    formats: { ...chat, ...completions },
    // Rankings as a bare list: https://docs.sglang.io/get_started/../basic_usage/native_api.html
    operations: { ...embeddings, ...rerank },
  },
  {
    ...listing,
    name: 'docker-model-runner',
    label: 'Docker Model Runner',
    docs: 'https://docs.docker.com/ai/model-runner/api-reference/',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:12434/engines/v1',
    formats: { ...chat, ...completions, 'anthropic-messages': 'http://127.0.0.1:12434/v1/messages' },
    operations: embeddings,
    // It passes requests on to llama.cpp.
    quirks: { ...quirks, copied: { 'anthropic-messages': llamaCppMessages } },
  },
  {
    ...listing,
    name: 'xinference',
    label: 'Xinference',
    docs: 'https://inference.readthedocs.io/en/latest/user_guide/client_api.html',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:9997/v1',
    formats: { ...chat, ...completions },
    operations: { ...embeddings, ...rerank, ...madeImages, ...speech, ...transcriptions },
  },
  {
    // Vectors and rankings, without a version in its paths unless it is started with a prefix.
    ...listing,
    name: 'infinity',
    label: 'Infinity',
    docs: 'https://github.com/michaelfeil/infinity',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:7997',
    formats: {},
    operations: { ...embeddings, ...rerank },
  },
  {
    // llama.cpp has the same port.
    ...listing,
    listedOnly: true,
    name: 'localai',
    label: 'LocalAI',
    docs: 'https://localai.io/docs/features/',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:8080/v1',
    formats: { ...chat, ...completions, ...messages },
    operations: { ...embeddings, ...rerank, ...madeImages, ...speech, ...transcription },
  },
  {
    // One model, which no list names; its image is published on the port of llama.cpp.
    ...server,
    listedOnly: true,
    name: 'tei',
    label: 'Text Embeddings Inference',
    docs: 'https://huggingface.co/docs/text-embeddings-inference/quick_tour',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:8080/v1',
    formats: {},
    operations: { ...embeddings, rerank: { wire: 'tei-rerank', path: '/../rerank' } },
  },
  {
    // vLLM has the same port.
    ...listing,
    listedOnly: true,
    name: 'speaches',
    label: 'speaches',
    docs: 'https://speaches.ai/usage/speech-to-text/',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:8000/v1',
    formats: {},
    operations: { ...speech, ...transcriptions },
  },
  {
    // Object stores and other programs have the same port.
    ...listing,
    listedOnly: true,
    name: 'triton',
    label: 'NVIDIA Triton',
    docs: 'https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/client_guide/openai_readme.html',
    checked: '2026-11-16',
    baseUrl: 'http://127.0.0.1:9000/v1',
    formats: { ...chat, ...completions },
    operations: embeddings,
  },
];
