/** The error of a caller who may not use an endpoint: it names the level that does not allow it. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Caller } from '../caller.ts';
import { levelRefusing } from '../terms.ts';
import { levelName } from './levels.ts';

export function endpointNotAllowed({ levels, tokenId }: Caller, endpoint: string): GatewayError {
  const level = levelRefusing(levels, 'endpoints', endpoint);
  const whose =
    level === undefined || level.id === tokenId ? '' : `: the ${levelName(level, tokenId)} does not allow it`;
  return new GatewayError(
    'endpoint_not_allowed',
    `This token is not allowed to call the endpoint \`${endpoint}\`${whose}.`,
  );
}
