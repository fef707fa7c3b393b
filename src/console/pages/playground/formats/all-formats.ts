/** The four formats by name. */

import type { FormatName } from '../conversation/conversation.ts';
import { chat } from './chat.ts';
import type { FormatAdapter } from './format-adapter.ts';
import { generate } from './generate.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

export const formats: Readonly<Record<FormatName, FormatAdapter>> = { chat, messages, responses, generate };
