/** Mistakes and circumstances that an operator can fix: a sentence helps, a stack trace does not. */

import { ConfigError } from '../config/problem.ts';
import { ListenError } from '../http/listener.ts';
import { RedisFault } from '../store/redis/redis-address.ts';
import { SecretKeyError } from '../store/secret-keys/secret-key.ts';
import { FolderInUseError, SchemaTooNewError, StoreUnavailableError } from '../store/sql/store-errors.ts';
import { WorkersError } from '../workers/workers-error.ts';

const plainErrors = [
  ConfigError,
  ListenError,
  FolderInUseError,
  SchemaTooNewError,
  StoreUnavailableError,
  SecretKeyError,
  RedisFault,
  WorkersError,
] as const;

export function isPlain(error: unknown): error is Error {
  return plainErrors.some((kind) => error instanceof kind);
}
