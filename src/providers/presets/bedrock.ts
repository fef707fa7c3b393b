/** Amazon Bedrock: Claude in its native body, other models in the chat and responses formats; requests are signed. */

import type { ProviderPreset } from '../provider.ts';
import { earlierClaude } from './anthropic.ts';
import { bedrockWords } from './claude-hosts.ts';

export const bedrock: ProviderPreset = {
  name: 'bedrock',
  label: 'Amazon Bedrock',
  group: 'cloud',
  docs: 'https://docs.aws.amazon.com/bedrock/latest/userguide/apis.html',
  checked: '2026-11-16',
  tables: { genaiPrices: 'aws', modelsDev: 'amazon-bedrock', litellm: ['bedrock', 'bedrock_converse'] },
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  settings: { region: { variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'] } },
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  keyParts: [
    { variable: 'AWS_ACCESS_KEY_ID' },
    { variable: 'AWS_SECRET_ACCESS_KEY' },
    { variable: 'AWS_SESSION_TOKEN', optional: true },
  ],
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
  // What it has beside conversations is asked for in each maker's own words.
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
