/** What people do with their own second factors, and what administrators do with those of others. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { AccountStore } from '../../store/accounts/account-store.ts';
import type { FactorStore, PasskeyRecord } from '../../store/factors/factor-store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { TryLimit } from '../accounts/try-limit.ts';
import { signInBounds } from '../contracts/account-contract.ts';
import {
  type AddedFactorView,
  beginFactorSchema,
  confirmTotpSchema,
  disableTotpSchema,
  type FactorsView,
  factorBounds,
  newPasskeySchema,
  newRecoveryCodesSchema,
  type PasskeyCreationView,
  type PasskeyView,
  type RecoveryCodesView,
  removePasskeySchema,
  type TotpEnrollmentView,
} from '../contracts/factor-contract.ts';
import { checked, withoutAbsent } from '../tokens/token-terms.ts';
import { credentialFault, type Passkeys } from './passkeys.ts';
import { qrPath } from './qr-code.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import { needsSecondFactor, type SecondFactorRule } from './restriction.ts';
import { base32, otpauthUri } from './totp.ts';
import type { TotpFactor } from './totp-factor.ts';
import type { Site } from './webauthn.ts';

interface FactorsOptions {
  readonly accounts: AccountStore;
  readonly factors: FactorStore;
  readonly totp: TotpFactor;
  readonly recovery: RecoveryCodes;
  readonly passkeys: Passkeys;
  readonly passwords: Passwords;
  readonly tries: TryLimit;
  readonly audit: Audit;
  readonly rule: () => SecondFactorRule;
}

/** Every change asks for the password: an unattended session must not become a way in that stays. */
export interface Factors {
  list(actor: Actor): Promise<FactorsView>;
  beginTotp(actor: Actor, input: unknown, site: Site): Promise<TotpEnrollmentView>;
  confirmTotp(actor: Actor, input: unknown): Promise<AddedFactorView>;
  /** With the password and a code, of the app or a recovery code. */
  disableTotp(actor: Actor, input: unknown): Promise<void>;
  passkeyOptions(actor: Actor, input: unknown, site: Site): Promise<PasskeyCreationView>;
  addPasskey(actor: Actor, input: unknown, site: Site): Promise<AddedFactorView>;
  removePasskey(actor: Actor, id: string, input: unknown): Promise<void>;
  /** The ones before stop working. */
  newRecoveryCodes(actor: Actor, input: unknown): Promise<RecoveryCodesView>;
  /** For a person who has lost them: how many factors there were. */
  removeOf(actor: Actor, accountId: string): Promise<number>;
}

