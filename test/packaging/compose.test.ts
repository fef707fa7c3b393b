/** The compose file as data, and its nginx configuration as the real nginx reads it, before a draining and a serving Weir. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needing } from '../harness/needs.ts';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const deploy = join(import.meta.dir, '../../deploy');
const nginxText = readFileSync(join(deploy, 'nginx.conf'), 'utf8');
const file = Bun.YAML.parse(readFileSync(join(deploy, 'compose.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: { readonly front: { readonly ipam: { readonly config: readonly { subnet: string }[] } } };
  readonly volumes: Readonly<Record<string, null>>;
};
const services = Object.entries(file.services);
const replicas = services.filter(([name]) => name.startsWith('weir-')).map(([, service]) => service);
const addressOf = ({ networks }: Service): string | undefined =>
  'front' in networks ? networks.front?.ipv4_address : undefined;

describe('the compose file', () => {
  test('every service has a read-only root, no rights, and a health check or an end', () => {
    for (const [name, service] of services) {
      expect([name, service.read_only, service.cap_drop]).toEqual([name, true, ['ALL']]);
      expect(service.security_opt).toContain('no-new-privileges:true');
      expect(name === 'migrate' || (service.healthcheck?.test?.length ?? 0) > 0).toBe(true);
    }
  });

  test('no value is a secret: each is a reference to a variable that must be set', () => {
    for (const [, { environment = {} }] of services)
      for (const [name, value] of Object.entries(environment))
        if (/PASSWORD|SECRET|DATABASE_URL/.test(name)) expect(value).toMatch(/\$\{\w+:[?-]/);
    const sample = readFileSync(join(deploy, 'secrets.example.env'), 'utf8');
    expect(sample).toMatch(/^POSTGRES_PASSWORD=$/m);
    expect(sample).toMatch(/^WEIR_SECRET_KEY=$/m);
  });

  test('nginx has the addresses of both replicas, which trust its own alone', () => {
    expect(replicas.length).toBe(2);
    const servers = [...nginxText.matchAll(/^\s*server ([\d.]+):8787/gm)].map(([, address]) => address);
    expect(servers).toEqual(replicas.map(addressOf) as string[]);
    const nginx = file.services['nginx'];
    for (const { environment } of replicas)
      expect(environment?.['WEIR_SERVER_TRUSTED_PROXIES']).toBe(`${nginx && addressOf(nginx)}/32`);
    const [{ subnet = '' } = {}] = file.networks.front.ipam.config;
    const network = subnet.replace(/0\/24$/, '');
    expect(servers.every((address = '') => address.startsWith(network))).toBe(true);
  });

  test('replicas start after the schema was migrated, and may finish their requests', () => {
    for (const { depends_on, stop_grace_period } of replicas) {
      expect(depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
      expect(stop_grace_period).toBe('75s');
    }
  });

  test('only nginx has a port, and the database is reached from Weir alone', () => {
    expect(services.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name)).toEqual(['nginx']);
    for (const name of ['postgres', 'redis']) expect(file.services[name]?.networks).toEqual(['back']);
  });

  test('every named volume is declared', () => {
    const named = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));
    expect(named.filter((name) => !name.startsWith('.')).sort()).toEqual(Object.keys(file.volumes).sort());
  });
});

const nginx = needing('nginx');

nginx.describe('its nginx', () => {
  const program = Bun.which('nginx') ?? '/usr/sbin/nginx';
  const folder = mkdtempSync(join(tmpdir(), 'weir-compose-'));
  let weir: RunningWeir;
  let draining: Bun.Server<undefined>;
  let drained = 0;
  let running: Bun.Subprocess | undefined;
  let url = '';
  beforeAll(async () => {
    weir = await startWeir();
    // A Weir that shuts down, as a kept connection sees it.
    draining = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        await request.text();
        drained++;
        return Response.json({ error: { code: 'shutting_down' } }, { status: 503, headers: { connection: 'close' } });
      },
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const text = nginxText
      // In the container every process of nginx has the same user; root would give its workers another one.
      .replace('daemon off;', process.getuid?.() === 0 ? 'daemon off; user root;' : 'daemon off;')
      .replaceAll('/tmp/', `${folder}/`)
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('worker_processes auto', 'worker_processes 1')
      .replace(/server 172\.30\.87\.11:8787 .*;/, `server 127.0.0.1:${draining.port} max_fails=0;`)
      .replace('172.30.87.12:8787', new URL(weir.url).host);
    await Bun.write(join(folder, 'nginx.conf'), text);
    running = Bun.spawn([program, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], { stderr: 'ignore' });
    const answers = async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200;
    await until(answers, 60_000, 'nginx');
  }, 300_000);
  afterAll(async () => {
    running?.kill();
    await running?.exited;
    await draining?.stop(true);
    await weir?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  nginx.test('accepts the file, with another folder for what it writes', async () => {
    const path = join(folder, 'whole.conf');
    await Bun.write(path, nginxText.replaceAll('/tmp/', `${folder}/`));
    const checked = Bun.spawnSync([program, '-t', '-e', 'stderr', '-c', path]);
    expect(checked.stderr.toString()).toContain('test is successful');
  });

  nginx.test('sends what a draining replica refused to the other one, and streams the reply', async () => {
    const before = drained;
    const send = async (content: string): Promise<[number, boolean]> => {
      const reply = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox-chat', stream: true, messages: [{ role: 'user', content }] }),
      });
      return [reply.status, (await reply.text()).includes('[DONE]')];
    };
    const small = await Promise.all(Array.from({ length: 6 }, (_, at) => send(`What is ${at}*7?`)));
    // Larger than what nginx keeps in memory.
    const large = await Promise.all([send('x'.repeat(1_500_000)), send('y'.repeat(1_500_000))]);
    expect([...small, ...large]).toEqual(Array.from({ length: 8 }, () => [200, true]));
    expect(drained).toBeGreaterThan(before);
  });
});
