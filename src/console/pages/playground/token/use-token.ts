/** The token that this tab works with: pasted, or minted for whoever is signed in and renewed before it ends. */

import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlaygroundTokenView } from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useSessionState } from '../../../session/session.tsx';
import type { PlaygroundToken } from '../playground-contract.ts';
import { isNearEnd, type KeptToken, keepToken, keptToken, renewBeforeMs } from './token-keep.ts';

export interface TokenState {
  readonly token: KeptToken | undefined;
  readonly mayMint: boolean;
  paste(value: string): void;
  mint(): Promise<void>;
  forget(): void;
  /** Renewed where it is about to end. */
  fresh(): Promise<PlaygroundToken>;
}

async function minted(): Promise<KeptToken> {
  const { id, token, expiresAt } = await ask<PlaygroundTokenView>('/console/api/playground-token', { body: {} });
  return { id, value: token, kind: 'mine', expiresAtMs: Date.parse(expiresAt) };
}

export function useToken(): TokenState {
  const { session } = useSessionState();
  const [token, setToken] = useState(() => keptToken(sessionStorage));
  const renewing = useRef<Promise<KeptToken>>(undefined);
  const set = useCallback((next: KeptToken | undefined) => {
    keepToken(sessionStorage, next);
    setToken(next);
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
  return {
    token,
    mayMint: session?.may('POST /console/api/playground-token') === true,
    paste: (value) => set({ value: value.trim(), kind: 'pasted' }),
    mint: async () => {
      await mint();
    },
    forget: () => set(undefined),
    fresh,
  };
}
