/**
 * Usage as the content-generation format counts it: thinking beside the answer, cached tokens inside the prompt, each
 * side by modality. https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11-16)
 */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import { pricedTier, type ServiceTier, type Usage, unknownUsage } from '../../conversation/usage.ts';

/** Undefined where nothing is reported yet: the first chunks of a stream may carry the kind of traffic alone. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = countOf(value.promptTokenCount);
  // Live conversations call the answer a response.
  const answer = countOf(value.candidatesTokenCount) ?? countOf(value.responseTokenCount);
  const thinking = countOf(value.thoughtsTokenCount);
  if (prompt === undefined && answer === undefined && thinking === undefined) return undefined;
  const input = prompt === undefined ? undefined : prompt + (countOf(value.toolUsePromptTokenCount) ?? 0);
  // The wire leaves zeros out, so one of the two counts alone is the whole.
  const output = answer === undefined && thinking === undefined ? undefined : (answer ?? 0) + (thinking ?? 0);
  const read = kindsIn(value.promptTokensDetails, value.toolUsePromptTokensDetails);
  const cached = kindsIn(value.cacheTokensDetails);
  const written = kindsIn(value.candidatesTokensDetails ?? value.responseTokensDetails);
  const serviceTier = tierOf(value);
  const usage: Usage = {
    input: {
      total: input,
      cacheRead: atMost(countOf(value.cachedContentTokenCount), input),
      audio: atMost(read.AUDIO, input),
      image: atMost(read.IMAGE, input),
    },
    output: {
      total: output,
      text: atMost(written.TEXT, output),
      thinking,
      audio: atMost(written.AUDIO, output),
      image: atMost(written.IMAGE, output),
    },
  };
  // Every chunk of a stream carries the usage so far, and nearly none of the rarer classes.
  const isUsual = cached === noKinds && read.VIDEO === undefined && written.VIDEO === undefined;
  if (isUsual && serviceTier === undefined) return usage;
  return {
    input: {
      ...usage.input,
      ...rarer('video', read.VIDEO, input),
      ...rarer('cachedAudio', cached.AUDIO, input),
      ...rarer('cachedImage', cached.IMAGE, input),
      ...rarer('cachedVideo', cached.VIDEO, input),
    },
    output: { ...usage.output, ...rarer('video', written.VIDEO, output) },
    ...(serviceTier !== undefined && { serviceTier }),
  };
}

function atMost(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? part : Math.min(part, whole);
}

/** Absent, not undefined: few replies have these classes. */
function rarer<Name extends string>(
  name: Name,
  count: number | undefined,
  whole: number | undefined,
): { [Key in Name]?: number } {
  const known = atMost(count, whole);
  return known === undefined || known === 0 ? {} : ({ [name]: known } as { [Key in Name]?: number });
}

/** Pages of a document are read as images, and are priced as text: they stay with the rest. */
type Kind = 'TEXT' | 'AUDIO' | 'IMAGE' | 'VIDEO';

const noKinds: { readonly [Name in Kind]?: number } = {};

/** A modality may be listed more than once, and in several lists. */
function kindsIn(first: unknown, second?: unknown): { readonly [Name in Kind]?: number } {
  if (first === undefined && second === undefined) return noKinds;
  let kinds: Record<string, number> | undefined;
  for (const details of [first, second]) {
    if (!Array.isArray(details)) continue;
    for (const entry of details) {
      const count = isObject(entry) ? countOf(entry.tokenCount) : undefined;
      if (count === undefined || typeof entry.modality !== 'string') continue;
      kinds ??= {};
      kinds[entry.modality] = (kinds[entry.modality] ?? 0) + count;
    }
  }
  return kinds ?? noKinds;
}

const trafficTiers: ReadonlyMap<unknown, ServiceTier> = new Map([
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
]);

/** One of the two services of this format names the tier, the other the kind of traffic. */
function tierOf({ serviceTier, trafficType }: Tree): ServiceTier | undefined {
  if (typeof serviceTier === 'string') return pricedTier(serviceTier.toLowerCase());
  return trafficTiers.get(trafficType);
}

/**
 * Models of the first generations are charged once for a grounded prompt, however many searches it took; later ones for
 * each.
 */
const chargedByPrompt = /(?:^|\/)gemini-[12]\b/;

