/** Google Gemini generateContent, what the fields of a request can do. https://ai.google.dev/api/generate-content (read 2026-11-19). */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type Field, type FieldTable, fieldsOf, type HostedTool, type RequestFields } from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { snakeName } from './wire.ts';

/** Both spellings of each name. */
function spelled<Kind extends Field>(kind: Kind, ...lists: readonly string[]): Record<string, Kind> {
  const names = lists.flatMap((list) => list.split(' '));
  return fieldsOf(kind, ...names, ...names.map(snakeName));
}

const blob: FieldTable = spelled('plain', 'mimeType data fileUri displayName');

const parts: Record<string, Field> = {
  ...spelled('plain', 'text thought thoughtSignature mediaProcessing'),
  ...spelled('opaque', 'partMetadata toolCall toolResponse mediaResolution audioTranscription speechMetadata'),
  ...tables({
    inlineData: blob,
    fileData: blob,
    videoMetadata: spelled('plain', 'startOffset endOffset fps'),
    functionCall: { ...spelled('plain', 'id name willContinue'), ...spelled('opaque', 'args partialArgs') },
    executableCode: fieldsOf('plain', 'id code language'),
    codeExecutionResult: fieldsOf('plain', 'id outcome output'),
  }),
};
const response = { ...spelled('plain', 'id name willContinue scheduling'), response: 'opaque', parts } as const;
Object.assign(parts, tables({ functionResponse: response }));

const content: FieldTable = { role: 'plain', parts };

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
        functionCallingConfig: spelled('plain', 'mode allowedFunctionNames streamFunctionCallArguments'),
      }),
    },
  }),
};

/** Each under both spellings. */
function tables(given: FieldTable): FieldTable {
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
