/** Assembles invitations and second factors over one store. */

import { networkOf } from '../../access/address.ts';
import { createDigests } from '../../secrets/digests.ts';
import type { PurposeKeys } from '../../secrets/key-ring.ts';
import { type Purpose, purposes } from '../../secrets/purposes.ts';
import { createSealing } from '../../secrets/sealing.ts';
import { createSigning } from '../../secrets/signing.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Actor, Sessions } from '../accounts/sessions.ts';
import { createTryLimit } from '../accounts/try-limit.ts';
import { signInBounds } from '../contracts/account-contract.ts';
import { createFactors, type Factors } from './factors.ts';
import { createInvitations, type Invitations } from './invitations.ts';
import { createPasskeys } from './passkeys.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import { type Restriction, restrictionOf, type SecondFactorRule } from './restriction.ts';
import { createSecondFactor, type SecondFactor } from './second-factor.ts';
import { createTickets } from './tickets.ts';
import { createTotpFactor } from './totp-factor.ts';

interface FactorPartsOptions {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly audit: Audit;
  readonly keysFor: (purpose: Purpose) => PurposeKeys;
  /** Settings, which may change while Weir runs. */
  readonly signIn: { readonly secondFactor: SecondFactorRule };
  readonly nowMs: () => number;
}

export interface FactorParts {
  readonly invitations: Invitations;
  readonly factors: Factors;
  readonly secondFactor: SecondFactor;
  /** What the session has to do before it may do more. */
  restrictionOf(actor: Actor): Restriction | undefined;
  /** Removes what has expired. */
  tidy(): Promise<void>;
}

export function buildFactors(options: FactorPartsOptions): FactorParts {
  const { store, keysFor, nowMs } = options;
  const rule = (): SecondFactorRule => options.signIn.secondFactor;
  const tries = createTryLimit(store.signInTries, nowMs);
  const tickets = createTickets({
    signing: createSigning(keysFor(purposes.signInTickets)),
    used: store.factors,
    nowMs,
  });
  const totp = createTotpFactor({
    factors: store.factors,
    sealing: createSealing(keysFor(purposes.totpSecrets)),
    nowMs,
  });
  const recovery = createRecoveryCodes({
    factors: store.factors,
    digests: createDigests(keysFor(purposes.recoveryCodeDigests)),
  });
  const passkeys = createPasskeys({ factors: store.factors, tickets, nowMs });
  const { sessions, passwords, audit } = options;
  const shared = { accounts: store.accounts, factors: store.factors, totp, recovery, passkeys, tries, audit };
  const invitations = createInvitations({
    ...{ invitations: store.invitations, accounts: store.accounts, organization: store.organization },
    ...{ sessions, passwords, audit, tries, networkOf, nowMs },
    digests: createDigests(keysFor(purposes.invitationDigests)),
  });
  return {
    invitations,
    factors: createFactors({ ...shared, passwords, rule }),
    secondFactor: createSecondFactor({ ...shared, sessions, tickets, networkOf }),
    restrictionOf: (actor) => restrictionOf(actor, rule()),
    async tidy() {
      await invitations.tidy();
      await store.factors.expire(nowMs());
      await store.signInTries.expire(nowMs(), signInBounds.windowMs);
    },
  };
}
