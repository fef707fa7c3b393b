/** How tests call the admin API: with the generated client, and with every reply checked against its description. */

import { z } from 'zod';
import type { WeirAdminOptions } from '../../clients/typescript/weir-admin.ts';
import { describedRoutes } from '../../src/admin/description/described-routes.ts';
import type { KeyRouteName, RouteDescription } from '../../src/admin/description/route-description.ts';
import type { ConsoleClient } from './console-client.ts';
import type { RunningWeir } from './weir.ts';

type Access = (weir: RunningWeir, owner: ConsoleClient) => Promise<WeirAdminOptions>;

/** With an admin key of the owner. */
export const adminAccess: Access = async ({ url }, owner) => {
  const made = await owner.post('/admin-keys', { name: 'tests', role: 'owner' });
  return { url, key: (made.body as { key: string }).key };
};

const routes = (Object.entries(describedRoutes) as [KeyRouteName, RouteDescription][]).map(([name, description]) => {
  const [method = '', path = ''] = name.replace('/console/api', '').split(' ');
  const pattern = new RegExp(`^/(?:console/api|admin/v1)${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return { name, method, path, pattern, description };
});

type Fetch = NonNullable<WeirAdminOptions['fetch']>;

/** A path with a parameter also matches where a longer name is meant. */
function routeOf(url: string, method: string): (typeof routes)[number] {
  const { pathname } = new URL(url);
  const found = routes.filter((route) => route.method === method && route.pattern.test(pathname));
  const exact = found.find(({ path }) => pathname.endsWith(path)) ?? found[0];
  if (exact === undefined) throw new Error(`${method} ${pathname} is not described.`);
  return exact;
}

export interface CheckedFetch {
  readonly fetch: Fetch;
  /** The routes that replied with success. */
  readonly called: ReadonlySet<KeyRouteName>;
}

/** Throws where a body or a successful reply is not what the description says; unknown fields count. */
export function checkedFetch(send: Fetch): CheckedFetch {
  const called = new Set<KeyRouteName>();
  return {
    called,
    async fetch(url, init) {
      const { name, description } = routeOf(url, init.method ?? 'GET');
      const reply = await send(url, init);
      if (!reply.ok) return reply;
      if (description.body !== undefined) check(`${name} body`, description.body.schema, JSON.parse(String(init.body)));
      const bytes = await reply.arrayBuffer();
      const read = () => new Response(reply.status === 204 ? null : bytes, reply);
      await checkReply(name, description.reply, read());
      called.add(name);
      return read();
    },
  };
}

async function checkReply(name: string, described: RouteDescription['reply'], reply: Response): Promise<void> {
  if (described === undefined) {
    if (reply.status !== 204) throw new Error(`${name} is described without a reply and sent ${reply.status}.`);
    return;
  }
  const type = reply.headers.get('content-type')?.split(';', 1)[0] ?? '';
  if ('file' in described) {
    if (type === 'application/json' && described.rows !== undefined) {
      check(name, z.array(described.rows), await reply.json());
    } else if (!(type in described.file)) throw new Error(`${name} sent ${type}, which is not described.`);
    return;
  }
  check(name, described.schema, await reply.json());
}

function check(name: string, schema: z.ZodType, value: unknown): void {
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw new Error(`${name} is not as described:\n${z.prettifyError(error)}`);
}
