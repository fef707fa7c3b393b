/** No field of a request is lost without a name: an unknown one in any object, or a documented one that nothing carries. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../../src/conversation/gateway-error.ts';
import type { Tree } from '../../../src/formats/format.ts';
import { laneOf, lossNames, pairs, translatedPairs, type WireName } from './lanes.ts';
import { objectsIn, placesIn, requests, said, withField, without } from './requests.ts';

/** Objects that are lost or kept as a whole: a field in one of them needs no name of its own where the object has this one. */
const wholes: Readonly<Record<WireName, Readonly<Record<string, string>>>> = {
  'openai-chat': {
    logit_bias: 'logit_bias',
    metadata: 'metadata',
    prediction: 'prediction',
    audio: 'audio',
    modalities: 'modalities',
    'web_search_options.user_location': 'web search user location',
    'messages[1].content[4].video_url': 'messages[1] video',
    'messages[2].annotations': 'messages[2] citation',
    'messages[2].audio': 'messages[2].audio',
  },
  'openai-responses': {
    metadata: 'metadata',
    context_management: 'context_management',
    stream_options: 'stream_options',
    'tools[3]': 'tool code_interpreter',
    'tools[4]': 'tool file_search',
    'tools[5].user_location': 'web search user location',
  },
  'anthropic-messages': {
    context_management: 'context_management',
    mcp_servers: 'mcp_servers',
    container: 'container',
    'thinking.block_binding': 'thinking.block_binding',
    'output_config.task_budget': 'output_config.task_budget',
    'messages[0].content[5]': 'messages[1] container_upload',
    'messages[1].content[3].caller': 'messages[1].content[3].caller',
    'tools[1].user_location': 'web search user location',
  },
  'gemini-generate': {
    labels: 'labels',
    safetySettings: 'safetySettings',
    'contents[1].parts[1].partMetadata': 'contents[1].parts[1].partMetadata',
    'generationConfig.imageConfig': 'generationConfig.imageConfig',
    'generationConfig.speechConfig': 'generationConfig.speechConfig',
    'generationConfig.responseModalities': 'modalities',
    'toolConfig.retrievalConfig': 'toolConfig.retrievalConfig',
    'tools[1].googleSearch.timeRangeFilter': 'web search timeRangeFilter',
    'tools[2].codeExecution': 'tool codeExecution',
  },
};

function isNamedWhole(client: WireName, place: string, losses: readonly string[]): boolean {
  const whole = Object.entries(wholes[client]).find(
    ([path]) => place.startsWith(path) && /^(?:[.[]|$)/.test(place.slice(path.length)),
  );
  return whole !== undefined && losses.some((loss) => loss.endsWith(whole[1]) || loss.endsWith(`${whole[1]}s`));
}

describe.each(translatedPairs)('%s > %s', (client, provider) => {
  test('an unknown field in any object arrives, or is named', () => {
    const silent: string[] = [];
    for (const path of objectsIn(requests[client])) {
      const lane = laneOf(client, provider, withField(requests[client], path, 'zz_next_year', 'zz-value'));
      const names = lossNames(lane.losses);
      const arrives = JSON.stringify(lane.sent).includes('zz-value');
      const isNamed = names.some((name) => name.includes('zz_next_year')) || isNamedWhole(client, said(path), names);
      if (!arrives && !isNamed) silent.push(said(path));
    }
    expect(silent).toEqual([]);
  });

  test('a field that makes no difference to what is sent is named', () => {
    const request = requests[client];
    const outcome = outcomeOf(client, provider, request);
    const silent: string[] = [];
    for (const path of placesIn(request)) {
      const place = said(path);
      if (meansNothing[client].test(place) || (alsoMeansNothing[provider]?.test(place) ?? false)) continue;
      const left = outcomeOf(client, provider, without(request, path));
      if (left === outcome && !isNamedWhole(client, place, lossNames(laneOf(client, provider, request).losses))) {
        silent.push(place);
      }
    }
    expect(silent).toEqual([]);
  });
});

test('between equal formats no field is looked at: every unknown one arrives', () => {
  for (const [client, provider] of pairs.filter(([one, other]) => one === other)) {
    for (const path of objectsIn(requests[client])) {
      const lane = laneOf(client, provider, withField(requests[client], path, 'zz_next_year', 'zz-value'));
      expect(lane.kind).not.toBe('translate');
      expect(lane.losses).toEqual([]);
    }
  }
});

/** What the provider gets, and what is named; or the refusal, where a body without the place makes no sense. */
function outcomeOf(client: WireName, provider: WireName, request: Tree): string {
  try {
    const lane = laneOf(client, provider, request);
    return JSON.stringify([lane.sent, lossNames(lane.losses)]);
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

/**
 * Fields that other formats have no need of: the kind of an object that its other fields tell, an id that only pairs a call
 * with the result behind it, a default, and what says the same as another field of the body.
 */
const meansNothing: Readonly<Record<WireName, RegExp>> = {
  'openai-chat':
    /^(?:model|n|reasoning_effort)$|budget_tokens$|include_usage$|\.type$|tool_call_id$|messages\[5\]\.content$|input_audio\.format$|cache_control|json_schema\.(?:name|strict)$|^top_logprobs$/,
  'openai-responses':
    /^(?:model|store|top_logprobs)$|^include|\.type$|\.mode$|input\[1\]\.id$|input\[3\]\.(?:id|status)$|annotations$|input_audio\.format$|input\[7\]\.arguments$|reasoning\.summary$|text\.format\.(?:name|strict)$/,
  'anthropic-messages':
    /^model$|\.type$|media_type$|tool_use_id$|\.effort$|budget_tokens$|thinking\.display$|service_tier$|cache_control|tools\[1\]\.name$|content\[2\]\.id$/,
  'gemini-generate':
    /\.role$|functionResponse\.(?:id|name)$|fileData\.(?:mimeType|displayName)$|candidateCount$|responseMimeType$|includeThoughts$|thinkingBudget$|executableCode\.language$/,
};

const alsoMeansNothing: Partial<Readonly<Record<WireName, RegExp>>> = {
  // It has no strict functions but in a mode for all of them.
  'gemini-generate': /\.strict$/,
};
