/** The connection of this page: checked again as soon as the page is seen or the network changes. */

import { reachWeir } from '../api/reach-weir.ts';
import { type Connection, createConnection } from './connection.ts';

export function connectionOf(page: Window): Connection {
  const connection = createConnection({
    reach: reachWeir,
    isSeen: () => page.document.visibilityState === 'visible',
    nowMs: () => performance.now(),
  });
  for (const event of ['online', 'offline'] as const) page.addEventListener(event, () => void connection.check());
  page.document.addEventListener('visibilitychange', () => {
    if (page.document.visibilityState === 'visible') void connection.check();
  });
  connection.watch();
  return connection;
}
