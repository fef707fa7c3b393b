/** Limits failed tries: to sign in, to use a one-time link, to enter a code. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { SignInTryStore } from '../../store/accounts/account-store.ts';
import { signInBounds } from '../contracts/account-contract.ts';

export interface TryScope {
  readonly name: string;
  readonly triesMax: number;
  /** What is still let through beyond that, one at a time. Undefined: nothing until the window is over, so never for others too. */
  readonly paced: string | undefined;
}

/** All who share a network share this, a stranger behind the same proxy too: it is never locked. */
export function networkScope(kind: string, network: string, triesMax: number): TryScope {
  return { name: `${kind}:${network}`, triesMax, paced: `pace:${kind}:${network}` };
}

export interface TryLimit {
  /** Throws where one of the scopes has no try left. */
  count(scopes: readonly TryScope[]): Promise<void>;
  /** The try was successful. */
  giveBack(scopes: readonly TryScope[]): Promise<void>;
}

/** Each try counts until it turns out to be right, so that parallel tries do not exceed the limit. */
export function createTryLimit(tries: SignInTryStore, nowMs: () => number): TryLimit {
  return {
    async count(scopes) {
      for (const { name, triesMax, paced } of scopes) {
        const atMs = nowMs();
        const counted = await tries.count(name, atMs, signInBounds.windowMs);
        if (counted.tries <= triesMax) continue;
        if (paced === undefined) throw limited(counted.startedAtMs + signInBounds.windowMs - atMs);
        const paceMs = paceOf(counted.tries - triesMax);
        const slot = await tries.count(paced, atMs, paceMs);
        if (slot.tries > 1) throw limited(slot.startedAtMs + paceMs - atMs);
      }
    },
    async giveBack(scopes) {
      for (const { name } of scopes) await tries.giveBack(name);
    },
  };
}

/** One try in so much time. */
function paceOf(triesBeyond: number): number {
  const { paceMsMin, paceMsMax, triesPerPace } = signInBounds;
  return Math.min(paceMsMax, paceMsMin * 2 ** Math.floor(triesBeyond / triesPerPace));
}

function limited(waitMs: number): GatewayError {
  const retryAfterMs = Math.max(1_000, waitMs);
  const isLong = retryAfterMs > 60_000;
  const count = Math.ceil(retryAfterMs / (isLong ? 60_000 : 1_000));
  const unit = `${isLong ? 'minute' : 'second'}${count === 1 ? '' : 's'}`;
  return new GatewayError('sign_in_limited', `Too many failed sign-ins. Try again in ${count} ${unit}.`, {
    retryAfterMs,
  });
}
