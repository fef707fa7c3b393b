/** new-api with SQLite: set up over its own admin API. https://docs.newapi.pro/en/api (read 2026-11-16). */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { freePort, temporaryFolder } from '../targets.ts';
import { type Peer, peerModel, startServer, upstreamKey, versionAt } from './peer.ts';

const account = { username: 'root', password: 'bench-password' };
const openaiChannel = 1;

interface Reply {
  readonly success?: boolean;
  readonly message?: string;
  readonly data?: { readonly id?: number; readonly access_token?: string; readonly user?: { readonly id?: number } };
}

type Headers = Readonly<Record<string, string>>;

async function post(port: number, path: string, body: unknown, headers: Headers = {}) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await reply.json()) as Reply;
  if (answer.success !== true) throw new Error(`${path} answered ${reply.status}: ${answer.message ?? ''}`);
  return { data: answer.data, cookies: reply.headers.getSetCookie() };
}

/** Older versions know an administrator by a cookie and an id, newer ones by an access token. */
async function logIn(port: number): Promise<Headers> {
  const { data, cookies } = await post(port, '/api/user/login', account);
  return {
    cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; '),
    'new-api-user': `${data?.id ?? data?.user?.id ?? ''}`,
    ...(data?.access_token !== undefined && { authorization: `Bearer ${data.access_token}` }),
  };
}

async function setUp(port: number, upstreamPort: number): Promise<void> {
  const modes = { SelfUseModeEnabled: true, DemoSiteEnabled: false };
  await post(port, '/api/setup', { ...account, confirmPassword: account.password, ...modes });
  const administrator = await logIn(port);
  const channel = {
    name: 'bench',
    type: openaiChannel,
    key: upstreamKey,
    base_url: `http://127.0.0.1:${upstreamPort}`,
    models: peerModel,
    group: 'default',
  };
  await post(port, '/api/channel/', { mode: 'single', channel }, administrator);
  const token = { name: 'bench', unlimited_quota: true, expired_time: -1 };
  await post(port, '/api/token/', token, administrator);
}

/** The admin API masks keys. */
function keyIn(file: string): string {
  const database = new Database(file, { readonly: true });
  try {
    const row = database.query<{ key: string }, []>('SELECT "key" FROM tokens').get();
    if (row === null) throw new Error('no token was created');
    return `sk-${row.key.trim()}`;
  } finally {
    database.close();
  }
}

export const newApi: Peer = {
  name: 'new-api',
  option: 'new-api',
  find: () => Bun.which('new-api') ?? undefined,
  async start(path, upstreamPort) {
    const folder = temporaryFolder('weir-bench-new-api-');
    const port = await freePort();
    const file = join(folder, 'new-api.db');
    const target = await startServer('new-api', {
      command: [path, '--port', `${port}`, '--log-dir', folder],
      environment: {
        SQLITE_PATH: `${file}?_busy_timeout=30000`,
        SESSION_SECRET: 'weir-bench-session',
        GIN_MODE: 'release',
        GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      },
      folder,
      port,
      healthPath: '/api/status',
    });
    try {
      await setUp(port, upstreamPort);
      const pick = (reply: unknown) => (reply as { data?: { version?: string } }).data?.version;
      const version = await versionAt(port, '/api/status', pick);
      return { target: { ...target, token: keyIn(file) }, version };
    } catch (error) {
      await target.stop();
      throw error;
    }
  },
};
