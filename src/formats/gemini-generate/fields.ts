/** Google Gemini generateContent, what the fields of a request can do. https://ai.google.dev/api/generate-content (read 2026-11-19). */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { carries, carriesByKind, readFields } from '../fields/carried-fields.ts';
import {
  type Carried,
  carried,
  type Field,
  type FieldTable,
  fieldsOf,
  type HostedTool,
  type RequestFields,
} from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { readSignature, said, snakeName } from './wire.ts';

/** Both spellings of each name. */
function spelled<Kind extends Field>(kind: Kind, ...lists: readonly string[]): Record<string, Kind> {
  const names = lists.flatMap((list) => list.split(' '));
  return fieldsOf(kind, ...names, ...names.map(snakeName));
}

const bothSpellings = (names: string): string => `${names} ${names.split(' ').map(snakeName).join(' ')}`;
const carriesSpelled = (names: string, others?: Parameters<typeof carries>[1]): Carried =>
  carries(bothSpellings(names), others);

const blobs = spelled('plain', 'mimeType data fileUri displayName');
const blob: FieldTable = { ...blobs, [carried]: carriesSpelled('mimeType data displayName') };
const file: FieldTable = { ...blobs, [carried]: carriesSpelled('mimeType fileUri displayName') };
const resolution: FieldTable = { [carried]: carries('level') };

/** What the reader makes of a part, as it finds out; any other is kept whole. */
function kindOfPart(part: Tree): string | undefined {
  // Nearly every part.
  if (typeof part['text'] === 'string') return 'text';
  const isSigned = readSignature(part) !== undefined;
  if (part['thought'] === true && isSigned) return 'text';
  const call = said(part, 'functionCall');
  if (isObject(call) && typeof call['name'] === 'string') return 'call';
  if (isObject(said(part, 'functionResponse'))) return 'response';
  if (isObject(said(part, 'executableCode')) || isObject(said(part, 'codeExecutionResult'))) return 'ran';
  if (isSigned || said(part, 'videoMetadata') !== undefined) return undefined;
  return isObject(said(part, 'inlineData')) || isObject(said(part, 'fileData')) ? 'media' : undefined;
}

const parts: Record<string, Field> & FieldTable = {
  ...spelled('plain', 'text thought thoughtSignature mediaProcessing'),
  ...spelled('opaque', 'partMetadata toolCall toolResponse mediaResolution audioTranscription speechMetadata'),
  ...tables({
    inlineData: blob,
    fileData: file,
    videoMetadata: spelled('plain', 'startOffset endOffset fps'),
    functionCall: {
      ...spelled('plain', 'id name willContinue'),
      ...spelled('opaque', 'args partialArgs'),
      [carried]: carries('id name args'),
    },
    executableCode: fieldsOf('plain', 'id code language'),
    codeExecutionResult: fieldsOf('plain', 'id outcome output'),
  }),
  [carried]: carriesByKind(
    kindOfPart,
    {
      text: bothSpellings('text thought thoughtSignature'),
      call: bothSpellings('functionCall thought thoughtSignature'),
      response: bothSpellings('functionResponse'),
      ran: bothSpellings('executableCode codeExecutionResult thought thoughtSignature'),
      media: bothSpellings('inlineData fileData mediaResolution'),
    },
    { inside: tables({ mediaResolution: resolution }) },
  ),
};
const mediaOnly: FieldTable = {
  ...tables({ inlineData: blob, fileData: file, mediaResolution: resolution }),
  [carried]: carriesSpelled('inlineData fileData mediaResolution'),
};
const response: FieldTable = {
  ...spelled('plain', 'id name willContinue scheduling'),
  response: 'opaque',
  parts,
  [carried]: carries('id name response parts', { inside: { parts: mediaOnly } }),
};
Object.assign(parts, tables({ functionResponse: response }));

function kindOfAnswered(part: Tree): string | undefined {
  if (typeof part['text'] === 'string') return 'text';
  if (isObject(part['functionCall'])) return 'call';
  if (part['thought'] === true) return readSignature(part) === undefined ? undefined : 'text';
  return isObject(part['inlineData']) || isObject(part['fileData']) ? 'media' : undefined;
}

/** A call may come in pieces here; the signature of media is reported where it is read. */
const answered: FieldTable = {
  ...parts,
  [carried]: carriesByKind(
    kindOfAnswered,
    {
      text: 'text thought thoughtSignature',
      call: 'functionCall thoughtSignature',
      media: 'inlineData fileData mediaResolution thoughtSignature',
    },
    {
      inside: {
        mediaResolution: resolution,
        functionCall: { [carried]: carries('id name args partialArgs willContinue') },
      },
    },
  ),
};

