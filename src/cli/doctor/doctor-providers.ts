/** Asks every configured provider for its models, which proves address, network and key in one request that costs nothing. */

import { blotOut, withoutUrlSecrets } from '../../config/problem.ts';
import { passwordsIn } from '../../config/readers/read-egress.ts';
import { anthropicFamily } from '../../providers/families/anthropic.ts';
import { geminiFamily } from '../../providers/families/gemini.ts';
import { openaiFamily } from '../../providers/families/openai.ts';
import { secretPartsOf } from '../../providers/key-forms.ts';
import { presetByName } from '../../providers/presets.ts';
import type { ProviderPreset } from '../../providers/provider.ts';
import { createScrubber } from '../../secrets/scrubber.ts';
import type { ProviderConfig, ProviderKey } from '../../settings/config.ts';

export interface Check {
  readonly name: string;
  /** `warning`: it works, and the operator should look at it. */
  readonly state: 'ok' | 'warning' | 'broken' | 'not checked';
  readonly detail: string;
}

export type ProviderFetch = (
  url: string,
  options: {
    readonly headers: Record<string, string>;
    readonly signal: AbortSignal;
    /** The provider of the URL: each may have its own egress. */
    readonly provider: ProviderConfig;
  },
) => Promise<Response>;

interface ProviderChecks {
  readonly checks: readonly Check[];
  /** Our clock minus each answering provider's. */
  readonly skewsMs: readonly number[];
}

interface Visit {
  readonly check: Check;
  readonly skewMs?: number;
}

interface VisitTools {
  readonly fetch: ProviderFetch;
  readonly now: () => number;
  readonly timeoutMs: number;
  /** Values that no line may show beside the provider's own secrets. */
  readonly secrets?: readonly string[];
}

const shownErrorCharactersMax = 300;

export async function checkProviders(
  options: VisitTools & { readonly providers: readonly ProviderConfig[] },
): Promise<ProviderChecks> {
  const visits = await Promise.all(options.providers.map((provider) => visitProvider(provider, options)));
  return {
    checks: visits.flat().map((visit) => visit.check),
    skewsMs: visits.flat().flatMap((visit) => visit.skewMs ?? []),
  };
}

/** One call for each key, since each may be wrong by itself. */
async function visitProvider(provider: ProviderConfig, tools: VisitTools): Promise<Visit[]> {
  const name = `provider ${provider.name}`;
  const skip = (detail: string): Visit[] => [{ check: { name, state: 'not checked', detail } }];
  const preset = presetByName(provider.kind);
  if (!provider.enabled) return skip('disabled');
  if (preset?.modelsPath === undefined) return skip('it has no list of models to ask for');
  const url = `${provider.baseUrl ?? preset.baseUrl}${preset.modelsPath}`;
  const keys = provider.keys.length === 0 ? [undefined] : provider.keys;
  return Promise.all(
    keys.map((key) => {
      const label = key === undefined || provider.keys.length === 1 ? name : `${name} (${key.id})`;
      const headers = {
        accept: 'application/json',
        ...preset.headers,
        ...provider.headers,
        ...authHeader(preset, key),
      };
      return visit({ name: label, url, headers, provider, tools });
    }),
  );
}

interface VisitPlan {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly provider: ProviderConfig;
  readonly tools: VisitTools;
}

async function visit({ name, url, headers, provider, tools }: VisitPlan): Promise<Visit> {
  const startedMs = tools.now();
  const scrub = (text: string) => scrubbed(text, provider, tools.secrets ?? []);
  try {
    const response = await tools.fetch(url, { headers, signal: AbortSignal.timeout(tools.timeoutMs), provider });
    const endedMs = tools.now();
    const body = await response.text();
    const check = judge(name, response, body, provider, endedMs - startedMs, scrub);
    const theirMs = Date.parse(response.headers.get('date') ?? '');
    // The server's timestamp was made between our two readings of the clock.
    return Number.isNaN(theirMs) ? { check } : { check, skewMs: (startedMs + endedMs) / 2 - theirMs };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { check: { name, state: 'broken', detail: scrub(`${withoutUrlSecrets(url)}: ${text}`) } };
  }
}

function judge(
  name: string,
  response: Response,
  body: string,
  provider: ProviderConfig,
  tookMs: number,
  scrub: (text: string) => string,
): Check {
  const took = `${Math.round(tookMs)} ms`;
  if (response.ok) {
    const models = modelsIn(body);
    if (models === undefined) return { name, state: 'broken', detail: `${took}, but the reply is no list of models` };
    const detail = `${models.length} models, ${took}`;
    const vendors = routedVendors(provider, models);
    if (vendors.length < 2) return { name, state: 'ok', detail };
    const advice = `it has models of ${vendors.join(' and ')}, which no host runs itself. If it passes requests on, set providers.${provider.name}.routes_elsewhere: true, so that tokens with a budget or a list of models cannot choose another model by a field of the host's own (false ends this hint)`;
    return { name, state: 'warning', detail: `${detail}; ${advice}` };
  }
  if (response.status === 404 && provider.models !== undefined) {
    return { name, state: 'ok', detail: `answers in ${took}; it has no list of models, the configured one is used` };
  }
  return { name, state: 'broken', detail: scrub(`HTTP ${response.status}: ${body || response.statusText}`) };
}

/** Vendors whose models run at their own hosts and at a few clouds that have presets. */
const closedFamilies = [anthropicFamily, geminiFamily, openaiFamily];

/** Of a host that the operator described by its format alone, and did not say whether it passes requests on. */
function routedVendors({ kind, routesElsewhere }: ProviderConfig, models: readonly unknown[]): readonly string[] {
  if (routesElsewhere !== undefined || presetByName(kind)?.group !== 'format') return [];
  const names = models.map((model) => bareName(typeof model === 'object' && model !== null ? nameIn(model) : model));
  return closedFamilies.filter((family) => names.some((name) => family.names.test(name))).map(({ title }) => title);
}

const nameIn = (model: object): unknown => ('id' in model ? model.id : 'name' in model ? model.name : undefined);
const bareName = (name: unknown): string =>
  String(name ?? '')
    .toLowerCase()
    .replace(/^.*\//, '');

function modelsIn(body: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (Array.isArray(parsed)) return parsed;
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const list = 'data' in parsed ? parsed.data : 'models' in parsed ? parsed.models : undefined;
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function authHeader(preset: ProviderPreset, key: ProviderKey | undefined): Record<string, string> {
  const { auth } = preset;
  if (key === undefined) return {};
  if (auth.style === 'bearer') return { authorization: `Bearer ${key.value}` };
  // Those that sign requests or fetch tokens have no list of models to ask for.
  return auth.style === 'header' ? { [auth.header]: `${auth.prefix ?? ''}${key.value}` } : {};
}

/** A provider's text on one line, without keys, configured header values or control characters. */
function scrubbed(text: string, provider: ProviderConfig, others: readonly string[]): string {
  const own = [...provider.keys.map((key) => key.value), ...Object.values(provider.headers)];
  const known = [...own, ...passwordsIn(provider.proxy ?? ''), ...others];
  const oneLine = createScrubber(provider.keys.flatMap(({ value }) => secretPartsOf(value)))(blotOut(text, known))
    .replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return oneLine.length > shownErrorCharactersMax ? `${oneLine.slice(0, shownErrorCharactersMax)}…` : oneLine;
}
