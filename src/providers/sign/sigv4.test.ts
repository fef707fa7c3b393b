/** Signatures against the published test suite of the algorithm: same credentials, same clock, same requests. */

import { describe, expect, test } from 'bun:test';
import { signRequest, type UnsignedRequest } from './sigv4.ts';

const key = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', sessionToken: undefined };
const place = { region: 'us-east-1', service: 'service' };
const timeMs = Date.parse('2015-08-30T12:36:00Z');
const host = 'https://example.amazonaws.com';
const form = 'application/x-www-form-urlencoded';
const unreserved = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const vectors: readonly [string, UnsignedRequest, string, string][] = [
  [
    'get-vanilla',
    { method: 'GET', url: `${host}/` },
    'host;x-amz-date',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'get-header-key-duplicate',
    { method: 'GET', url: `${host}/`, headers: { 'my-header1': 'value2,value2,value1' } },
    'host;my-header1;x-amz-date',
    'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  ],
  [
    'get-header-value-trim',
    { method: 'GET', url: `${host}/`, headers: { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' } },
    'host;my-header1;my-header2;x-amz-date',
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'get-unreserved',
    { method: 'GET', url: `${host}/${unreserved}` },
    'host;x-amz-date',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-vanilla-query-order-key-case',
    { method: 'GET', url: `${host}/?Param2=value2&Param1=value1` },
    'host;x-amz-date',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-query-unreserved',
    { method: 'GET', url: `${host}/?${unreserved}=${unreserved}` },
    'host;x-amz-date',
    '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  ],
  [
    'get-vanilla-utf8-query',
    { method: 'GET', url: `${host}/?ሴ=bar` },
    'host;x-amz-date',
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  [
    'post-vanilla',
    { method: 'POST', url: `${host}/` },
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-header-value-case',
    { method: 'POST', url: `${host}/`, headers: { 'my-header1': 'VALUE1' } },
    'host;my-header1;x-amz-date',
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  ],
  [
    'post-vanilla-query-nonunreserved',
    { method: 'POST', url: `${host}/?${encodeURIComponent('@#$%^')}=&%2B=${encodeURIComponent('/,?><`";:\\|][{}')}` },
    'host;x-amz-date',
    '66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e',
  ],
  [
    'post-vanilla-query-space',
    { method: 'POST', url: `${host}/?p=` },
    'host;x-amz-date',
    'e71688addb58a26418614085fb730ba3faa623b461c17f48f2fbdb9361b94a9b',
  ],
  [
    'post-x-www-form-urlencoded',
    { method: 'POST', url: `${host}/`, headers: { 'content-type': form }, body: 'Param1=value1' },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-x-www-form-urlencoded-parameters, as bytes',
    {
      method: 'POST',
      url: `${host}/`,
      headers: { 'content-type': `${form}; charset=utf8` },
      body: new TextEncoder().encode('Param1=value1'),
    },
    'content-type;host;x-amz-date',
    '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  ],
];

describe('the published suite', () => {
  for (const [name, request, headers, signature] of vectors) {
    test(name, () => {
      expect(signRequest(request, key, place, timeMs)).toEqual({
        'x-amz-date': '20150830T123600Z',
        authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${headers}, Signature=${signature}`,
      });
    });
  }
});

describe('a signature', () => {
  const sign = (request: Partial<UnsignedRequest>, sessionToken?: string) =>
    signRequest(
      { method: 'POST', url: `${host}/model/a%3A0/invoke`, ...request },
      { ...key, sessionToken },
      place,
      timeMs,
    );

  test('covers a session token, which travels beside it', () => {
    const signed = sign({}, 'token');
    expect(signed['x-amz-security-token']).toBe('token');
    expect(signed['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
    expect(signed['authorization']).not.toBe(sign({}, 'other')['authorization'] ?? '');
  });

  test('changes with every part of the request', () => {
    const seen = [
      sign({}),
      sign({ method: 'GET' }),
      sign({ url: `${host}/model/a%3A1/invoke` }),
      sign({ url: `${host}/model/a:0/invoke` }),
      sign({ url: `${host}/model/a%3A0/invoke?x=1` }),
      sign({ url: 'https://example.amazonaws.com:8443/model/a%3A0/invoke' }),
      sign({ body: 'x' }),
    ].map((headers) => headers['authorization']);
    expect(new Set(seen).size).toBe(seen.length);
  });
});
