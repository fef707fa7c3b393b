/** The failures of the store that its callers distinguish, and how an error travels between threads. */

import { StoreUnavailableError } from '../../ledger/ledger-store.ts';

export { StoreUnavailableError } from '../../ledger/ledger-store.ts';

/** The database was written by a newer Weir; using it could destroy what that one keeps. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';

  static of(found: number, known: number): SchemaTooNewError {
    return new SchemaTooNewError(
      `The database has schema version ${found}, this Weir knows versions up to ${known}. Start a newer Weir, or restore a backup made before the upgrade.`,
    );
  }
}

/** Another process serves from this data folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

const kinds = { StoreUnavailableError, SchemaTooNewError, FolderInUseError } as const;

/** An error as it travels from the database's thread. */
export type CarriedError = readonly [name: string, message: string];

export function carryError(error: unknown): CarriedError {
  return error instanceof Error ? [error.name, error.message] : ['Error', String(error)];
}

export function revealError([name, message]: CarriedError): Error {
  if (Object.hasOwn(kinds, name)) return new kinds[name as keyof typeof kinds](message);
  const error = new Error(message);
  error.name = name;
  return error;
}
