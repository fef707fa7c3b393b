/** Where the rows of the preset table come from, and under which names the tables of prices know them. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { findProvider } from '@pydantic/genai-prices';
import { testShared } from '../../test/harness/recordings.ts';
import { presets, wireFormats } from './presets.ts';

const rows = [...presets, ...wireFormats];
const dayMs = 86_400_000;
/** After this a provider has likely changed something; no test fails for it, but the run says so. */
const staleAfterDays = 180;

/** The public tables are not part of the repository; where they lie beside it, names are compared with them. */
const tableAt = (place: string) => JSON.parse(readFileSync(place, 'utf8')) as Record<string, unknown>;

/** Ids that models.dev has since the table beside the repository was fetched. */
const newerThanTheTable = new Set([
  'ai21',
  'crusoe',
  'meta',
  'nscale',
  'parasail',
  'sambanova',
  'volcengine',
  'volcengine-coding-plan',
  'sensenova',
  'kimi-code-plan-global',
  'stepfun-step-plan',
  'stepfun-ai-step-plan',
  'tencent-token-plan',
]);

describe('presets', () => {
  test('name the reference that they were made from', () => {
    const wrong = rows.filter(({ docs }) => URL.parse(docs)?.protocol !== 'https:');
    expect(wrong.map(({ name, docs }) => [name, docs])).toEqual([]);
  });

  test('say when they were compared with it, and are compared again before long', () => {
    const wrong = rows.filter(({ checked }) => {
      const at = new Date(`${checked}T00:00:00Z`);
      return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== checked;
    });
    expect(wrong.map(({ name, checked }) => [name, checked])).toEqual([]);
    const stale = rows.filter(({ checked }) => Date.now() - Date.parse(checked) > staleAfterDays * dayMs);
    if (stale.length > 0) {
      const names = stale.map(({ name, checked }) => `${name} (${checked})`).join(', ');
      console.warn(`presets not compared with their reference for ${staleAfterDays} days: ${names}`);
    }
  });

  test('belong to a group; the wire formats have one of their own', () => {
    expect(wireFormats.filter(({ group }) => group !== 'format')).toEqual([]);
    expect(presets.filter(({ group }) => group === 'format')).toEqual([]);
    expect(presets.filter(({ local, group }) => local === true && group !== 'local')).toEqual([]);
  });

  test('name only price providers that the price library knows', () => {
    const named = presets.flatMap(({ tables }) => tables?.genaiPrices ?? []);
    const unknown = named.filter((providerId) => findProvider({ providerId })?.id !== providerId);
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(15);
  });

  testShared('name only providers that models.dev has', 'tables/models-dev.json', (place) => {
    const modelsDev = tableAt(place);
    const named = presets.flatMap(({ tables }) => tables?.modelsDev ?? []);
    expect(named.filter((id) => modelsDev[id] === undefined && !newerThanTheTable.has(id))).toEqual([]);
  });

  testShared('name only providers that LiteLLM’s table has', 'tables/litellm-prices.json', (place) => {
    const known = new Set(
      Object.values(tableAt(place)).map((row) => (row as Record<string, unknown>)['litellm_provider']),
    );
    const named = presets.flatMap(({ tables }) => tables?.litellm ?? []);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });
});
