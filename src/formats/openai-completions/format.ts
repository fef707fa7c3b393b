/** The legacy completion format, put together for the relay. Errors, keep-alives and edits are those of the chat format. */

import type { Format } from '../format.ts';
import { openaiChat, patch } from '../openai-chat/format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { needsOf } from './needs.ts';
import { CompletionTap, measureReply } from './tap.ts';

export const openaiCompletions: Format = {
  ...openaiChat,
  name: 'openai-completions',
  codec,
  check,
  // The format has one name for the limit.
  patch: (tree, needs) => patch(tree, { ...needs, limitIsMaxTokens: false }),
  needs: needsOf,
  affinityOf,
  tap: (options) => new CompletionTap(options),
  measureReply,
};
