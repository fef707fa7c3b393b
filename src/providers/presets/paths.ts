/** The paths that the chat-format presets share, so that a row of a table says only what is its own. */

import type { Auth } from '../provider.ts';

export const bearer: Auth = { style: 'bearer' };

export const chat = { 'openai-chat': '/chat/completions' } as const;
export const responses = { 'openai-responses': '/responses' } as const;
export const completions = { 'openai-completions': '/completions' } as const;
export const messages = { 'anthropic-messages': '/messages' } as const;

export const modelsPath = '/models';
