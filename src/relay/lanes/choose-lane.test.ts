import { describe, expect, test } from 'bun:test';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import type { FormatName } from '../../formats/format.ts';
import type { Target } from '../../routing/catalogue.ts';
import { Health } from '../../routing/health.ts';
import { hasTools } from './choose-lane.ts';
import { formatFor } from './format-for.ts';

function target(formats: readonly FormatName[], profile: ModelProfile = {}): Target {
  return { formats, profile, health: new Health() } as unknown as Target;
}

describe('the format that a target is spoken to in', () => {
  test('is the client’s own where the target speaks it, else its first', () => {
    expect(formatFor('openai-chat', target(['openai-responses', 'openai-chat']))).toBe('openai-chat');
    expect(formatFor('gemini-generate', target(['openai-responses', 'openai-chat']))).toBe('openai-responses');
    expect(formatFor('openai-chat', target(['openai-completions', 'anthropic-messages']))).toBe('anthropic-messages');
    expect(formatFor('openai-chat', target([]))).toBeUndefined();
  });

  test('is the one that takes tools, for a request with tools', () => {
    const model = target(['openai-chat', 'openai-responses'], { toolsFormat: 'openai-responses' });
    expect(formatFor('openai-chat', model, true)).toBe('openai-responses');
    expect(formatFor('openai-chat', model, false)).toBe('openai-chat');
    expect(formatFor('anthropic-messages', model, true)).toBe('openai-responses');
  });

  test('a format for tools that the provider does not speak is no format', () => {
    const model = target(['openai-chat'], { toolsFormat: 'openai-responses' });
    expect(formatFor('openai-chat', model, true)).toBe('openai-chat');
  });
});

test('tools are declared by a list with members, also by its older name', () => {
  expect(hasTools({})).toBe(false);
  expect(hasTools({ tools: [] })).toBe(false);
  expect(hasTools({ tools: null, functions: null })).toBe(false);
  expect(hasTools({ tools: [{}] })).toBe(true);
  expect(hasTools({ functions: [{ name: 'f' }] })).toBe(true);
});