/**
 * Searches of the web that a candidate says it is grounded on; 0 where it says nothing.
 * https://ai.google.dev/gemini-api/docs/pricing (read 2026-11-16)
 */
export function searchesOf(candidate: Tree, model: unknown): number {
  const grounding = candidate.groundingMetadata;
  if (!isObject(grounding) || !Array.isArray(grounding.webSearchQueries)) return 0;
  const searches = grounding.webSearchQueries.filter((query) => typeof query === 'string' && query !== '').length;
  return typeof model === 'string' && chargedByPrompt.test(model) ? Math.min(1, searches) : searches;
}

/** The most that any candidate of a reply says: all of them are grounded on the same searches. */
function searchesIn(reply: Tree): number {
  const candidates: readonly unknown[] = Array.isArray(reply.candidates) ? reply.candidates : [];
  let most = 0;
  for (const one of candidates) if (isObject(one)) most = Math.max(most, searchesOf(one, reply.modelVersion));
  return most;
}

/** What chunks and candidates say beside the counts. */
interface BesideCounts {
  readonly searches: number;
  /** A candidate is grounded on a map: one call, however many places it names. */
  readonly maps: boolean;
  readonly model: unknown;
}

export function withBeside(usage: Usage, { searches, maps, model }: BesideCounts): Usage {
  if (searches === 0 && !maps && typeof model !== 'string') return usage;
  return {
    ...usage,
    ...(searches > 0 && { webSearches: searches }),
    ...(maps && { toolCalls: { google_maps: 1 } }),
    ...(typeof model === 'string' && usage !== unknownUsage && { model }),
  };
}

/** The same of a whole reply. */
export function besideIn(reply: Tree): BesideCounts {
  const candidates: readonly unknown[] = Array.isArray(reply.candidates) ? reply.candidates : [];
  const maps = candidates.some((one) => isObject(one) && usesMaps(one));
  return { searches: searchesIn(reply), maps, model: reply.modelVersion };
}

export function usesMaps({ groundingMetadata: grounding }: Tree): boolean {
  if (!isObject(grounding)) return false;
  if (typeof grounding.googleMapsWidgetContextToken === 'string') return true;
  const chunks: readonly unknown[] = Array.isArray(grounding.groundingChunks) ? grounding.groundingChunks : [];
  return chunks.some((chunk) => isObject(chunk) && isObject(chunk.maps));
}

/** Undefined where nothing is known: a reply without counts is honest, one with invented zeros is not. */
export function writeUsage({ input, output }: Usage): Tree | undefined {
  if (input.total === undefined && output.total === undefined) return undefined;
  const answer = output.total === undefined ? undefined : Math.max(0, output.total - (output.thinking ?? 0));
  const counts: Record<string, unknown> = {};
  if (input.total !== undefined) counts.promptTokenCount = input.total;
  if (input.cacheRead !== undefined) counts.cachedContentTokenCount = input.cacheRead;
  if (answer !== undefined) counts.candidatesTokenCount = answer;
  if (output.thinking !== undefined) counts.thoughtsTokenCount = output.thinking;
  counts.totalTokenCount = (input.total ?? 0) + (output.total ?? 0);
  const read = details(input.total, undefined, input);
  const cached = details(input.cacheRead, undefined, {
    audio: input.cachedAudio,
    image: input.cachedImage,
    video: input.cachedVideo,
  });
  const written = details(answer, output.text, output);
  if (read !== undefined) counts.promptTokensDetails = read;
  if (cached !== undefined) counts.cacheTokensDetails = cached;
  if (written !== undefined) counts.candidatesTokensDetails = written;
  return counts;
}

type Media = Pick<Usage['output'], 'audio' | 'image' | 'video'>;

function details(
  total: number | undefined,
  text: number | undefined,
  { audio, image, video }: Media,
): object[] | undefined {
  if (text === undefined && audio === undefined && image === undefined && video === undefined) return undefined;
  const media = (audio ?? 0) + (image ?? 0) + (video ?? 0);
  const rest = text ?? (total === undefined ? undefined : Math.max(0, total - media));
  const kinds = [
    ['TEXT', rest],
    ['AUDIO', audio],
    ['IMAGE', image],
    ['VIDEO', video],
  ] as const;
  return kinds.flatMap(([modality, tokenCount]) => (tokenCount === undefined ? [] : [{ modality, tokenCount }]));
}
