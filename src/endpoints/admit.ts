/** Who calls and may they: the first step of every endpoint that needs a token. */

import type { Authenticator } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { type Carrier, readCredential } from '../access/credential.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';

export type Admit = (exchange: Exchange, endpoint: string, carriers: readonly Carrier[]) => Caller | Promise<Caller>;

export function createAdmit(authenticator: Authenticator): Admit {
  const permitted = (caller: Caller, endpoint: string): Caller => {
    if (caller.mayUseEndpoint(endpoint)) return caller;
    throw new GatewayError('endpoint_not_allowed', `This token may not call the endpoint \`${endpoint}\`.`);
  };
  return (exchange, endpoint, carriers) => {
    const credential = readCredential(exchange.request.headers, exchange.query, carriers);
    const caller = authenticator.authenticate(credential, () => exchange.address());
    return caller instanceof Promise ? caller.then((known) => permitted(known, endpoint)) : permitted(caller, endpoint);
  };
}
