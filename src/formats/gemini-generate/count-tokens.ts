/** The count of a request's tokens, in the content-generation format. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { InputCounting } from '../format.ts';
import { check } from './checks.ts';
import { said } from './wire.ts';

export const counting: InputCounting = {
  requestIn: countedRequest,
  check: (tree, bodyBytes, named) => check(countedRequest(tree), bodyBytes, named),
  addressFrom: (address) => address.replace(/:generateContent$/, ':countTokens'),
  readCount: (reply) => (isObject(reply) ? countOf(reply.totalTokens) : undefined),
  writeCount: (tokens) => ({ totalTokens: tokens }),
};

/** The body is either a whole request under one name or its contents alone; both are read and checked like a request. */
function countedRequest(body: Tree): Tree {
  const whole = said(body, 'generateContentRequest');
  return isObject(whole) ? whole : body;
}
