/**
 * Sentences by which providers refuse an amount or a shape: more output than a model has, an id that is too long, a role, a list
 * of texts, tools in this format. An amount counts only if it is the model's own: what is left beside a long prompt, or
 * what an account can afford, does not.
 *
 * Live texts, all read 2026-11-15: https://github.com/logancyang/obsidian-copilot/issues/256 (at most … completion tokens),
 * https://github.com/dataelement/Clawith/issues/571 (a range of max_tokens),
 * https://github.com/pipecat-ai/pipecat/issues/4043 and https://github.com/GoogleChromeLabs/webmcp-tools/issues/417 (tools),
 * https://github.com/looplj/axonhub/issues/1669 (user), https://github.com/proma-ai/Proma/issues/1496 and
 * https://github.com/num-scope/pix/issues/34 (developer), https://github.com/QwenLM/qwen-code/issues/2320 (lists),
 * https://github.com/ollama/ollama/issues/17774 (later instructions).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import type { Lesson } from './lesson.ts';
import { saidUnder } from './refused-parameters.ts';

/** Every model can write at least this many tokens; a smaller limit is about something else. */
const outputTokensMin = 256;
/** The same for the length of an id. */
const userCharactersMin = 16;

const outputLimits: readonly RegExp[] = [
  /^max_tokens: \d+ > (\d+), which is the maximum allowed number of output tokens\b/i,
  /^max_(?:completion_|output_)?tokens is too large: \d+\. this model supports at most (\d+) completion tokens\b/i,
  /^invalid max_tokens value, the valid range of max_tokens is \[\d+, ?(\d+)\]/i,
  /^[`'"]?max_(?:completion_)?tokens[`'"]? must be less than or equal to [`'"]?(\d+)[`'"]?, the maximum value for\b/i,
  /^range of max_tokens should be \[\d+, ?(\d+)\]/i,
  /^the maximum tokens you requested exceeds the model limit of (\d+)\b/i,
  /^(?:the )?max_tokens ?(?:parameter is illegal\.?|参数非法。?)：限制数值范围\[\d+, ?(\d+)\]/i,
];
/** This message names the first number that is too large. */
const outputBound =
  /^unable to submit request because it has a maxoutputtokens value of \d+ but the supported range is from \d+ \(inclusive\) ?to (\d+) \(exclusive\)/i;

const limitNames: ReadonlySet<string> = new Set([
  'maxtokens',
  'maxcompletiontokens',
  'maxoutputtokens',
  'maxnewtokens',
]);

export function outputLimitIn(said: string): Lesson | undefined {
  const bound = outputBound.exec(said)?.[1];
  const named = bound === undefined ? numberIn(outputLimits, said) : Number(bound) - 1;
  if (named === undefined || named < outputTokensMin) return undefined;
  return {
    profile: { outputTokensMax: named },
    what: 'max_tokens',
    holds: (sent) => saidUnder(sent, limitNames).some((asked) => typeof asked === 'number' && asked > named),
  };
}

const usualRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

interface Shape {
  readonly says: RegExp;
  readonly profile: ModelProfile;
  readonly what: string;
  readonly holds: (sent: Tree) => boolean;
}

const shapes: readonly Shape[] = [
  {
    says: /^function tools with reasoning_effort are not supported for \S{1,100} in \/v1\/chat\/completions\b.{1,100}\/v1\/responses\b/i,
    profile: { toolsFormat: 'openai-responses' },
    what: 'tools',
    holds: (sent) => Array.isArray(sent['messages']) && Array.isArray(sent['tools']) && sent['tools'].length > 0,
  },
  {
    says: /^[`'"]?temperature[`'"]? and [`'"]?top_p[`'"]? cannot both be specified for this model\b/i,
    profile: { temperatureWithTopP: 'refused' },
    what: 'top_p',
    holds: (sent) => given(sent['temperature']) && given(sent['top_p']),
  },
  {
    says: /^unsupported parameter: 'max_tokens' is not supported with this model\. use 'max_completion_tokens'/i,
    profile: { olderLimit: 'refused' },
    what: 'max_tokens',
    holds: (sent) => given(sent['max_tokens']),
  },
  {
    says: /^(?:developer is not one of \['system'|unexpected message role\.?$|messages role developer is invalid\b|unknown role: developer\b|unsupported value: 'messages\[\d+\]\.role' does not support 'developer'|invalid parameter 'messages\[\d+\]\.role': invalid role 'developer'|failed to deserialize the json body into the target type: messages\[\d+\]\.role: unknown variant `developer`)/i,
    profile: { developerRole: 'refused' },
    what: 'developer',
    // If the message does not name the role, all other roles must be usual ones.
    holds: (sent) => {
      const roles = messagesOf(sent).map(({ role }) => role);
      return roles.includes('developer') && roles.every((role) => usualRoles.has(role));
    },
  },
  {
    says: /^(?:failed to deserialize the json body into the target type: )?messages\[\d+\](?:\.content)?: invalid type: sequence, expected a string\b/i,
    profile: { textLists: 'refused' },
    what: 'content',
    holds: (sent) => messagesOf(sent).some(({ content }) => Array.isArray(content) && content.every(isText)),
  },
  {
    says: /^(?:[\w :"-]{0,80}: ?"?)?system message must be at the beginning\b/i,
    profile: { laterInstructions: 'refused' },
    what: 'system',
    holds: (sent) => messagesOf(sent).some(({ role }, place) => place > 0 && role === 'system'),
  },
  {
    says: /^messages: unexpected role "system"\. the messages api accepts a top-level `system` parameter\b/i,
    profile: { laterInstructions: 'refused' },
    what: 'system',
    holds: (sent) => messagesOf(sent).some(({ role }) => role === 'system'),
  },
];

export function shapeLesson(said: string): Lesson | undefined {
  return shapes.find(({ says }) => says.test(said)) ?? userLesson(said);
}

function userLesson(said: string): Lesson | undefined {
  const tooLong =
    /^invalid '(?:user|safety_identifier|metadata\.user_id)': string too long\. expected a string with maximum length (\d+)\b/i;
  const between = /^[`'"]?user_id[`'"]? (?:must be|length must be) between (\d+) and (\d+) characters\b/i;
  const [, least, most = tooLong.exec(said)?.[1]] = between.exec(said) ?? [];
  const [charactersMin, charactersMax] = [Number(least ?? 0), Number(most)];
  if (most === undefined || charactersMax < Math.max(userCharactersMin, charactersMin)) return undefined;
  return {
    profile: { userId: { ...(charactersMin > 0 && { charactersMin }), charactersMax } },
    what: 'user',
    holds: (sent) => userIdsOf(sent).some(({ length }) => length > charactersMax || length < charactersMin),
  };
}

function userIdsOf(sent: Tree): string[] {
  const { metadata } = sent;
  const ids = [sent['user'], sent['safety_identifier'], sent['user_id'], isObject(metadata) && metadata['user_id']];
  return ids.filter((id) => typeof id === 'string');
}

function messagesOf(sent: Tree): readonly Tree[] {
  return Array.isArray(sent['messages']) ? sent['messages'].filter(isObject) : [];
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isText(part: unknown): boolean {
  return isObject(part) && part['type'] === 'text';
}

function numberIn(sentences: readonly RegExp[], said: string): number | undefined {
  for (const sentence of sentences) {
    const digits = sentence.exec(said)?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return undefined;
}
