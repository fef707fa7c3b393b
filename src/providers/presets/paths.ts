/** The paths that presets share, so that a row of a table says only what is its own. */

import type { Auth } from '../provider.ts';

export const bearer: Auth = { style: 'bearer' };

export const chat = { 'openai-chat': '/chat/completions' } as const;
export const responses = { 'openai-responses': '/responses' } as const;
export const completions = { 'openai-completions': '/completions' } as const;
export const messages = { 'anthropic-messages': '/messages' } as const;
export const generate = {
  'gemini-generate': {
    whole: '/models/{+model}:generateContent',
    stream: '/models/{+model}:streamGenerateContent?alt=sse',
  },
} as const;

export const modelsPath = '/models';

/** Servers that know the reply's limit by its older name and no developer turns: what most copies of the chat format are. */
export const olderChat = { limitIsMaxTokens: true, rejectsDeveloperRole: true } as const;
