/** Signed URLs are valid only as long as the token that they were made for. */

import type { TokenStanding } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';

export type StandingOf = (tokenId: string) => Promise<TokenStanding>;

export async function requireStanding(standingOf: StandingOf, tokenId: string): Promise<void> {
  const { refusal } = await standingOf(tokenId);
  if (refusal === undefined) return;
  throw new GatewayError('url_revoked', 'The token behind this URL is no longer valid.');
}
