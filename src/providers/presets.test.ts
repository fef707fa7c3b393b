/** The preset table is data that people edit by hand; these are the slips that a table invites. */

import { describe, expect, test } from 'bun:test';
import { videoProviderWires, videoWire } from '../operations/video/provider-wires.ts';
import type { OperationName, ServiceName } from '../operations/wire.ts';
import { clientWires, providerWire, providerWires } from '../operations/wires.ts';
import { holesOf, pathsOf } from './address.ts';
import { providerOf } from './assemble.ts';
import { type DeclaredOperation, declaredRows } from './declared-operations.ts';
import { operationFor, operationPlace } from './operation-places.ts';
import { hasHole, isLookedFor, presetByName, presets, wireFormats } from './presets.ts';
import type { FormatName, ProviderPreset } from './provider.ts';

const rows = [...presets, ...wireFormats];

function declaredBy({ operations }: ProviderPreset): (readonly [ServiceName, DeclaredOperation])[] {
  const names = Object.keys(operations ?? {}) as ServiceName[];
  return names.flatMap((name) => declaredRows(operations?.[name]).map((row) => [name, row] as const));
}

/** Videos outlive their replies, so their wires are of another kind. */
function isSpoken(name: ServiceName, wire: string): boolean {
  if (name === 'make-video') return videoWire(wire) !== undefined;
  if (name === 'converse-live') return wire === 'openai-realtime';
  return providerWire(name, wire) !== undefined;
}

/** More than one preset may read a variable only if it is written down here. */
const sharedVariables: readonly string[] = [
  'AZURE_OPENAI_API_KEY',
  'AZURE_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'CLOUDFLARE_API_TOKEN',
  'XAI_API_KEY',
  'ASSEMBLYAI_API_KEY',
  'VOYAGE_API_KEY',
];

function assembled(name: string, settings: Record<string, string> = {}) {
  const preset = presetByName(name);
  if (preset === undefined) throw new Error(`no preset ${name}`);
  const transport = () => Promise.reject(new Error('nothing is sent'));
  return providerOf({ preset, name, baseUrl: 'http://here', keys: [], headers: {}, models: [], settings, transport });
}

