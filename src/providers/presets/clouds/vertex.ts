/**
 * Google Vertex AI, whose documentation now calls it the Gemini Enterprise Agent Platform: models of several publishers
 * behind a service account, each in its publisher's format.
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/apis (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { earlierClaude } from '../anthropic.ts';
import { generatedMedia } from '../paths.ts';
import { vertexWords } from './claude-hosts.ts';

/** The table has a name for each publisher. */
const litellmNames = [
  'vertex_ai',
  'vertex_ai-language-models',
  'vertex_ai-anthropic_models',
  'vertex_ai-mistral_models',
  'vertex_ai-llama_models',
  'vertex_ai-embedding-models',
  'vertex_ai-image-models',
  'vertex_ai-video-models',
  'vertex_ai-ai21_models',
  'vertex_ai-qwen_models',
  'vertex_ai-deepseek_models',
  'vertex_ai-openai_models',
  'vertex_ai-zai_models',
  'vertex_ai-minimax_models',
  'vertex_ai-moonshot_models',
] as const;

export const vertex: ProviderPreset = {
  name: 'vertex',
  label: 'Google Vertex AI',
  synonyms: ['google cloud', 'gcp', 'gemini', 'claude on vertex'],
  group: 'cloud',
  docs: 'https://docs.cloud.google.com/gemini-enterprise-agent-platform/apis',
  checked: '2026-11-16',
  tables: { genaiPrices: 'google', modelsDev: ['google-vertex', 'google-vertex-anthropic'], litellm: litellmNames },
  baseUrl: 'https://{region}-aiplatform.googleapis.com/v1/projects/{project}/locations/{region}',
  baseUrlFor: [
    {
      setting: 'region',
      value: 'global',
      baseUrl: 'https://aiplatform.googleapis.com/v1/projects/{project}/locations/global',
    },
    {
      setting: 'region',
      value: 'us',
      baseUrl: 'https://aiplatform.us.rep.googleapis.com/v1/projects/{project}/locations/us',
    },
    {
      setting: 'region',
      value: 'eu',
      baseUrl: 'https://aiplatform.eu.rep.googleapis.com/v1/projects/{project}/locations/eu',
    },
  ],
  settings: {
    region: { variables: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_VERTEX_LOCATION', 'CLOUD_ML_REGION'], default: 'global' },
    project: {
      variables: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_VERTEX_PROJECT', 'ANTHROPIC_VERTEX_PROJECT_ID'],
      keyField: 'project_id',
    },
  },
  keyVariables: ['GOOGLE_APPLICATION_CREDENTIALS'],
  // Set wherever any service of that cloud is used.
  keyVariableIsShared: true,
  auth: { style: 'service-account', scope: 'https://www.googleapis.com/auth/cloud-platform' },
  formats: {
    'gemini-generate': {
      whole: '/publishers/google/models/{+model}:generateContent',
      stream: '/publishers/google/models/{+model}:streamGenerateContent?alt=sse',
    },
    'anthropic-messages': {
      whole: '/publishers/anthropic/models/{+model}:rawPredict',
      stream: '/publishers/anthropic/models/{+model}:streamRawPredict',
    },
    'openai-chat': '/endpoints/openapi/chat/completions',
  },
  modelFormats: [
    { models: ['claude-*'], formats: ['anthropic-messages'] },
    // Open models carry their publisher's name before a slash.
    { models: ['*/*'], formats: ['openai-chat'] },
    { models: ['*'], formats: ['gemini-generate'] },
  ],
  // Its vectors come on a wire of their own, which Weir does not have.
  operations: generatedMedia('/publishers/google/models'),
  quirks: {
    // The most expensive of its models: https://cloud.google.com/vertex-ai/generative-ai/pricing (read 2026-11-19).
    toolFees: { web_search: 0.035, google_maps: 0.025 },
    bodyEdits: { 'anthropic-messages': { remove: ['model'], set: { anthropic_version: 'vertex-2023-10-16' } } },
    hostWords: { 'anthropic-messages': vertexWords },
    limitIsMaxTokens: true,
    takes: { developerRole: 'refused' },
    takesOf: [earlierClaude],
  },
};
