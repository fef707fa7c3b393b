/**
 * Amazon Bedrock: Claude in its native body, other models in the chat and responses formats; requests are signed. Both
 * of its endpoints. https://docs.aws.amazon.com/bedrock/latest/userguide/apis.html (read 2026-11-16).
 */

import type { ProviderPreset } from '../../provider.ts';
import { earlierClaude } from '../anthropic.ts';
import { bedrockWords } from './claude-hosts.ts';

/** One account, one region and one key open both of its endpoints. */
const account = {
  group: 'cloud',
  settings: { region: { variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'] } },
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  keyParts: [
    { variable: 'AWS_ACCESS_KEY_ID' },
    { variable: 'AWS_SECRET_ACCESS_KEY' },
    { variable: 'AWS_SESSION_TOKEN', optional: true },
  ],
} as const;

export const bedrock: ProviderPreset = {
  ...account,
  name: 'bedrock',
  label: 'Amazon Bedrock',
  synonyms: ['aws', 'amazon', 'claude on aws', 'nova', 'titan'],
  docs: 'https://docs.aws.amazon.com/bedrock/latest/userguide/apis.html',
  checked: '2026-11-16',
  tables: { genaiPrices: 'aws', modelsDev: 'amazon-bedrock', litellm: ['bedrock', 'bedrock_converse'] },
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  auth: { style: 'aws-sigv4', service: 'bedrock' },
  formats: {
    'anthropic-messages': { whole: '/model/{model}/invoke', stream: '/model/{model}/invoke-with-response-stream' },
    'openai-responses': '/openai/v1/responses',
    'openai-chat': '/openai/v1/chat/completions',
  },
  modelFormats: [
    // Also behind the prefix of a region or inside the name of an inference profile.
    { models: ['*anthropic.*'], formats: ['anthropic-messages'] },
    { models: ['openai.gpt-oss*'], formats: ['openai-chat'] },
    { models: ['openai.*'], formats: ['openai-responses', 'openai-chat'] },
    { models: ['*'], formats: ['openai-chat'] },
  ],
  // Operations other than conversations have a body of their own for each vendor.
  operations: {},
  quirks: {
    bodyEdits: {
      'anthropic-messages': {
        remove: ['model', 'stream'],
        set: { anthropic_version: 'bedrock-2023-05-31' },
        listFromHeader: { anthropic_beta: 'anthropic-beta' },
      },
    },
    hostWords: { 'anthropic-messages': bedrockWords },
    framing: 'aws-event-stream',
    takes: { developerRole: 'refused' },
    takesOf: [earlierClaude],
  },
};

/**
 * The endpoint of Bedrock that has the vendors' formats for models which the other one lacks. The path differs with the model: GPT-5,
 * Gemma 4 and Grok are below `/openai/v1`, where all of them have the responses format, most others below `/v1`.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html, https://docs.getbifrost.ai/providers/supported-providers/bedrock-mantle,
 * https://github.com/vercel/ai/issues/17141 (read 2026-11-16).
 */
export const bedrockMantle: ProviderPreset = {
  ...account,
  name: 'bedrock-mantle',
  label: 'Amazon Bedrock (Mantle endpoint)',
  docs: 'https://docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html',
  checked: '2026-11-16',
  tables: { litellm: 'bedrock_mantle' },
  baseUrl: 'https://bedrock-mantle.{region}.api.aws',
  // The variable selects the endpoint that AWS recommends.
  keyVariableIsShared: true,
  auth: { style: 'aws-sigv4', service: 'bedrock-mantle' },
  headers: { 'anthropic-version': '2023-06-01' },
  formats: {
    'anthropic-messages': '/anthropic/v1/messages',
    'openai-responses': '/openai/v1/responses',
    'openai-chat': '/v1/chat/completions',
  },
  modelFormats: [
    { models: ['*anthropic.*'], formats: ['anthropic-messages'] },
    { models: ['openai.gpt-oss*'], formats: ['openai-chat'] },
    { models: ['openai.*', 'google.gemma-4*', 'xai.*'], formats: ['openai-responses'] },
    { models: ['*'], formats: ['openai-chat'] },
  ],
  operations: {},
  quirks: { takes: { developerRole: 'refused' }, takesOf: [earlierClaude] },
};
