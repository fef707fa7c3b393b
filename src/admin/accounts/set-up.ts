/** The first start: a one-time link for the person who comes first, or the operator's own password. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { AccountStore, AuditStore, SetUpStore } from '../../store/accounts/account-store.ts';
import type { Store } from '../../store/store.ts';
import { setUpLinkLifetimeMs } from '../contracts/account-contract.ts';
import { newAccountRecord } from './accounts.ts';
import { createAudit } from './audit.ts';
import { nameKeyOf } from './name-key.ts';
import type { Passwords } from './passwords.ts';
import { randomText } from './sessions.ts';

interface FirstStartOptions {
  readonly accounts: AccountStore;
  readonly sessions: Pick<Store['sessions'], 'revokeOf'>;
  readonly setUp: SetUpStore;
  readonly factors: Pick<Store['factors'], 'removeAll'>;
  readonly settings: Pick<Store['settings'], 'get' | 'put'>;
  readonly audit: AuditStore;
  readonly passwords: Passwords;
  readonly digests: Pick<Digests, 'of'>;
  readonly nowMs: () => number;
}

/** The account that the operator's password is for. */
const operatorName = 'admin';
/**
 * The hash of the operator's password that was applied last: only a changed password is applied, a
 * restart changes nothing.
 */
const appliedKey = 'admin.password';

/** A code for the set-up link, where set-up is still to be done. */
export async function openSetUp({
  setUp,
  digests,
  nowMs,
}: Pick<FirstStartOptions, 'setUp' | 'digests' | 'nowMs'>): Promise<string | undefined> {
  if (await setUp.isDone()) return undefined;
  const code = randomText();
  await setUp.addLink(digests.of(code), nowMs(), nowMs() + setUpLinkLifetimeMs);
  return code;
}

/**
 * Makes the operator's password that of the account `admin`, an owner: at the first start, and whenever the operator
 * sets another one, which also restores access after a forgotten password or a lost second factor. A password that was changed in the console
 * since stays until then.
 */
export async function applyOperatorPassword(options: FirstStartOptions, password: string): Promise<void> {
  const { accounts, setUp, settings, passwords, nowMs } = options;
  const applied = await settings.get(appliedKey);
  if (applied !== undefined && (await passwords.verify(password, applied)) && (await setUp.isDone())) return;
  const passwordHash = await passwords.hash(password);
  const fresh = newAccountRecord({ name: operatorName, role: 'owner', passwordHash, atMs: nowMs() });
  if (!(await setUp.complete(fresh)) && !(await accounts.insert(fresh))) await takeOver(options, passwordHash);
  await settings.put(appliedKey, passwordHash);
  const client = { address: '', agent: '' };
  const doer = { accountName: 'WEIR_ADMIN_PASSWORD', client };
  await createAudit({ table: options.audit, nowMs }).write(doer, {
    action: 'password-reset',
    subject: `account:${operatorName}`,
  });
}

/** A person who may set the variable may do anything on this machine, so the account becomes an enabled owner again. */
async function takeOver(
  { accounts, sessions, factors, nowMs }: FirstStartOptions,
  passwordHash: string,
): Promise<void> {
  const found = await accounts.byName(nameKeyOf(operatorName));
  if (found === undefined) throw new GatewayError('internal_error', 'The administrator account could not be created.');
  const { id } = found.account;
  await accounts.setPassword(id, passwordHash, nowMs());
  await accounts.update(id, { role: 'owner', disabledAtMs: 0 });
  await factors.removeAll(id);
  await sessions.revokeOf(id, nowMs());
}
