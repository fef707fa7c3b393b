/** Usage as the content-generation format counts it: thoughts beside the answer, cached tokens inside the prompt. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Usage } from '../../conversation/usage.ts';

/** Undefined where nothing is reported yet: the first chunks of a stream may carry the kind of traffic alone. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = countOf(value.promptTokenCount);
  const answer = countOf(value.candidatesTokenCount);
  const thinking = countOf(value.thoughtsTokenCount);
  if (prompt === undefined && answer === undefined && thinking === undefined) return undefined;
  const input = prompt === undefined ? undefined : prompt + (countOf(value.toolUsePromptTokenCount) ?? 0);
  // The wire leaves zeros out, so one of the two counts alone is the whole.
  const output = answer === undefined && thinking === undefined ? undefined : (answer ?? 0) + (thinking ?? 0);
  const written = value.candidatesTokensDetails;
  return {
    input: {
      total: input,
      cacheRead: atMost(countOf(value.cachedContentTokenCount), input),
      audio: atMost(countOfKind(value.promptTokensDetails, 'AUDIO'), input),
      image: atMost(countOfKind(value.promptTokensDetails, 'IMAGE'), input),
    },
    output: {
      total: output,
      text: atMost(countOfKind(written, 'TEXT'), output),
      thinking,
      audio: atMost(countOfKind(written, 'AUDIO'), output),
      image: atMost(countOfKind(written, 'IMAGE'), output),
    },
  };
}

function atMost(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? part : Math.min(part, whole);
}

function countOfKind(details: unknown, kind: string): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const entry of details) {
    if (isObject(entry) && entry.modality === kind) return countOf(entry.tokenCount);
  }
  return undefined;
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
  const read = details(input.total, undefined, input.audio, input.image);
  const written = details(answer, output.text, output.audio, output.image);
  if (read !== undefined) counts.promptTokensDetails = read;
  if (written !== undefined) counts.candidatesTokensDetails = written;
  return counts;
}

function details(
  total: number | undefined,
  text: number | undefined,
  audio: number | undefined,
  image: number | undefined,
): object[] | undefined {
  if (text === undefined && audio === undefined && image === undefined) return undefined;
  const rest = text ?? (total === undefined ? undefined : Math.max(0, total - (audio ?? 0) - (image ?? 0)));
  const kinds = [
    ['TEXT', rest],
    ['AUDIO', audio],
    ['IMAGE', image],
  ] as const;
  return kinds.flatMap(([modality, tokenCount]) => (tokenCount === undefined ? [] : [{ modality, tokenCount }]));
}
