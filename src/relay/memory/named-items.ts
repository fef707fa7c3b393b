/** Puts items that Weir wrote, and that a request names by their ids, into the request itself. */

import { referencesMax } from '../../conversation/references/find-references.ts';
import type { ReplyMemory } from '../../formats/format.ts';
import { editBody, type JsonBody } from '../../http/json/json-body.ts';
import { exactField } from '../lanes/exact-field.ts';
import type { ItemMemo } from './item-memo.ts';

/** The same body where none of them is known, or so many are named that the request is refused. */
export async function withItems(
  memo: ItemMemo,
  tokenId: string,
  memory: ReplyMemory,
  ids: readonly string[],
  body: JsonBody,
): Promise<JsonBody> {
  if (ids.length > referencesMax) return body;
  const found = await memo.find(tokenId, ids);
  if (found.size === 0) return body;
  const items = new Map(Array.from(found, ([id, text]) => [id, JSON.parse(text) as unknown]));
  const { turnsField } = memory;
  const turns = memory.withItems(exactField(body, turnsField), items);
  return editBody(body, new Map([[turnsField, JSON.stringify(turns)]]));
}