describe('presets', () => {
  test('have unique names that can stand before a slash', () => {
    expect(new Set(rows.map((preset) => preset.name)).size).toBe(rows.length);
    expect(rows.filter((preset) => !/^[a-z0-9][a-z0-9.-]*$/.test(preset.name))).toEqual([]);
    expect(presetByName('sandbox')).toBeUndefined();
    for (const preset of rows) expect(presetByName(preset.name)).toBe(preset);
  });

  test('cover every chat-format provider that was asked for', () => {
    const asked =
      'openai azure groq mistral deepseek xai together fireworks openrouter cerebras sambanova nvidia deepinfra ' +
      'novita nebius hyperbolic baseten friendli huggingface meta moonshot zhipu dashscope volcengine siliconflow ' +
      'minimax qianfan stepfun cloudflare cohere scaleway wandb poe vercel ollama lm-studio vllm llama.cpp';
    const missing = asked.split(' ').filter((name) => presetByName(name)?.formats['openai-chat'] === undefined);
    expect(missing).toEqual([]);
    expect(presetByName('anthropic')?.formats).toEqual({ 'anthropic-messages': '/messages' });
    expect(presetByName('gemini')?.formats['openai-chat']).toBeUndefined();
  });

  test('use https, except on this machine', () => {
    for (const preset of presets) {
      const address = new URL(preset.baseUrl.replace(/\{\w+\}/g, 'x'));
      const here = address.hostname === '127.0.0.1';
      expect([preset.name, address.protocol]).toEqual([preset.name, here ? 'http:' : 'https:']);
      if (preset.local === true) expect(here).toBe(true);
      expect([preset.name, preset.baseUrl.endsWith('/'), address.search]).toEqual([preset.name, false, '']);
    }
    const ports = presets.filter(isLookedFor).map((preset) => new URL(preset.baseUrl).port);
    expect(ports).toEqual(['11434', '1234', '8000', '8080', '30000', '12434', '9997', '7997']);
  });

  test('read variables that no other preset reads', () => {
    const variables = presets.flatMap((preset) => preset.keyVariables);
    const doubled = variables.filter((name, index) => variables.indexOf(name) !== index);
    expect([...new Set(doubled)].toSorted()).toEqual(sharedVariables.toSorted());
    expect(variables.filter((name) => !/^[A-Z][A-Z0-9_]+$/.test(name) || name.startsWith('WEIR_'))).toEqual([]);
  });

  test('have a key variable unless they are local', () => {
    const without = presets.filter((preset) => preset.keyVariables.length === 0);
    expect(without.every((preset) => preset.local === true)).toBe(true);
  });

  test('are not turned on by general-purpose tokens', () => {
    const shared = presets
      .filter((preset) => preset.keyVariableIsShared === true)
      .flatMap((preset) => preset.keyVariables);
    expect([...new Set(shared)].toSorted()).toEqual([
      'ASSEMBLYAI_API_KEY',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AZURE_API_KEY',
      'AZURE_OPENAI_API_KEY',
      'CLARIFAI_PAT',
      'CLOUDFLARE_API_TOKEN',
      'DATABRICKS_TOKEN',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'HELICONE_API_KEY',
      'HF_TOKEN',
      'META_MODEL_API_KEY',
      'MODEL_API_KEY',
      'SCW_SECRET_KEY',
      'VOYAGE_API_KEY',
      'VULTR_API_KEY',
      'WANDB_API_KEY',
      'XAI_API_KEY',
    ]);
  });

  test('define how a hole in their URL is filled', () => {
    const holed = presets.filter(hasHole);
    const names = [
      'azure',
      'azure-deployments',
      'azure-foundry',
      'bedrock',
      'bedrock-mantle',
      'cloudflare',
      'cloudflare-ai-gateway',
      'databricks',
      'snowflake',
      'vertex',
    ];
    expect(holed.map((preset) => preset.name).toSorted()).toEqual(names);
    for (const preset of presets) {
      const places = declaredBy(preset).map(([, { path }]) => path);
      const paths = [...Object.values(preset.formats).flatMap(pathsOf), ...places];
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

  test('declare a format or an operation, and paths that begin with a slash or stay on the host', () => {
    const known: Record<FormatName, true> = {
      'openai-chat': true,
      'openai-responses': true,
      'openai-completions': true,
      'anthropic-messages': true,
      'gemini-generate': true,
      'cohere-chat': true,
    };
    for (const preset of rows) {
      const formats = Object.entries(preset.formats);
      const places = declaredBy(preset).map(([, { path }]) => path);
      expect([preset.name, formats.length + places.length > 0]).toEqual([preset.name, true]);
      // A wire whose path differs with the model's version adds all of it itself.
      expect([preset.name, places.filter((path) => path !== '' && !path.startsWith('/'))]).toEqual([preset.name, []]);
      expect(formats.filter(([format]) => !Object.hasOwn(known, format))).toEqual([]);
      const paths = [...formats.flatMap(([, path]) => pathsOf(path)), preset.modelsPath ?? '/'];
      const elsewhere = paths.filter(
        (path) => !path.startsWith('/') && URL.parse(path)?.origin !== URL.parse(preset.baseUrl)?.origin,
      );
      expect([preset.name, elsewhere]).toEqual([preset.name, []]);
    }
  });

  test('declare only wires that exist, and every wire is declared by a preset', () => {
    const declared = rows.flatMap(declaredBy);
    const unknown = declared.filter(([name, { wire }]) => !isSpoken(name, wire));
    expect(unknown).toEqual([]);
    const spoken = new Set(declared.map(([name, { wire }]) => `${name} ${wire}`));
    const wires = Object.values(providerWires).flat();
    expect(wires.map(({ operation, name }) => `${operation} ${name}`).filter((wire) => !spoken.has(wire))).toEqual([]);
    const unspoken = videoProviderWires.filter(({ name }) => !spoken.has(`make-video ${name}`));
    // Weir's own tasks are what the sandbox speaks, which is no preset.
    expect(unspoken.map(({ name }) => name)).toEqual(['video-generations']);
  });

  test('cover every operation of the chat family with its kind', () => {
    const kind = presetByName('openai-chat');
    const all = [...Object.keys(clientWires), 'converse-live'];
    expect(Object.keys(kind?.operations ?? {}).toSorted()).toEqual(all.toSorted());
  });

  test('send models of one provider to the wire that each of them has', () => {
    const gemini = assembled('gemini');
    const wireOf = (model: string) => operationFor(gemini, 'make-image', model)?.wire;
    expect(wireOf('imagen-4.0-generate-001')).toBe('imagen-predict');
    expect(wireOf('gemini-2.5-flash-image')).toBe('gemini-generate-image');
    expect(operationFor(gemini, 'moderate', 'gemini-2.5-flash')).toBeUndefined();
    expect(operationFor(gemini, 'make-video', 'veo-3.1-generate-preview')?.wire).toBe('veo-video');
    expect(operationFor(gemini, 'make-video', 'gemini-2.5-flash')).toBeUndefined();
    expect(operationFor(assembled('openai'), 'make-video', 'gpt-4.1')).toBeUndefined();
    expect(operationFor(assembled('openai'), 'make-video', 'sora-2')).toBeUndefined();
    expect(operationFor(assembled('litellm'), 'make-video', 'sora-2')?.wire).toBe('openai-videos');
    const predict = '/models/imagen-4.0-generate-001:predict';
    expect(operationPlace(gemini, 'make-image', 'imagen-4.0-generate-001')).toBe(`http://here${predict}`);
  });

  test('ask for videos beside the compatible face, in every region and behind every gate', () => {
    const at = (baseUrl: string, model: string): string => {
      const preset = presetByName('dashscope');
      if (preset === undefined) throw new Error('no preset');
      const transport = () => Promise.reject(new Error('nothing is sent'));
      const provider = providerOf({ preset, name: 'd', baseUrl, keys: [], headers: {}, models: [], transport });
      return new URL(operationPlace(provider, 'make-video', model)).href;
    };
    const services = '/api/v1/services/aigc';
    const host = 'https://dashscope-intl.aliyuncs.com';
    expect(at(`${host}/compatible-mode/v1`, 'wan2.7-t2v')).toBe(`${host}${services}/video-generation/video-synthesis`);
    expect(at(`${host}/compatible-mode/v1`, 'wan2.2-kf2v-flash')).toBe(
      `${host}${services}/image2video/video-synthesis`,
    );
    expect(at('http://gate/d/compatible-mode/v1', 'wan2.6-i2v')).toStartWith(`http://gate/d${services}`);
    expect(at('http://127.0.0.1:9', 'wan2.6-i2v')).toStartWith(`http://127.0.0.1:9${services}`);
    expect(operationFor(assembled('dashscope'), 'make-video', 'qwen-plus')).toBeUndefined();
  });

  test('make videos with the models that do', () => {
    const wireOf = (name: string, model: string) => operationFor(assembled(name), 'make-video', model)?.wire;
    expect(wireOf('volcengine', 'doubao-seedance-2-0-260128')).toBe('seedance-video');
    expect(wireOf('volcengine', 'ep-20260101-abcde')).toBe('seedance-video');
    expect(wireOf('volcengine', 'doubao-seed-1-6')).toBeUndefined();
    expect(wireOf('kling', 'kling-v3')).toBe('kling-video');
    expect(operationPlace(assembled('fal'), 'make-video', 'fal-ai/veo3.1/fast')).toBe('http://here/fal-ai/veo3.1/fast');
    expect(operationPlace(assembled('replicate'), 'make-video', 'a/b')).toBe('http://here');
  });

  test('put a deployment and a version into every older URL', () => {
    const places = Object.keys(presetByName('azure-deployments')?.operations ?? {}) as OperationName[];
    const azure = assembled('azure-deployments', { api_version: '2025-04-01-preview' });
    expect(places.length).toBe(6);
    for (const name of places) {
      const [path, query] = operationPlace(azure, name, 'my model').split('?');
      expect(path).toStartWith('http://here/deployments/my%20model/');
      expect(query).toBe('api-version=2025-04-01-preview');
    }
  });

  test('name only formats they declare where they distinguish models', () => {
    for (const preset of rows) {
      const undeclared = (preset.modelFormats ?? []).flatMap(({ formats }) =>
        formats.filter((format) => preset.formats[format] === undefined),
      );
      expect([preset.name, undeclared]).toEqual([preset.name, []]);
    }
  });

  test('have other words in lower case, each once', () => {
    for (const { name, synonyms = [] } of rows) {
      const clean = [...new Set(synonyms.map((word) => word.trim().toLowerCase()))];
      expect([name, ...synonyms]).toEqual([name, ...clean]);
    }
  });

  test('are the wire formats’ kinds as well', () => {
    expect(wireFormats.map((format) => format.name)).toEqual([
      'openai-chat',
      'openai-responses',
      'anthropic-messages',
      'gemini-generate',
      'cohere-chat',
    ]);
    for (const format of wireFormats) expect(Object.keys(format.formats)).toEqual([format.name]);
  });
});
