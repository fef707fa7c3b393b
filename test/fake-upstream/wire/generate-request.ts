/** Reads a content-generation request as strictly as the original service does. */

import {
  base64,
  filled,
  type Json,
  knownFields,
  list,
  must,
  object,
  oneOf,
  type Seen,
  type SeenItem,
  type SeenTool,
  type SeenTurn,
  shown,
  text,
} from './seen.ts';

const fields = [
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'serviceTier',
  'cachedContent',
];

const configFields = [
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'stopSequences',
  'candidateCount',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseModalities',
  'mediaResolution',
];

/** Objects whose members are named by the caller and are no fields of the format. */
const opaque: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
]);

/** The service takes both spellings of a field: https://protobuf.dev/programming-guides/json/ (read 2026-11-15). */
function camelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelFields);
  if (typeof value !== 'object' || value === null) return value;
  const named = Object.entries(value).map(([name, inner]) => {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [camel, opaque.has(camel) ? inner : camelFields(inner)];
  });
  return Object.fromEntries(named);
}

/** It takes both alphabets of base64 as well. */
function plainBase64(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('-', '+').replaceAll('_', '/') : value;
}

export function readGenerate(given: Json): Seen {
  const body = object(camelFields(given), 'body');
  knownFields(body, fields, 'body');
  const config = body.generationConfig === undefined ? {} : object(body.generationConfig, 'generationConfig');
  knownFields(config, configFields, 'generationConfig');
  const thinking = config.thinkingConfig === undefined ? undefined : object(config.thinkingConfig, 'thinkingConfig');
  if (thinking !== undefined)
    knownFields(thinking, ['includeThoughts', 'thinkingBudget', 'thinkingLevel'], 'thinkingConfig');
  return {
    system: readSystem(body.systemInstruction),
    turns: readContents(list(body.contents, 'contents')),
    tools: body.tools === undefined ? [] : list(body.tools, 'tools').flatMap(readTools),
    choice: readChoice(body.toolConfig),
    schema: readSchema(config),
    thinks: thinking !== undefined && thinking.thinkingBudget !== 0,
    showsThoughts: thinking?.includeThoughts === true,
    wantsSeals: true,
    maxTokens: config.maxOutputTokens,
    temperature: config.temperature,
    stop: config.stopSequences === undefined ? [] : (list(config.stopSequences, 'stopSequences') as string[]),
    wantsUsage: true,
  };
}

function readSystem(instruction: unknown): string[] {
  if (instruction === undefined) return [];
  const parts = list(object(instruction, 'systemInstruction').parts, 'systemInstruction.parts');
  return parts.map((part) => filled(object(part, 'systemInstruction').text, 'systemInstruction.parts.text'));
}

function readContents(contents: readonly unknown[]): SeenTurn[] {
  must(contents.length > 0, 'contents: is not specified');
  const turns: SeenTurn[] = [];
  for (const [index, entry] of contents.entries()) {
    const place = `contents[${index}]`;
    const { role, parts } = object(entry, place);
    oneOf(role, ['user', 'model'], `${place}.role`);
    const given = list(parts, `${place}.parts`);
    must(given.length > 0, `${place}.parts: must not be empty`);
    const items = given.map((part, at) => readPart(object(part, place), `${place}.parts[${at}]`));
    checkLoop(turns.at(-1), items, place);
    turns.push({ role: role === 'model' ? 'assistant' : 'user', items });
  }
  must(turns[0]?.role === 'user', 'contents: must begin with the user');
  must(!turns.at(-1)?.items.some(({ kind }) => kind === 'call'), 'contents: must not end with a function call');
  return turns;
}

/** Answers come directly after their calls, as many as there were calls and under the same names. */
function checkLoop(before: SeenTurn | undefined, items: readonly SeenItem[], place: string): void {
  const calls = (before?.items ?? []).flatMap((item) => (item.kind === 'call' ? [item] : []));
  const results = items.flatMap((item) => (item.kind === 'result' ? [item] : []));
  const names = (list: readonly { name?: string }[]) => list.map(({ name }) => name).sort();
  must(
    names(calls).join() === names(results).join(),
    `${place}: function responses ${names(results).join()} do not equal the function calls ${names(calls).join()}`,
  );
  for (const { id } of results) {
    if (id !== undefined)
      must(
        calls.some((call) => call.id === id),
        `${place}: no function call has the id ${id}`,
      );
  }
  if (items.some(({ kind }) => kind === 'call')) {
    must(before?.role === 'user', `${place}: a function call comes right after a user turn or a function response`);
  }
}

