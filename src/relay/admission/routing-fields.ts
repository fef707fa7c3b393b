/** Fields of a body that are routing options for Weir itself: no provider gets them. */

import { editBody, type JsonBody } from '../../http/json/json-body.ts';

const withoutThem: ReadonlyMap<string, undefined> = new Map([
  ['provider', undefined],
  ['models', undefined],
]);

export function withoutRoutingFields(body: JsonBody): JsonBody {
  return 'provider' in body.tree || 'models' in body.tree ? editBody(body, withoutThem) : body;
}
