/** Keys that are more than one word. */

import { describe, expect, test } from 'bun:test';
import { keyField, readAccessKey, readKeyPair, readServiceAccount, secretPartsOf } from './key-forms.ts';

describe('an access key', () => {
  test('has an id, a secret and perhaps a session token', () => {
    const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
    expect(readAccessKey(`AKIAIOSFODNN7EXAMPLE:${secret}`)).toEqual({
      id: 'AKIAIOSFODNN7EXAMPLE',
      secret,
      sessionToken: undefined,
    });
    expect(readAccessKey(`AKIAIOSFODNN7EXAMPLE:${secret}:IQoJb3Jp//==`)?.sessionToken).toBe('IQoJb3Jp//==');
  });

  test('is nothing else', () => {
    for (const text of [
      '',
      'ABSKQmVkcm9ja0FQSUtleS0=',
      'bedrock-api-key-YWJj',
      'AKIAIOSFODNN7EXAMPLE:',
      ':secret',
      'short:secret',
    ]) {
      expect([text, readAccessKey(text)]).toEqual([text, undefined]);
    }
  });
});

describe('a pair', () => {
  test('has an access key and the secret that signs', () => {
    expect(readKeyPair('AKey-1.x:s3cret+/=')).toEqual({ id: 'AKey-1.x', secret: 's3cret+/=' });
  });

  test('is nothing else', () => {
    for (const text of ['', 'sk-plain', 'id:', ':secret', 'a:b:c', 'a: b', 'a:b\n', `a:${'x'.repeat(501)}`]) {
      expect([text, readKeyPair(text)]).toEqual([text, undefined]);
    }
  });
});

describe('what no log may show', () => {
  test('is a key and every secret part of it', () => {
    const access = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI:session-token';
    expect(secretPartsOf(access)).toEqual([access, 'wJalrXUtnFEMI', 'session-token']);
    expect(secretPartsOf('AKey:signing-secret')).toEqual(['AKey:signing-secret', 'signing-secret']);
    expect(secretPartsOf('sk-plain')).toEqual(['sk-plain']);
    // A part of a few letters occurs in every second word.
    expect(secretPartsOf('user:on')).toEqual(['user:on']);
  });
});

describe('a service account', () => {
  const file = { client_email: 'a@b.example', private_key: '-----BEGIN PRIVATE KEY-----\nx\n', project_id: 'p' };

  test('has a usual token server unless it names one', () => {
    expect(readServiceAccount(JSON.stringify(file))).toEqual({
      email: 'a@b.example',
      privateKey: file.private_key,
      privateKeyId: undefined,
      tokenUrl: 'https://oauth2.googleapis.com/token',
    });
    const own = { ...file, private_key_id: 'k1', token_uri: 'http://127.0.0.1:9/token' };
    expect(readServiceAccount(JSON.stringify(own))).toMatchObject({ privateKeyId: 'k1', tokenUrl: own.token_uri });
  });

  test('is nothing else', () => {
    const wrong = [
      {},
      { ...file, client_email: 5 },
      { ...file, private_key: 'x' },
      { ...file, token_uri: 'file:///x' },
      [],
    ];
    for (const tree of wrong) expect(readServiceAccount(JSON.stringify(tree))).toBeUndefined();
    expect(readServiceAccount('{broken')).toBeUndefined();
  });

  test('says its project', () => {
    expect(keyField(JSON.stringify(file), 'project_id')).toBe('p');
    expect(keyField('plain', 'project_id')).toBeUndefined();
  });
});
