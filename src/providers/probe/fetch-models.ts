/** Fetches the list of models of a provider. */

import type { ListedModel } from '../../conversation/model-profile.ts';
import { readListedModels } from '../../formats/read-model-list.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { type Provider, providerHeaders } from '../assemble.ts';
import { scrubberOf } from '../sign/provider-scrubber.ts';

const listTimeoutMs = 10_000;
const modelsMax = 20_000;
const listBytesMax = 16_777_216;

export async function fetchModels(provider: Provider, key: ProviderKey): Promise<readonly ListedModel[]> {
  if (provider.modelsUrl === undefined) return [];
  const response = await provider.transport({
    url: provider.modelsUrl,
    method: 'GET',
    headers: providerHeaders(provider, key),
    signal: AbortSignal.timeout(listTimeoutMs),
  });
  const text = Buffer.from(await response.whole(listBytesMax)).toString('utf8');
  if (response.status !== 200) {
    throw new Error(
      `${provider.name} answered ${response.status} to the question for its models: ${scrubberOf(provider)(text).slice(0, 300)}`,
    );
  }
  const models = readListedModels(JSON.parse(text), provider.listPricing);
  if (models === undefined) throw new Error(`${provider.name} answered with something that is not a list of models.`);
  return models.slice(0, modelsMax);
}
