/** The preset table is data that people edit by hand; these are the slips that a table invites. */

import { describe, expect, test } from 'bun:test';
import { findProvider } from '@pydantic/genai-prices';
import { holesOf, pathsOf } from './address.ts';
import { hasHole, presetByName, presets, wireFormats } from './presets.ts';
import type { FormatName } from './provider.ts';

const rows = [...presets, ...wireFormats];

/** More than one preset may read a variable only if it is written down here. */
const sharedVariables: readonly string[] = ['AZURE_OPENAI_API_KEY'];

describe('presets', () => {
  test('have unique names that can stand before a slash', () => {
    expect(new Set(rows.map((preset) => preset.name)).size).toBe(rows.length);
    expect(rows.filter((preset) => !/^[a-z0-9][a-z0-9.-]*$/.test(preset.name))).toEqual([]);
    expect(presetByName('sandbox')).toBeUndefined();
    for (const preset of rows) expect(presetByName(preset.name)).toBe(preset);
  });

  test('cover every chat-format provider that was asked for', () => {
    const asked =
      'openai azure groq mistral deepseek xai together fireworks openrouter perplexity cerebras sambanova nvidia deepinfra ' +
      'novita nebius hyperbolic baseten friendli huggingface github meta moonshot zhipu dashscope volcengine siliconflow ' +
      'minimax hunyuan qianfan stepfun cloudflare cohere scaleway wandb poe vercel ollama lm-studio vllm llama.cpp';
    const missing = asked.split(' ').filter((name) => presetByName(name)?.formats['openai-chat'] === undefined);
    expect(missing).toEqual([]);
    expect(presetByName('anthropic')?.formats).toEqual({ 'anthropic-messages': '/messages' });
    expect(presetByName('gemini')?.formats['openai-chat']).toBeUndefined();
  });

  test('use https, except on this machine', () => {
    for (const preset of presets) {
      const address = new URL(preset.baseUrl.replace(/\{\w+\}/g, 'x'));
      expect([preset.name, address.protocol]).toEqual([preset.name, preset.local === true ? 'http:' : 'https:']);
      if (preset.local === true) expect(address.hostname).toBe('127.0.0.1');
      expect([preset.name, preset.baseUrl.endsWith('/'), address.search]).toEqual([preset.name, false, '']);
    }
    const ports = presets.filter((preset) => preset.local === true).map((preset) => new URL(preset.baseUrl).port);
    expect(ports).toEqual(['11434', '1234', '8000', '8080']);
  });

  test('read variables that no other preset reads', () => {
    const variables = presets.flatMap((preset) => preset.keyVariables);
    const doubled = variables.filter((name, index) => variables.indexOf(name) !== index);
    expect(doubled).toEqual([...sharedVariables]);
    expect(variables.filter((name) => !/^[A-Z][A-Z0-9_]+$/.test(name) || name.startsWith('WEIR_'))).toEqual([]);
  });

  test('have a key variable unless they are local', () => {
    const without = presets.filter((preset) => preset.keyVariables.length === 0);
    expect(without.every((preset) => preset.local === true)).toBe(true);
  });

  test('do not take general-purpose tokens for a wish', () => {
    const shared = presets
      .filter((preset) => preset.keyVariableIsShared === true)
      .flatMap((preset) => preset.keyVariables);
    expect(shared.toSorted()).toEqual([
      'AZURE_OPENAI_API_KEY',
      'CLOUDFLARE_API_TOKEN',
      'GITHUB_TOKEN',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'HF_TOKEN',
      'SCW_SECRET_KEY',
      'WANDB_API_KEY',
    ]);
  });

  test('say how a hole in their address is filled', () => {
    const holed = presets.filter(hasHole);
    const names = ['azure', 'azure-deployments', 'bedrock', 'cloudflare', 'vertex'];
    expect(holed.map((preset) => preset.name).toSorted()).toEqual(names);
    for (const preset of presets) {
      const paths = Object.values(preset.formats).flatMap(pathsOf);
      const special = (preset.baseUrlFor ?? []).map(({ baseUrl }) => baseUrl);
      const holes = new Set([preset.baseUrl, ...special, ...paths].flatMap(holesOf));
      expect([preset.name, [...holes].toSorted()]).toEqual([
        preset.name,
        Object.keys(preset.settings ?? {}).toSorted(),
      ]);
      for (const { setting } of preset.baseUrlFor ?? []) expect(preset.settings?.[setting]).toBeDefined();
      for (const { template } of preset.baseUrlFrom ?? []) expect(template).toContain('{value}');
    }
  });

  test('declare a format, and paths that begin with a slash or stay on the host', () => {
    const known: Record<FormatName, true> = {
      'openai-chat': true,
      'openai-responses': true,
      'openai-completions': true,
      'anthropic-messages': true,
      'gemini-generate': true,
    };
    for (const preset of rows) {
      const formats = Object.entries(preset.formats);
      expect([preset.name, formats.length > 0]).toEqual([preset.name, true]);
      expect(formats.filter(([format]) => !Object.hasOwn(known, format))).toEqual([]);
      const paths = [...formats.flatMap(([, path]) => pathsOf(path)), preset.modelsPath ?? '/'];
      const elsewhere = paths.filter(
        (path) => !path.startsWith('/') && URL.parse(path)?.origin !== URL.parse(preset.baseUrl)?.origin,
      );
      expect([preset.name, elsewhere]).toEqual([preset.name, []]);
    }
  });

  test('name only formats they declare where they tell models apart', () => {
    for (const preset of rows) {
      const undeclared = (preset.modelFormats ?? []).flatMap(({ formats }) =>
        formats.filter((format) => preset.formats[format] === undefined),
      );
      expect([preset.name, undeclared]).toEqual([preset.name, []]);
    }
  });

  test('name only price providers that the price library knows', () => {
    const named = presets.flatMap((preset) => preset.priceProvider ?? []);
    const unknown = named.filter((providerId) => findProvider({ providerId })?.id !== providerId);
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(15);
  });

  test('are the wire formats’ kinds as well', () => {
    expect(wireFormats.map((format) => format.name)).toEqual([
      'openai-chat',
      'openai-responses',
      'anthropic-messages',
      'gemini-generate',
    ]);
    for (const format of wireFormats) expect(Object.keys(format.formats)).toEqual([format.name]);
  });
});
