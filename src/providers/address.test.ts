/** Addresses: what names the model and what does not, what a name may never do, and which host a format may reach. */

import { describe, expect, test } from 'bun:test';
import { addressOf } from './address.ts';
import { type Provider, providerOf } from './assemble.ts';
import { presetByName } from './presets.ts';
import type { FormatName } from './provider.ts';

function providerAt(kind: string, baseUrl?: string, settings: Record<string, string> = {}): Provider {
  const preset = presetByName(kind);
  if (preset === undefined) throw new Error(`no preset ${kind}`);
  const transport = () => Promise.reject(new Error('unused'));
  const given = { preset, name: kind, keys: [], headers: {}, models: undefined, transport, settings };
  return providerOf({ ...given, baseUrl: baseUrl ?? preset.baseUrl });
}

/** What the server sees: the URL as the transport spells it. */
const wire = (provider: Provider, format: FormatName, model: string, stream = false): string =>
  new URL(addressOf(provider, format, model, stream)).href;

describe('a URL', () => {
  test('without a hole is the very same text for every model', () => {
    const provider = providerAt('openai');
    const first = addressOf(provider, 'openai-chat', 'a', false);
    expect(first).toBe('https://api.openai.com/v1/chat/completions');
    expect(addressOf(provider, 'openai-chat', 'b/../c', true)).toBe(first);
  });

  test('of a stream may differ from that of a whole reply', () => {
    const provider = providerAt('gemini');
    const base = 'https://generativelanguage.googleapis.com/v1beta/models';
    expect(wire(provider, 'gemini-generate', 'gemini-2.5-pro')).toBe(`${base}/gemini-2.5-pro:generateContent`);
    expect(wire(provider, 'gemini-generate', 'acme/foo:1', true)).toBe(
      `${base}/acme/foo:1:streamGenerateContent?alt=sse`,
    );
  });

  test('takes a model of one segment whole, colons and slashes encoded', () => {
    const provider = providerAt('bedrock', undefined, { region: 'eu-west-1' });
    const base = 'https://bedrock-runtime.eu-west-1.amazonaws.com';
    expect(wire(provider, 'anthropic-messages', 'anthropic.claude-sonnet-4-v1:0')).toBe(
      `${base}/model/anthropic.claude-sonnet-4-v1%3A0/invoke`,
    );
    const arn = 'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-v1:0';
    expect(wire(provider, 'anthropic-messages', arn, true)).toBe(
      `${base}/model/${encodeURIComponent(arn)}/invoke-with-response-stream`,
    );
  });

  test('keeps the sign before a version, as publishers write it', () => {
    const base = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global';
    const provider = providerAt('vertex', base);
    expect(wire(provider, 'anthropic-messages', 'claude-sonnet-4-5@20250929', true)).toBe(
      `${base}/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`,
    );
    expect(wire(provider, 'openai-chat', 'meta/llama')).toBe(`${base}/endpoints/openapi/chat/completions`);
  });

  test('fills settings in, defaults included', () => {
    const base = 'https://mine.openai.azure.com/openai';
    const path = '/deployments/my%20deployment/chat/completions?api-version=';
    expect(wire(providerAt('azure-deployments', base), 'openai-chat', 'my deployment')).toBe(
      `${base}${path}2024-10-21`,
    );
    const dated = providerAt('azure-deployments', base, { api_version: '2025-01-01-preview' });
    expect(wire(dated, 'openai-chat', 'my deployment')).toBe(`${base}${path}2025-01-01-preview`);
  });

  test('of a format that is not spoken is a fault of the caller', () => {
    expect(() => addressOf(providerAt('anthropic'), 'openai-chat', 'm', false)).toThrow('does not speak openai-chat');
  });
});

describe('a model’s name cannot leave its place', () => {
  const names = [
    '..',
    '.',
    '../../x',
    'a/../../b',
    '%2e%2e',
    '%2e%2e/x',
    '?key=1',
    '#x',
    'a?b#c',
    'a\\b',
    '/x',
    'a//b',
    '\u0000',
  ];
  for (const name of names) {
    test(JSON.stringify(name), () => {
      const bedrock = providerAt('bedrock', 'http://127.0.0.1:1');
      const one = new URL(addressOf(bedrock, 'anthropic-messages', name, false));
      expect([one.pathname.split('/').length, one.search, one.hash]).toEqual([4, '', '']);
      expect(one.pathname).toStartWith('/model/');
      expect(one.pathname).toEndWith('/invoke');
      const several = new URL(
        addressOf(providerAt('gemini', 'http://127.0.0.1:1/v1beta'), 'gemini-generate', name, true),
      );
      expect([several.origin, several.search, several.hash]).toEqual(['http://127.0.0.1:1', '?alt=sse', '']);
      expect(several.pathname).toStartWith('/v1beta/models/');
      expect(several.pathname.split('/').length).toBe(3 + name.split('/').length);
    });
  }
});

describe('another face on the same host', () => {
  const kinds = ['deepseek', 'moonshot', 'zhipu', 'zai', 'minimax', 'volcengine'];

  test('is served at the preset’s own URL', () => {
    for (const kind of kinds) {
      const provider = providerAt(kind);
      expect([kind, provider.formats]).toEqual([kind, expect.arrayContaining(['openai-chat', 'anthropic-messages'])]);
      expect(addressOf(provider, 'anthropic-messages', 'm', true)).toMatch(
        /^https:\/\/[\w.-]+(\/api)?\/(?:anthropic|compatible)\/v1\/messages$/,
      );
    }
    expect(providerAt('zai', 'https://api.z.ai/api/coding/paas/v4').formats).toContain('anthropic-messages');
    // Where thoughts would be part of the text.
    expect(providerAt('minimax').formats[0]).toBe('anthropic-messages');
    expect(providerAt('moonshot').formats[0]).toBe('openai-chat');
  });

  test('never reaches the public host once the operator set another one', () => {
    for (const base of ['http://127.0.0.1:9100/v1', 'https://proxy.example/v1', 'http://api.deepseek.com/v1']) {
      for (const kind of kinds) {
        const provider = providerAt(kind, base);
        expect([kind, provider.formats]).toEqual([kind, ['openai-chat']]);
        expect(() => addressOf(provider, 'anthropic-messages', 'm', false)).toThrow();
        expect(addressOf(provider, 'openai-chat', 'm', false)).toBe(`${base}/chat/completions`);
      }
    }
  });
});
