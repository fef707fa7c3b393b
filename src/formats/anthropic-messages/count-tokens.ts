/** `count_tokens` of the messages format: the same conversation without a limit for the reply, answered by one number. */

import { countOf, isObject } from '../../conversation/json-tree.ts';
import type { InputCounting } from '../format.ts';
import { checkConversation } from './checks.ts';

export const counting: InputCounting = {
  requestIn: (tree) => tree,
  check: (tree, bodyBytes) => checkConversation(tree, bodyBytes),
  addressFrom: (address) => `${address}/count_tokens`,
  readCount: (reply) => (isObject(reply) ? countOf(reply.input_tokens) : undefined),
  writeCount: (tokens) => ({ input_tokens: tokens }),
};
