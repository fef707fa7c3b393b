/** Proves what a name with several homes promises: what routing looks at counts where one home can, the rest where all can. */

import { expect, test } from 'bun:test';
import { scriptedRoute } from '../../test/harness/scripted-targets.ts';
import { parameterNames } from '../conversation/parameters.ts';
import { parametersOf } from './model-parameters.ts';

const absentFrom = (targets: Parameters<typeof parametersOf>[0], nowMs = 0) => {
  const taken = parametersOf(targets, nowMs);
  return parameterNames.filter((name) => taken?.includes(name) === false);
};

test('one home: what its format can say', () => {
  expect(absentFrom(scriptedRoute([{ name: 'a' }]).targets)).toEqual(['topK']);
});

test('what one of two homes does not take is not promised, since routing does not choose by it', () => {
  const { targets } = scriptedRoute([{ name: 'a' }, { name: 'b', note: { parameters: ['temperature', 'tools'] } }]);
  expect(parametersOf(targets, 0)).toEqual(['temperature', 'tools']);
});

test('a home that refused tools is passed over by routing, so the other one is enough until it refuses them too', () => {
  const { targets } = scriptedRoute([{ name: 'a' }, { name: 'b' }]);
  const [first, second] = targets;
  first?.health.learnLack('tools', 0);
  expect(absentFrom(targets)).toEqual(['topK']);
  second?.health.learnLack('tools', 0);
  second?.health.learnLack('structured', 0);
  expect(absentFrom(targets)).toEqual(['topK', 'tools', 'toolChoice', 'parallelToolCalls']);
  first?.health.learnLack('structured', 0);
  expect(absentFrom(targets)).toContain('schemaOutput');
  expect(absentFrom(targets, 2 * 60 * 60_000)).toEqual(['topK']);
});

test('homes that do not converse, or are kept for something else, say nothing', () => {
  const mute = { operations: ['embed'], parameters: [] };
  expect(parametersOf(scriptedRoute([{ name: 'a', note: mute }]).targets, 0)).toBeUndefined();
  const kept = { name: 'b', note: { parameters: [] }, conditions: { operations: ['embed'] } };
  expect(absentFrom(scriptedRoute([{ name: 'a' }, kept]).targets)).toEqual(['topK']);
});
