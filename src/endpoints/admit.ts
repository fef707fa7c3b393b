/** Who calls and may they: the first step of every endpoint that needs a token. */

import type { Authenticator } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { type Carrier, type HeaderReader, readCredential } from '../access/credential.ts';
import { GatewayError } from '../conversation/gateway-error.ts';

/** What is asked of whoever comes in: an exchange has it, and so has a socket that is asked again. */
export interface Knock {
  readonly request: { readonly headers: HeaderReader };
  readonly query: string;
  address(): string;
}

export type Admit = (exchange: Knock, endpoint: string, carriers: readonly Carrier[]) => Caller | Promise<Caller>;

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
