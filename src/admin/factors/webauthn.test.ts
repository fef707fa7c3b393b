/** What browsers return for passkeys: right for three kinds of keys, and refused for everything that was forged. */

import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { cborOf, coseOf, createAuthenticator, type KeyKind } from '../../../test/harness/authenticator.ts';
import { verifyAssertion, verifyRegistration, WebAuthnError } from './webauthn.ts';

const site = { origin: 'https://weir.example', rpId: 'weir.example' };
const ceremony = { ...site, challenge: 'Y2hhbGxlbmdl' };

for (const kind of ['ES256', 'EdDSA', 'RS256'] as const satisfies readonly KeyKind[]) {
  describe(kind, () => {
    const authenticator = createAuthenticator(kind);
    const made = verifyRegistration(authenticator.create(ceremony), site);

    test('is registered and verified', () => {
      const { challenge } = ceremony;
      expect(made).toMatchObject({ challenge, id: authenticator.id, counter: 1, userVerified: true });
      const shown = verifyAssertion(authenticator.get({ ...ceremony, flags: 1 }), site, made);
      expect(shown).toEqual({ challenge, counter: 2, userVerified: false });
    });

    test('a signature of another key, or over other bytes, is wrong', () => {
      const other = { ...createAuthenticator(kind).get(ceremony), id: authenticator.id };
      expect(() => verifyAssertion(other, site, made)).toThrow('the signature is wrong');
      const shown = authenticator.get(ceremony);
      const data = Buffer.from(shown.response.authenticatorData, 'base64url');
      data.writeUInt32BE(9_999, 33);
      const forged = { ...shown, response: { ...shown.response, authenticatorData: data.toString('base64url') } };
      expect(() => verifyAssertion(forged, site, made)).toThrow('the signature is wrong');
      const empty = { ...shown, response: { ...shown.response, signature: '' } };
      expect(() => verifyAssertion(empty, site, made)).toThrow('the signature is wrong');
    });
  });
}

describe('refused in both ceremonies', () => {
  const authenticator = createAuthenticator();
  const made = verifyRegistration(authenticator.create(ceremony), site);
  for (const [what, forged, reason] of [
    ['another origin', { origin: 'https://evil.example' }, 'on another site'],
    ['the same host on another port', { origin: 'https://weir.example:8443' }, 'on another site'],
    ['a frame of another site', { crossOrigin: true }, 'in a frame'],
    ['another host name', { rpId: 'evil.example' }, 'another host name'],
    ['no person', { flags: 4 }, 'did not see a person'],
    ['the other operation', { type: 'payment.get' }, 'another operation'],
    ['extensions that are not there', { flags: 129 }, 'CBOR'],
  ] as const) {
    test(what, () => {
      expect(() => verifyRegistration(authenticator.create({ ...ceremony, ...forged }), site)).toThrow(reason);
      expect(() => verifyAssertion(authenticator.get({ ...ceremony, ...forged }), site, made)).toThrow(reason);
    });
  }

  test('client data that is no JSON, and authenticator data that is too short or too long', () => {
    const shown = authenticator.get(ceremony);
    const withPart = (part: Partial<typeof shown.response>) => ({ ...shown, response: { ...shown.response, ...part } });
    const { authenticatorData } = shown.response;
    const long = Buffer.concat([Buffer.from(authenticatorData, 'base64url'), Buffer.of(0)]).toString('base64url');
    for (const part of [
      { clientDataJSON: 'bm9uZQ' },
      { authenticatorData: '' },
      { authenticatorData: authenticatorData.slice(0, 40) },
      { authenticatorData: long },
    ]) {
      expect(() => verifyAssertion(withPart(part), site, made)).toThrow(WebAuthnError);
    }
  });
});

describe('a registration is refused', () => {
  const right = createAuthenticator().create(ceremony);
  const withAttestation = (bytes: Uint8Array) => ({
    ...right,
    response: { ...right.response, attestationObject: Buffer.from(bytes).toString('base64url') },
  });

  test('with another id than the authenticator’s', () => {
    expect(() => verifyRegistration({ ...right, id: 'AAAA' }, site)).toThrow('another id');
  });

  test('without a credential, without authenticator data, or with no map', () => {
    const data = Buffer.from(createAuthenticator().get(ceremony).response.authenticatorData, 'base64url');
    expect(() => verifyRegistration(withAttestation(cborOf(new Map([['authData', data]]))), site)).toThrow(
      'no credential',
    );
    expect(() => verifyRegistration(withAttestation(cborOf(new Map([['authData', 'x']]))), site)).toThrow(
      'no authenticator data',
    );
    expect(() => verifyRegistration(withAttestation(cborOf('x')), site)).toThrow('not a map');
    expect(() => verifyRegistration(withAttestation(Buffer.of(0xbf)), site)).toThrow('indefinite length');
  });

  test('with a key of another kind, of another curve, too short, or on no curve', () => {
    const es256 = coseOf('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
    const rsa = coseOf('RS256', generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey);
    for (const cose of [
      rsa,
      new Map(),
      new Map([...es256, [3, -35]]),
      new Map([...es256, [-1, 2]]),
      new Map([...es256, [-2, Buffer.alloc(31)]]),
      new Map([...es256, [-3, Buffer.alloc(32, 1)]]),
    ]) {
      const forged = createAuthenticator('ES256', cose as Map<number, unknown>).create(ceremony);
      expect(() => verifyRegistration(forged, site)).toThrow('not supported');
    }
  });
});
