/** The token of a JWT's subject: its limits come from the rules of the issuer, and it has no secret. */

import { isJwtToken } from '../../access/jwt-source.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

/** Throws where the fields of such a token are decided by the rules; only `disabled` is not. */
export function requireUnruled(tokenId: string, fields: readonly string[]): void {
  const field = fields.find((each) => each !== 'disabled');
  if (field === undefined || !isJwtToken(tokenId)) return;
  const message = `${field}: comes from the rules of the JWT issuer; change them in weir.yaml`;
  throw new GatewayError('field_invalid', message, { param: field });
}

export function requireSecret(tokenId: string): void {
  if (!isJwtToken(tokenId)) return;
  const message = 'This token belongs to the subject of a JWT and has no secret. Nothing can be rotated.';
  throw new GatewayError('field_invalid', message, { param: 'id' });
}
