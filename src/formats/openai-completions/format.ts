/**
 * OpenAI Completions (legacy) as a format, put together for the relay; errors, keep-alives and edits are those of chat.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { givenMetadata, namedUser } from '../fit-user.ts';
import type { Format } from '../format.ts';
import { openaiChat, patch } from '../openai-chat/format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { fields } from './fields.ts';
import { needsOf } from './needs.ts';
import { CompletionTap, measureReply } from './tap.ts';

export const openaiCompletions: Format = {
  ...openaiChat,
  name: 'openai-completions',
  codec,
  fields,
  check,
  // The format has one name for the limit.
  patch: (tree, needs) => patch(tree, { ...needs, limitIsMaxTokens: false }),
  needs: needsOf,
  affinityOf,
  endUserOf: namedUser,
  metadataOf: givenMetadata,
  tap: (options) => new CompletionTap(options),
  measureReply,
  emptyReply: { choices: [] },
};
