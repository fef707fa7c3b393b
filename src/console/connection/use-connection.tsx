/** The page's connection, for every component that shows whether Weir can be reached. */

import { createContext, use, useSyncExternalStore } from 'react';
import type { Connection } from './connection.ts';

const ConnectionContext = createContext<Connection | undefined>(undefined);

export const ConnectionProvider = ConnectionContext.Provider;

export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (connection === undefined) throw new Error('No connection was provided.');
  return connection;
}

export function useIsLost(): boolean {
  const { subscribe, isLost } = useConnection();
  return useSyncExternalStore(subscribe, isLost);
}
