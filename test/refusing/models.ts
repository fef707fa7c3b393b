/**
 * The models that the agents' requests are sent to: each at a provider with its own preset, so that preset and model
 * decide what is accepted.
 */

import { providerKey, type RefusingProvider } from './refusing-provider.ts';

export const refusingModels = [
  ['openai', 'gpt-4o'],
  ['openai', 'gpt-4.1'],
  ['openai', 'o3'],
  ['openai', 'gpt-5'],
  ['openai', 'gpt-5.1'],
  ['openai', 'gpt-5.6-sol'],
  ['openai', 'gpt-6-sol'],
  ['openai', 'gpt-6.1-sol'],
  ['anthropic', 'claude-3-5-haiku'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-4-6'],
  ['anthropic', 'claude-opus-4-8'],
  ['anthropic', 'claude-opus-5'],
  ['anthropic', 'claude-opus-5-5'],
  ['anthropic', 'claude-fable-5-1'],
  ['gemini', 'gemini-2.0-flash'],
  ['gemini', 'gemini-2.5-pro'],
  ['gemini', 'gemini-2.5-flash'],
  ['gemini', 'gemini-3-pro-preview'],
  ['gemini', 'gemini-3.8-flash'],
  ['deepseek', 'deepseek-chat'],
  ['deepseek', 'deepseek-v4-pro'],
  ['moonshot', 'kimi-k3'],
  ['vllm', 'qwen3.8-27b'],
  ['zhipu', 'glm-4.6'],
] as const;

export type RefusingModel = (typeof refusingModels)[number];

/** `weir.yaml` for all of them. */
export function yamlFor(provider: RefusingProvider): object {
  const kinds = [...new Set(refusingModels.map(([kind]) => kind))];
  const entries = kinds.map((kind) => {
    const models = refusingModels.filter(([other]) => other === kind).map(([, model]) => model);
    return [kind, { kind, base_url: provider.baseOf(kind), key: providerKey, models }];
  });
  return { providers: Object.fromEntries(entries), clocks: { patience_ms: 0 } };
}
