/** Every wire format by its name. */

import { anthropicMessages } from './anthropic-messages/format.ts';
import { cohereChat } from './cohere-chat/format.ts';
import type { Format, FormatName } from './format.ts';
import { geminiGenerate } from './gemini-generate/format.ts';
import { openaiChat } from './openai-chat/format.ts';
import { openaiCompletions } from './openai-completions/format.ts';
import { openaiResponses } from './openai-responses/format.ts';

export const formats: Readonly<Record<FormatName, Format>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-completions': openaiCompletions,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'cohere-chat': cohereChat,
};
