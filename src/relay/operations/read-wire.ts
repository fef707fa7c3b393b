/** Reads a provider's whole reply to an operation; JSON is parsed. */

import { utf8Text } from '../../conversation/texts/utf8-text.ts';
import type { WireReply } from '../../operations/wire.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { RelayParts } from '../relay-parts.ts';
import { isJsonType } from '../replies/content-types.ts';

/** JSON is parsed where the provider says that it is JSON; broken JSON is a broken reply. */
export async function readWire(
  parts: Pick<RelayParts, 'limits'>,
  upstream: UpstreamReply,
  contentType: string,
  address: string,
  /** Only for the reply of the attempt itself, which gives it back when it ends. */
  room?: RelayParts['replyRoom'],
): Promise<WireReply> {
  const bytes = await upstream.whole(parts.limits.replyBytesMax, 0, room);
  if (!isJsonType(contentType)) return { contentType, tree: undefined, bytes, address };
  return { contentType, tree: JSON.parse(utf8Text(bytes)), bytes, address };
}