/** The fields of a reply, or of a chunk of one. */
export const replyTable: FieldTable = {
  candidates: {
    content: { role: 'plain', parts: answered, [carried]: carries('role parts') },
    [carried]: carries('content finishReason index logprobsResult citationMetadata', { keepsOthers: true }),
  },
  [carried]: carries('candidates usageMetadata modelVersion responseId createTime', { keepsOthers: true }),
};

const content: FieldTable = { role: 'plain', parts, [carried]: carries('role parts') };

const config: FieldTable = {
  ...spelled(
    'plain',
    'candidateCount maxOutputTokens temperature topP topK seed stopSequences presencePenalty frequencyPenalty',
    'responseMimeType responseModalities responseLogprobs logprobs mediaResolution audioTimestamp',
    'enableEnhancedCivicAnswers enableAffectiveDialog automaticContinuation',
  ),
  ...spelled('opaque', 'responseSchema responseJsonSchema responseFormat speechConfig translationConfig'),
  ...tables({
    thinkingConfig: spelled('plain', 'thinkingBudget includeThoughts thinkingLevel'),
    audioTranscriptionConfig: {
      ...spelled('plain', 'languageCodes customVocabulary adaptationPhrases wordTimestamp diarization mode'),
      ...spelled('opaque', 'languageAuto languageHints'),
    },
    generationOutputConfig: spelled('plain', 'outputUriPrefix'),
    imageConfig: {
      ...spelled(
        'plain',
        'aspectRatio imageSize personGeneration prominentPeople outputMimeType outputCompressionQuality',
      ),
      ...tables({ imageOutputOptions: spelled('plain', 'mimeType compressionQuality') }),
    },
  }),
  ...spelled('routing', 'routingConfig modelConfig modelSelectionConfig'),
  [carried]: carriesSpelled(
    'temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty frequencyPenalty ' +
      'responseLogprobs logprobs responseMimeType responseSchema responseJsonSchema _responseJsonSchema ' +
      'responseModalities speechConfig thinkingConfig',
    { keepsOthers: true },
  ),
};

const table: FieldTable = {
  ...spelled('plain', 'model cachedContent serviceTier store continuationToken'),
  ...spelled('opaque', 'labels'),
  contents: content,
  tools: 'tools',
  ...tables({
    systemInstruction: content,
    generationConfig: config,
    safetySettings: fieldsOf('plain', 'category threshold method'),
    modelArmorConfig: spelled('plain', 'promptTemplateName responseTemplateName'),
    toolConfig: {
      ...spelled('plain', 'includeServerSideToolInvocations'),
      ...spelled('opaque', 'retrievalConfig'),
      ...tables({
        functionCallingConfig: {
          ...spelled('plain', 'mode allowedFunctionNames streamFunctionCallArguments'),
          [carried]: carriesSpelled('mode allowedFunctionNames'),
        },
      }),
      [carried]: carriesSpelled('functionCallingConfig', { keepsOthers: true }),
    },
  }),
  [carried]: carriesSpelled('model contents systemInstruction tools toolConfig generationConfig serviceTier', {
    keepsOthers: true,
  }),
};

export const configRows = readFields(config);

/** Each under both spellings. */
function tables<Value extends Field>(given: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, one]) => [
      [name, one],
      [snakeName(name), one],
    ]),
  );
}

const ownTools: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'function_declarations',
  'computerUse',
  'computer_use',
]);

/** Those that have a list of settings; a list elsewhere is as unknown as a field. */
const listedTools: ReadonlySet<string> = new Set(['mcpServers', 'mcp_servers']);

/** One entry has a member for each tool. */
function hostedIn(tool: Tree): readonly HostedTool[] {
  const hosted: HostedTool[] = [];
  for (const key in tool) {
    const isGiven = isObject(tool[key]) || (listedTools.has(key) && Array.isArray(tool[key]));
    if (ownTools.has(key) || !isGiven) continue;
    hosted.push({ name: hostedName(key), key });
  }
  return hosted;
}

/** Code runs at no charge here, so it is not what other formats bill by the session. */
function hostedName(key: string): string {
  return snakeName(key) === 'code_execution' ? 'code_execution' : hostedToolName(key);
}

export const isOwnTool = (tool: Tree): boolean => hostedIn(tool).length === 0;

export const fields: RequestFields = {
  table,
  hostedIn,
  withoutFee: new Set(['code_execution', 'web_fetch', 'mcp_servers']),
};