function readPart(part: Json, place: string): SeenItem {
  const known = ['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'];
  knownFields(part, known, place);
  const seal = part.thoughtSignature === undefined ? undefined : signature(part.thoughtSignature, place);
  if (part.functionCall !== undefined) {
    const call = object(part.functionCall, `${place}.functionCall`);
    knownFields(call, ['id', 'name', 'args'], `${place}.functionCall`);
    const input = object(call.args ?? {}, `${place}.functionCall.args`);
    return { kind: 'call', id: call.id as string | undefined, name: filled(call.name, `${place}.name`), input, seal };
  }
  if (part.functionResponse !== undefined) {
    const answer = object(part.functionResponse, `${place}.functionResponse`);
    knownFields(answer, ['id', 'name', 'response', 'parts'], `${place}.functionResponse`);
    const name = filled(answer.name, `${place}.functionResponse.name`);
    const response = object(answer.response, `${place}.functionResponse.response`);
    return { kind: 'result', id: answer.id as string | undefined, name, text: JSON.stringify(response) };
  }
  if (part.inlineData !== undefined) {
    const { mimeType, data } = object(part.inlineData, `${place}.inlineData`);
    return {
      kind: 'image',
      mediaType: filled(mimeType, `${place}.mimeType`),
      data: base64(plainBase64(data), `${place}.data`),
    };
  }
  if (part.fileData !== undefined) {
    const { mimeType, fileUri } = object(part.fileData, `${place}.fileData`);
    return { kind: 'image', mediaType: mimeType as string, url: filled(fileUri, `${place}.fileUri`) };
  }
  const said = text(part.text, `${place}.text`);
  return part.thought === true ? { kind: 'thinking', text: said, seal } : { kind: 'text', text: said };
}

/** A documented placeholder instead of a signature is accepted, and counts as none. */
function signature(value: unknown, place: string): string | undefined {
  if (value === 'skip_thought_signature_validator') return undefined;
  return base64(plainBase64(value), `${place}.thoughtSignature`);
}

function readTools(entry: unknown): SeenTool[] {
  const tool = object(entry, 'tool');
  knownFields(tool, ['functionDeclarations', 'googleSearch'], 'tool');
  return list(tool.functionDeclarations ?? [], 'functionDeclarations').map((one) => {
    const declared = object(one, 'functionDeclaration');
    knownFields(declared, ['name', 'description', 'parameters', 'parametersJsonSchema'], 'functionDeclaration');
    const { parameters, parametersJsonSchema } = declared;
    must(parameters === undefined || parametersJsonSchema === undefined, 'functionDeclaration: two schemas');
    const schema = object(parameters ?? parametersJsonSchema, 'functionDeclaration.parameters');
    if (parameters !== undefined) must(schema.additionalProperties === undefined, 'parameters: additionalProperties');
    return { name: filled(declared.name, 'functionDeclaration.name'), description: declared.description, schema };
  });
}

function readChoice(toolConfig: unknown): Seen['choice'] {
  if (toolConfig === undefined) return 'auto';
  const config = object(toolConfig, 'toolConfig');
  if (config.functionCallingConfig === undefined) return 'auto';
  const { mode, allowedFunctionNames } = object(config.functionCallingConfig, 'functionCallingConfig');
  oneOf(mode, ['AUTO', 'ANY', 'NONE', 'VALIDATED', undefined], 'functionCallingConfig.mode');
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [name] = list(allowedFunctionNames ?? [], 'allowedFunctionNames');
  return name === undefined ? 'required' : { name: text(name, 'allowedFunctionNames') };
}

function readSchema(config: Json): Json | undefined {
  const schema = config.responseJsonSchema ?? config.responseSchema;
  if (schema === undefined) return undefined;
  must(config.responseMimeType === 'application/json', `responseMimeType: ${shown(config.responseMimeType)}`);
  return object(schema, 'the response schema');
}
