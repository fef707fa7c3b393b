/** A top-level field of a body whose numbers print as they were spelled, however many digits they have. */

import { parseExact } from '../../conversation/exact-json.ts';
import { utf8Text } from '../../conversation/texts/utf8-text.ts';
import type { JsonBody } from '../../http/json/json-body.ts';

export function exactField({ bytes, fields, tree }: JsonBody, field: string): unknown {
  const range = fields?.get(field);
  return range === undefined ? tree[field] : parseExact(utf8Text(bytes, range.start, range.end));
}
