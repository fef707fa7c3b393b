/** Looks for inference servers on the loopback ports they use by default, so that they need no configuration. */

import { isLookedFor } from '../presets.ts';
import type { ProviderPreset } from '../provider.ts';

interface FoundServer {
  readonly preset: ProviderPreset;
  readonly models: readonly string[];
}

export interface LocalSearch {
  readonly presets: readonly ProviderPreset[];
  readonly fetch: (url: string, options: { readonly signal: AbortSignal }) => Promise<Response>;
  readonly timeoutMs?: number;
}

/** A model list of a local server is small; anything longer is some other program. */
const listBytesMax = 4_194_304;

/** Probes all of them at once. A closed port is refused at once, and one that does not answer costs `timeoutMs`. */
export async function findLocalServers({ presets, fetch, timeoutMs = 150 }: LocalSearch): Promise<FoundServer[]> {
  const local = presets.filter((preset) => isLookedFor(preset) && preset.modelsPath !== undefined);
  const found = await Promise.all(
    local.map(async (preset) => {
      const models = await askForModels(`${preset.baseUrl}${preset.modelsPath}`, fetch, timeoutMs);
      return models === undefined ? [] : [{ preset, models }];
    }),
  );
  return found.flat();
}

async function askForModels(url: string, fetch: LocalSearch['fetch'], timeoutMs: number) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), timeoutMs);
  try {
    // The race also ends a search whose fetch does not heed the signal.
    const answer = readModels(fetch(url, { signal: patience.signal }));
    return await Promise.race([answer, aborted(patience.signal)]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    patience.abort();
  }
}

async function readModels(pending: Promise<Response>): Promise<string[] | undefined> {
  const response = await pending;
  const length = Number(response.headers.get('content-length') ?? 0);
  if (!response.ok || length > listBytesMax) return undefined;
  return modelNames(await response.json());
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

/** The names in a model list of either shape, `data` or `models`; nothing where the reply is no model list. */
function modelNames(body: unknown): string[] | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const list = 'data' in body ? body.data : 'models' in body ? body.models : undefined;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: unknown) => nameOf(entry) ?? []);
}

function nameOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const name = 'id' in entry ? entry.id : 'name' in entry ? entry.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
