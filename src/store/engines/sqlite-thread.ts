/** Starts the thread of a SQLite connection. It takes as long to start as the configuration takes to read. */

import { threadUrl } from '../../program/places.ts';

export const startSqliteThread = (): Worker => new Worker(threadUrl('store/engines/sqlite-worker.ts'));
