/** Issuers as the file writes them: defaults, secrets by reference, and mistakes with their place and without secrets. */

import { describe, expect, test } from 'bun:test';
import { loadConfig } from './load.ts';
import { ConfigError } from './problem.ts';

const load = (yaml: string, environment: Record<string, string> = {}, files: Record<string, string> = {}) =>
  loadConfig({
    environment: { WEIR_DISCOVERY_LOCAL: 'false', ...environment },
    readFile: (path) => (path.endsWith('weir.yaml') ? yaml : files[path]),
    workingFolder: '/work',
  });
const faults = (yaml: string, environment: Record<string, string> = {}): string => {
  try {
    load(yaml, environment);
    return 'none';
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error);
  }
};
const issuer = (lines: string): string =>
  `sign_in:\n  issuers:\n    company:\n      issuer: https://id.example\n      client_id: weir\n${lines}`;

describe('an issuer', () => {
  test('needs a URL and a client id; the rest has defaults', () => {
    expect(load(issuer('')).signIn).toEqual({
      passwords: 'all',
      secondFactor: 'optional',
      ...{ clients: undefined, accessLifetimeMs: 3_600_000, idleDays: 30, managedSettings: undefined },
      issuers: [
        {
          ...{ name: 'company', issuer: 'https://id.example', clientId: 'weir', clientSecret: undefined },
          ...{ scopes: ['openid', 'profile', 'email'], groupsClaim: 'groups', label: 'company', clockSkewS: 60 },
          ...{ nameClaims: ['preferred_username', 'email', 'sub'], rules: [], defaultRole: 'member' },
          ...{ createAccounts: true, linkAccounts: false, allowedDomains: undefined, allowedGroups: undefined },
          trustUnverifiedEmail: false,
        },
      ],
    });
  });

  test('has its secret in the file, in a variable or in another file', () => {
    const secretOf = (lines: string) =>
      load(issuer(lines), { OIDC_SECRET: 'from-variable' }, { '/run/secret': 'from-file\n' }).signIn.issuers[0]
        ?.clientSecret;
    expect(secretOf('      client_secret: plain\n')).toBe('plain');
    expect(secretOf('      client_secret_env: OIDC_SECRET\n')).toBe('from-variable');
    expect(secretOf('      client_secret_file: /run/secret\n')).toBe('from-file');
    expect(faults(issuer('      client_secret_env: MISSING\n'))).toContain('MISSING, which is not set');
    expect(faults(issuer('      client_secret_file: /nowhere\n'))).toContain('cannot be read');
    expect(faults(issuer('      client_secret: a\n      client_secret_env: B\n'))).toContain('only one of');
  });

  test('keeps the slash at the end of its URL, because tokens name it with it', () => {
    const yaml = issuer('').replace('https://id.example', 'https://id.example/tenant/');
    expect(load(yaml).signIn.issuers[0]?.issuer).toBe('https://id.example/tenant/');
  });

  test('is reached without TLS on loopback only', () => {
    const at = (url: string) => faults(issuer('').replace('https://id.example', url));
    for (const url of ['http://127.0.0.1:9/x', 'http://localhost:9', 'http://[::1]:9']) expect(at(url)).toBe('none');
    for (const url of [
      'http://id.example',
      'http://127.0.0.1.evil.example',
      'ftp://id.example',
      'https://a:b@id.example',
    ])
      expect(at(url)).toContain('http only on loopback');
  });

  test('has mistakes named by key and line, with a suggestion, and never its secret', () => {
    const said = faults(
      issuer('      client_secret: hunter2-hunter2\n      grups_claim: x\n      rules: [{ group: a }]\n'),
    );
    expect(said).toContain('sign_in.issuers.company.grups_claim (weir.yaml, line 7)');
    expect(said).toContain('did you mean groups_claim?');
    expect(said).toContain('a group with a team or a role');
    expect(said).not.toContain('hunter2');
    expect(faults('sign_in:\n  pasword: all\n')).toContain('did you mean passwords?');
    expect(faults('sign_in:\n  issuers:\n    Bad Name:\n      client_id: x\n')).toContain('lower-case letters');
  });

  test('is listed once', () => {
    const twice = `${issuer('')}    again:\n      issuer: https://id.example\n      client_id: other\n`;
    expect(faults(twice)).toContain('company has this one');
  });
});
