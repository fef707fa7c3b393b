/** The count of a request's tokens, in the responses format: the same body, answered by one number. */

import { countOf, isObject } from '../../conversation/json-tree.ts';
import type { InputCounting } from '../format.ts';
import { check } from './checks.ts';

export const counting: InputCounting = {
  requestIn: (tree) => tree,
  check: (tree, bodyBytes) => check(tree, bodyBytes),
  addressFrom: (address) => `${address}/input_tokens`,
  readCount: (reply) => (isObject(reply) ? countOf(reply.input_tokens) : undefined),
  writeCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};
