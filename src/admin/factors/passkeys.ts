/** An account's passkeys: the options for the browser, and what is accepted from it. */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { FactorAddition, FactorStore, PasskeyRecord } from '../../store/factors/factor-store.ts';
import {
  factorBounds,
  type MadeCredential,
  type PasskeyCreationView,
  type PasskeyRequestView,
  type ShownCredential,
} from '../contracts/factor-contract.ts';
import { challengeOf, type Tickets, ticketOfChallenge } from './tickets.ts';
import { passkeyAlgorithms, type Site, verifyAssertion, verifyRegistration, WebAuthnError } from './webauthn.ts';

export interface Passkeys {
  /** For `navigator.credentials.create`. */
  creationOptions(account: AccountRecord, sessionId: string, site: Site): Promise<PasskeyCreationView>;
  /** `codes`: digests of recovery codes for an account that has none. */
  add(given: NewPasskey, site: Site, codes: readonly string[]): Promise<FactorAddition>;
  /** The account's passkeys that this site can ask for. */
  usableOf(accountId: string, site: Site): Promise<readonly PasskeyRecord[]>;
  /** The passkey that signed this ticket; its counter is written. Undefined where anything about it is wrong. */
  use(credential: ShownCredential, site: Site, expected: Expected): Promise<PasskeyRecord | undefined>;
}

interface NewPasskey {
  readonly account: AccountRecord;
  readonly sessionId: string;
  readonly name: string;
  readonly credential: MadeCredential;
}

interface Expected {
  readonly isTicket: (ticket: string) => Promise<boolean>;
  /** Without a password the authenticator has to check the person itself. */
  readonly userVerified: boolean;
}

const publicKey = 'public-key' as const;
const asCredential = ({ id }: Pick<PasskeyRecord, 'id'>) => ({ type: publicKey, id });

export function requestOptions(
  ticket: string,
  site: Site,
  passkeys: readonly PasskeyRecord[],
  userVerification: 'required' | 'preferred',
): PasskeyRequestView {
  return {
    challenge: challengeOf(ticket),
    rpId: site.rpId,
    timeout: factorBounds.ticketLifetimeMs,
    userVerification,
    allowCredentials: passkeys.map(asCredential),
  };
}

interface PasskeysOptions {
  readonly factors: FactorStore;
  readonly tickets: Tickets;
  readonly nowMs: () => number;
}

export function createPasskeys({ factors, tickets, nowMs }: PasskeysOptions): Passkeys {
  return {
    async creationOptions({ id, name }, sessionId, site) {
      const known = await factors.passkeysOf(id);
      return {
        challenge: challengeOf(tickets.issue('passkey-registration', [id, sessionId])),
        rp: { id: site.rpId, name: 'Weir' },
        user: { id: Buffer.from(id).toString('base64url'), name, displayName: name },
        pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: publicKey, alg })),
        timeout: factorBounds.ticketLifetimeMs,
        attestation: 'none',
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        excludeCredentials: known.filter(({ rpId }) => rpId === site.rpId).map(asCredential),
      };
    },
    async add({ account, sessionId, name, credential }, site, codes) {
      const made = registered(credential, site);
      const ticket = ticketOfChallenge(made.challenge);
      const [accountId, session] = (await tickets.read('passkey-registration', ticket)) ?? [];
      if (accountId !== account.id || session !== sessionId || !(await tickets.spend(ticket))) {
        throw credentialFault('the registration took too long or was used before; start again');
      }
      const passkey: PasskeyRecord = {
        id: made.id,
        accountId: account.id,
        rpId: site.rpId,
        publicKey: made.publicKey,
        algorithm: made.algorithm,
        counter: made.counter,
        name,
        createdAtMs: nowMs(),
      };
      return factors.addPasskey(passkey, factorBounds.passkeysMax, codes);
    },
    async usableOf(accountId, { rpId }) {
      return (await factors.passkeysOf(accountId)).filter((passkey) => passkey.rpId === rpId);
    },
    async use(credential, site, { isTicket, userVerified }) {
      const passkey = await factors.passkey(credential.id);
      if (passkey === undefined || passkey.rpId !== site.rpId) return undefined;
      const { userHandle } = credential.response;
      if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== passkey.accountId) return undefined;
      const shown = asserted(credential, site, passkey);
      if (shown === undefined || (userVerified && !shown.userVerified)) return undefined;
      if (!(await isTicket(ticketOfChallenge(shown.challenge)))) return undefined;
      return (await factors.usePasskey(passkey.id, shown.counter, nowMs())) ? passkey : undefined;
    },
  };
}

function asserted(credential: ShownCredential, site: Site, passkey: PasskeyRecord) {
  try {
    return verifyAssertion(credential, site, passkey);
  } catch (error) {
    if (error instanceof WebAuthnError) return undefined;
    throw error;
  }
}

function registered(credential: MadeCredential, site: Site) {
  try {
    return verifyRegistration(credential, site);
  } catch (error) {
    if (error instanceof WebAuthnError) throw credentialFault(error.message);
    throw error;
  }
}

export function credentialFault(reason: string): GatewayError {
  return new GatewayError('field_invalid', `credential: is not accepted: ${reason}`, { param: 'credential' });
}