export function createFactors(options: FactorsOptions): Factors {
  const { accounts, factors, totp, recovery, passkeys, passwords, tries, audit } = options;
  const subjectOf = ({ account }: Actor): string => `account:${account.id}`;
  const scopesOf = ({ account }: Actor) => [
    { name: `account:${account.id}`, triesMax: signInBounds.triesMax, paced: undefined },
  ];

  async function requirePassword(actor: Actor, password: string): Promise<void> {
    const scopes = scopesOf(actor);
    await tries.count(scopes);
    if (!(await passwords.verify(password, await accounts.passwordHash(actor.account.id)))) {
      throw new GatewayError('field_invalid', 'password: is not your password', { param: 'password' });
    }
    await tries.giveBack(scopes);
  }

  /** `right` uses the code up. */
  async function requireCode(actor: Actor, right: () => Promise<boolean>): Promise<void> {
    const scopes = scopesOf(actor);
    await tries.count(scopes);
    if (!(await right())) throw wrongCode();
    await tries.giveBack(scopes);
  }

  async function noted(actor: Actor, factor: 'totp' | 'passkey', outcome: string, codes: readonly string[]) {
    await audit.write(actor, { action: 'factor-add', subject: subjectOf(actor), detail: { factor } });
    return outcome === 'added-with-codes' ? { recoveryCodes: codes } : {};
  }

  return {
    async list({ account }) {
      const found = await factors.totp(account.id);
      const keys = await factors.passkeysOf(account.id);
      return withoutAbsent<FactorsView>({
        totp: found?.state === 'active' ? { createdAt: iso(found.createdAtMs) } : undefined,
        passkeys: keys.map(passkeyView),
        recoveryCodesLeft: await factors.countRecoveryCodes(account.id),
        required: needsSecondFactor(account, options.rule()),
      });
    },
    async beginTotp(actor, input, site) {
      await requirePassword(actor, checked(beginFactorSchema, input).password);
      const secret = await totp.begin(actor.account.id);
      if (secret === undefined) {
        throw new GatewayError('field_invalid', 'An authenticator app is set up. Remove it first.', { param: 'totp' });
      }
      const uri = otpauthUri(secret, actor.account.name, site.rpId);
      return { secret: base32(secret), uri, qr: qrPath(uri) };
    },
    async confirmTotp(actor, input) {
      const { code } = checked(confirmTotpSchema, input);
      const made = recovery.make();
      let outcome = '';
      await requireCode(actor, async () => {
        outcome = await totp.confirm(actor.account.id, code, made.digests);
        return outcome !== 'refused';
      });
      return noted(actor, 'totp', outcome, made.codes);
    },
    async disableTotp(actor, input) {
      const { password, code } = checked(disableTotpSchema, input);
      const { id } = actor.account;
      await requirePassword(actor, password);
      await requireCode(actor, async () => (await totp.use(id, code)) || (await recovery.use(id, code)));
      await factors.removeTotp(id);
      await audit.write(actor, { action: 'factor-remove', subject: subjectOf(actor), detail: { factor: 'totp' } });
    },
    async passkeyOptions(actor, input, site) {
      await requirePassword(actor, checked(beginFactorSchema, input).password);
      return passkeys.creationOptions(actor.account, actor.session.id, site);
    },
    async addPasskey(actor, input, site) {
      const { name, credential } = checked(newPasskeySchema, input);
      const made = recovery.make();
      const given = { account: actor.account, sessionId: actor.session.id, name, credential };
      const outcome = await passkeys.add(given, site, made.digests);
      if (outcome === 'refused') {
        throw credentialFault(`it is registered already, or you have ${factorBounds.passkeysMax} passkeys`);
      }
      return noted(actor, 'passkey', outcome, made.codes);
    },
    async removePasskey(actor, id, input) {
      await requirePassword(actor, checked(removePasskeySchema, input).password);
      if (!(await factors.removePasskey(id, actor.account.id))) {
        throw new GatewayError('not_found', 'Passkey not found.', { param: 'id' });
      }
      await audit.write(actor, { action: 'factor-remove', subject: subjectOf(actor), detail: { factor: 'passkey' } });
    },
    async newRecoveryCodes(actor, input) {
      await requirePassword(actor, checked(newRecoveryCodesSchema, input).password);
      const made = recovery.make();
      if (!(await factors.replaceRecoveryCodes(actor.account.id, made.digests))) {
        throw new GatewayError('field_invalid', 'Add an authenticator app or a passkey first.', { param: 'password' });
      }
      await audit.write(actor, { action: 'recovery-codes-create', subject: subjectOf(actor) });
      return { recoveryCodes: made.codes };
    },
    async removeOf(actor, accountId) {
      const account = await accounts.byId(accountId);
      if (account === undefined) throw new GatewayError('not_found', 'Account not found.', { param: 'id' });
      if (account.role === 'owner' && actor.account.role !== 'owner') {
        throw new GatewayError('role_not_allowed', 'Only an owner can change an owner.');
      }
      if (accountId === actor.account.id) {
        const message = 'id: to remove your own second factors, use Settings and your password';
        throw new GatewayError('field_invalid', message, { param: 'id' });
      }
      const count = await factors.removeAll(accountId);
      await audit.write(actor, {
        action: 'factor-remove',
        subject: `account:${accountId}`,
        detail: { factors: count },
      });
      return count;
    },
  };
}

function wrongCode(): GatewayError {
  return new GatewayError('field_invalid', 'code: is wrong, or was used before', { param: 'code' });
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

function passkeyView({ id, name, rpId, createdAtMs, lastUsedAtMs }: PasskeyRecord): PasskeyView {
  return withoutAbsent<PasskeyView>({
    id,
    name,
    host: rpId,
    createdAt: iso(createdAtMs),
    lastUsedAt: lastUsedAtMs === undefined ? undefined : iso(lastUsedAtMs),
  });
}
