/** The program's side of the device flow: nothing secret is sent to a server that the person did not name. */

import { describe, expect, test } from 'bun:test';
import { createDeviceClient } from './device-client.ts';

const url = 'https://weir.example';
const metadata = {
  issuer: url,
  device_authorization_endpoint: `${url}/oauth/device_authorization`,
  token_endpoint: `${url}/oauth/token`,
  revocation_endpoint: `${url}/oauth/revoke`,
};
const codes = {
  ...{ device_code: 'd', user_code: 'U', expires_in: 600, interval: 0 },
  ...{ verification_uri: `${url}/console/device`, verification_uri_complete: `${url}/console/device?code=U` },
};
const tokens = { access_token: 'a', refresh_token: 'r', expires_in: 60 };
/** Every URL that a server names, from the metadata and from the reply with the codes. */
const named = [
  ...Object.keys(metadata).map((field) => ['metadata', field] as const),
  ...Object.entries(codes).flatMap(([field, value]) =>
    typeof value === 'string' && value.startsWith('http') ? [['codes', field] as const] : [],
  ),
];
const elsewhere = [
  'http://weir.example',
  'https://other.example',
  'https://weir.example:8443',
  'https://weir.example.',
];

/** A server that answers at every URL, and what it was sent. */
function setUp(changed: { readonly metadata?: object; readonly codes?: object } = {}) {
  const sent: { readonly to: string; readonly form: string }[] = [];
  const shown: string[] = [];
  const client = createDeviceClient({
    nowMs: () => 0,
    sleep: async () => undefined,
    async fetch(to, init) {
      if (init?.body !== undefined) sent.push({ to, form: String(init.body) });
      if (to.includes('.well-known')) return Response.json({ ...metadata, ...changed.metadata });
      return Response.json(to.includes('device_authorization') ? { ...codes, ...changed.codes } : tokens);
    },
  });
  return { client, sent, shown, signIn: () => client.signIn(url, ({ page }) => void shown.push(page)) };
}

test('signs in where everything is at the URL that was given', async () => {
  const { signIn, shown } = setUp();
  expect(await signIn()).toMatchObject({ url, accessToken: 'a', refreshToken: 'r' });
  expect(shown).toEqual([codes.verification_uri]);
});

describe.each(named)('%s: %s', (part, field) => {
  test.each(elsewhere)('at %s is refused, and nothing is sent there or shown', async (other) => {
    const { signIn, sent, shown } = setUp({ [part]: { [field]: `${other}/x` } });
    const refusal = await signIn().then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(refusal).toContain(`names ${other} as its own URL`);
    expect([sent.filter(({ to }) => !to.startsWith(`${url}/`)), shown]).toEqual([[], []]);
    expect(sent).toHaveLength(part === 'metadata' ? 0 : 1);
  });
});

test('an issuer with another path is another one', async () => {
  const { signIn, sent } = setUp({ metadata: { issuer: `${url}/tenant` } });
  await expect(signIn()).rejects.toThrow(`This Weir has the URL ${url}/tenant. Run weir login --url`);
  expect(sent).toEqual([]);
  const { signIn: again } = setUp({ metadata: { issuer: `${url}/` } });
  expect((await again()).accessToken).toBe('a');
});

test('a stored sign-in at another server is neither renewed nor revoked there', async () => {
  const { client, sent } = setUp();
  const login = { url, accessToken: 'a', refreshToken: 'r', expiresAtMs: 0 };
  const other = { ...login, tokenEndpoint: 'http://weir.example/t', revocationEndpoint: 'http://weir.example/r' };
  await expect(client.renew(other)).rejects.toThrow('names http://weir.example as its own URL');
  await expect(client.revoke(other)).rejects.toThrow('names http://weir.example as its own URL');
  expect(sent).toEqual([]);
});
