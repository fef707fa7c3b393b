/** The token that this tab works with: pasted, or minted for the signed-in account and renewed before it ends. */

import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlaygroundTokenView } from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useSessionState } from '../../../session/session.tsx';
import type { PlaygroundToken } from '../playground-contract.ts';
import { isNearEnd, type KeptToken, keepToken, renewBeforeMs, usableToken } from './token-keep.ts';

export interface TokenState {
  readonly token: KeptToken | undefined;
  readonly mayMint: boolean;
  /** The signed-in account's own token is being created: no other is asked for. */
  readonly isComing: boolean;
  /** They asked for another token. */
  readonly isChoosing: boolean;
  paste(value: string): void;
  mint(): Promise<void>;
  /** Why none of their own could be made. */
  readonly error: unknown;
  choose(): void;
  forget(): void;
  /** Renewed where it is about to end. */
  fresh(): Promise<PlaygroundToken>;
}

async function minted(): Promise<KeptToken> {
  const { id, token, expiresAt } = await ask<PlaygroundTokenView>('/console/api/playground-token', { body: {} });
  return { id, value: token, kind: 'mine', expiresAtMs: Date.parse(expiresAt) };
}

export function useToken(): TokenState {
  const { session, isKnown } = useSessionState();
  const mayMint = session?.may('POST /console/api/playground-token') === true;
  const [token, setToken] = useState(() => usableToken(sessionStorage, Date.now()));
  const [isChoosing, setChoosing] = useState(false);
  const [error, setError] = useState<unknown>();
  const renewing = useRef<Promise<KeptToken>>(undefined);
  const set = useCallback((next: KeptToken | undefined) => {
    keepToken(sessionStorage, next);
    setToken(next);
    setError(undefined);
    if (next !== undefined) setChoosing(false);
  }, []);
  const mint = useCallback(async () => {
    // Several replies may find out at once that the token ends.
    renewing.current ??= minted().finally(() => {
      renewing.current = undefined;
    });
    const next = await renewing.current;
    set(next);
    return next;
  }, [set]);
  const fresh = useCallback(async (): Promise<PlaygroundToken> => {
    if (token === undefined) return { value: '', kind: 'pasted' };
    return token.kind === 'mine' && isNearEnd(token, Date.now()) ? mint() : token;
  }, [token, mint]);
  useEffect(() => {
    if (token?.expiresAtMs === undefined) return undefined;
    const waitMs = Math.max(0, token.expiresAtMs - Date.now() - renewBeforeMs);
    // A renewal that fails is told by the next request, which needs it.
    const timer = setTimeout(() => void mint().catch(() => undefined), waitMs);
    return () => clearTimeout(timer);
  }, [token, mint]);
  const isWanted = token === undefined && mayMint && !isChoosing && error === undefined;
  useEffect(() => {
    if (isWanted) void mint().catch(setError);
  }, [isWanted, mint]);
  return {
    token,
    mayMint,
    isComing: token === undefined && !isChoosing && (isWanted || !isKnown),
    isChoosing,
    error,
    paste: (value) => set({ value: value.trim(), kind: 'pasted' }),
    mint: async () => {
      await mint();
    },
    choose: () => setChoosing(true),
    forget: () => set(undefined),
    fresh,
  };
}
