/** Whom and what a request names to be counted by: its end user, and its tags. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import { signedUser, signedUserHeader } from './signed-user.ts';

/** The settings, as they are now. */
export interface NamingRules {
  /** Headers that name the end user; the first one present counts. */
  readonly endUserHeaders: readonly string[];
  /** Of the signed header that names the end user before all others; absent where none is asked for. */
  readonly endUserJwtSecret?: string | undefined;
  /** Keys of `metadata` that become tags. */
  readonly tagsFromMetadata: readonly string[];
}

const tagsHeader = 'x-weir-tags';
const tagsMax = 10;
const tagLengthMax = 64;

/** A signed header counts before the others, and they before what the body names. Throws where it is not valid. */
export function endUserIn(
  headers: RequestHeaders,
  rules: NamingRules,
  ofBody: string | undefined,
  nowMs: number,
): string | undefined {
  const { endUserHeaders: names, endUserJwtSecret: secret } = rules;
  const signed = secret === undefined ? null : headers.get(signedUserHeader);
  if (secret !== undefined && signed !== null) return signedUser(signed, secret, nowMs);
  for (let index = 0; index < names.length; index++) {
    const named = headers.get(names[index] ?? '');
    if (named !== null && named !== '') return named;
  }
  return ofBody === '' ? undefined : ofBody;
}

/** At most ten of 64 characters each; undefined where there are none, which is usual. */
export function tagsIn(
  headers: RequestHeaders,
  rules: NamingRules,
  metadata: Tree | undefined,
): readonly string[] | undefined {
  const given = headers.get(tagsHeader);
  const wanted = metadata === undefined ? [] : rules.tagsFromMetadata;
  if (given === null && wanted.length === 0) return undefined;
  const tags = new Set<string>();
  for (const tag of given?.split(',') ?? []) add(tags, tag);
  for (const key of wanted) {
    const value = metadata?.[key];
    if (typeof value === 'string' && value !== '') add(tags, `${key}:${value}`);
  }
  return tags.size === 0 ? undefined : [...tags];
}

function add(tags: Set<string>, text: string): void {
  const tag = text.replaceAll(',', ' ').trim().slice(0, tagLengthMax).trim();
  if (tag !== '' && tags.size < tagsMax) tags.add(tag);
}
