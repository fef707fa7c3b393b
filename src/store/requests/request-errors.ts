/** Why attempts failed and requests were refused, as the store keeps it. */

import type { RequestError } from '../../ledger/ledger.ts';
import type { Driver } from '../sql/driver.ts';
import { addRequestErrors, errorsOfRequest, errorsPerReading, messagesSent } from './request-error-queries.ts';

export interface RequestErrorStore {
  insertMany(rows: readonly RequestError[]): Promise<void>;
  /** In the order of its attempts; the error that the client was sent comes first. */
  ofRequest(requestId: string): Promise<readonly RequestError[]>;
  /** The error messages that clients were sent, by request; those that succeeded are left out. */
  messagesOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Two statements for any number of rows. */
const rowsPerStatement = 16;

export function requestErrorStore(driver: Driver): RequestErrorStore {
  return {
    async insertMany(rows) {
      for (let from = 0; from < rows.length; ) {
        const size = rows.length - from >= rowsPerStatement ? rowsPerStatement : 1;
        await driver.run(addRequestErrors, rows.slice(from, from + size));
        from += size;
      }
    },
    ofRequest: (requestId) => driver.run(errorsOfRequest, requestId),
    async messagesOf(requestIds) {
      const messages = new Map<string, string>();
      for (let from = 0; from < requestIds.length; from += errorsPerReading) {
        const found = await driver.run(messagesSent, requestIds.slice(from, from + errorsPerReading));
        for (const [requestId, message] of found) messages.set(requestId, message);
      }
      return messages;
    },
  };
}
