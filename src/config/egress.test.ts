/** Proxies and certificates: where they come from, what is refused at the start, and that no password is ever shown. */

import { describe, expect, test } from 'bun:test';
import { loadConfig } from './load.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const password = 'proxy-pass-Zq7';

function load(environment: Record<string, string>, file?: object, files: Readonly<Record<string, string>> = {}) {
  const all: Record<string, string> = { ...files };
  if (file !== undefined) all['/srv/weir.yaml'] = JSON.stringify(file);
  return loadConfig({ environment, readFile: (path) => all[path], workingFolder: '/srv' });
}

function mistakes(...given: Parameters<typeof load>): string {
  try {
    load(...given);
  } catch (error) {
    return String(error);
  }
  throw new Error('it was accepted');
}

describe('the proxy', () => {
  test('comes from its own setting, before the usual variables', () => {
    const usual = { HTTPS_PROXY: 'http://s.example:1', HTTP_PROXY: 'p.example:2', NO_PROXY: 'a.example, 10.0.0.0/8' };
    expect(load(usual).egress).toMatchObject({
      proxy: { https: 'http://s.example:1', http: 'http://p.example:2' },
      noProxy: ['a.example', '10.0.0.0/8'],
    });
    const own = load({ ...usual, WEIR_EGRESS_PROXY: 'https://own.example/' }).egress.proxy;
    expect(own).toEqual({ https: 'https://own.example', http: 'https://own.example' });
    expect(load({ HTTPS_PROXY: '' }, { egress: { proxy: 'http://f.example:3' } }).egress.proxy.https).toBe(
      'http://f.example:3',
    );
  });

  test('may be written in small letters', () => {
    const { proxy, noProxy } = load({
      https_proxy: 'http://small.example:1',
      HTTPS_PROXY: 'http://x',
      no_proxy: '*',
    }).egress;
    expect([proxy.https, proxy.http, noProxy]).toEqual(['http://small.example:1', undefined, ['*']]);
  });

  test('may be one provider’s own, or none', () => {
    const base = { kind: 'openai-chat', base_url: 'http://10.0.0.1/v1' };
    const { providers } = load(
      {},
      {
        providers: {
          a: { ...base, proxy: 'none' },
          b: { ...base, proxy: `http://u:${password}@p.example:3128` },
          c: base,
        },
      },
    );
    expect(providers.map(({ proxy }) => proxy)).toEqual(['none', `http://u:${password}@p.example:3128`, undefined]);
  });

  test.each([
    ['socks5://', `socks5://u:${password}@p.example:1080`],
    ['a path', `http://u:${password}@p.example/way`],
    ['no host', `http://u:${password}@`],
    ['a port that is none', `u:${password}@p.example:99999`],
    ['a query', `http://p.example:3128?${password}`],
  ])('is refused with %s, without a word of its password', (_what, proxy) => {
    for (const message of [
      mistakes({ HTTPS_PROXY: proxy }),
      mistakes({ WEIR_EGRESS_PROXY: proxy }),
      mistakes({}, { egress: { proxy } }),
      mistakes({}, { providers: { up: { kind: 'openai-chat', base_url: 'http://10.0.0.1/v1', proxy } } }),
    ]) {
      expect(message).toContain('URL of a proxy');
      expect(message).not.toContain(password);
    }
  });

  test('is shown without its password', () => {
    const proxy = `http://user:${password}@p.example:3128`;
    const { settings } = load({ HTTPS_PROXY: proxy, WEIR_EGRESS_PROXY: proxy });
    const shown = settings.filter(({ key }) => key.startsWith('egress.')).map(({ key, shown }) => `${key} ${shown}`);
    expect(shown).toContain('egress.proxy http://user:***@p.example:3128/');
    expect(shown).toContain('egress.https_proxy http://user:***@p.example:3128/');
    expect(JSON.stringify(settings)).not.toContain(password);
  });
});

describe('certificates', () => {
  test('are read for all and for one provider', () => {
    const config = load(
      { WEIR_EGRESS_CA_FILE: 'all.pem' },
      { providers: { up: { kind: 'openai-chat', base_url: 'http://10.0.0.1/v1', ca_file: '/etc/own.pem' } } },
      { '/srv/all.pem': pem, '/etc/own.pem': `${pem}#` },
    );
    expect([config.egress.ca, config.providers[0]?.ca]).toEqual([pem, `${pem}#`]);
  });

  test('that cannot be read, or are none, are a mistake', () => {
    const file = {
      egress: { ca_file: 'a.pem' },
      providers: { up: { kind: 'openai-chat', base_url: 'http://10.0.0.1', ca_file: 'b.pem' } },
    };
    const messages = mistakes({}, file, { '/srv/b.pem': '-----BEGIN PRIVATE KEY-----' });
    expect(messages).toContain('egress.ca_file (weir.yaml): found "a.pem", which cannot be read');
    expect(messages).toContain('providers.up.ca_file (weir.yaml): found "b.pem", which holds no certificate');
    expect(mistakes({ WEIR_EGRESS_CA_FILE: 'x' })).toContain('(WEIR_EGRESS_CA_FILE)');
  });
});
