/**
 * What Google's Gemini API refuses, by the texts of its errors in public reports (read 2026-11-15):
 * github.com/immersive-translate/immersive-translate/issues/2976 (thinking on 2.0), github.com/RooCodeInc/Roo-Code/issues/10700
 * (levels on 2.5), github.com/docker/docker-agent/issues/2051, github.com/vercel/ai/issues/8027 (budget 0),
 * github.com/juspay/neurolink/pull/1707 (ranges of budgets), github.com/pizza-bot-app/pizza-bot/issues/62 (keywords of schemas),
 * github.com/cline/cline/issues/7339 (names of functions); fields by ai.google.dev/api/generate-content. Of 3.7 and 3.8 (read
 * 2026-11-19): github.com/dograh-hq/dograh/issues/689 (level minimal), ai.google.dev/gemini-api/docs/gemini-3 (candidates, turns).
 */

import { given, type Json, listOf, objectOf, type Rules, refuse, ruleFor } from './refusal.ts';

interface ModelRow {
  readonly models: RegExp;
  readonly outputTokensMax: number;
  readonly budget?: { readonly least: number; readonly most: number; readonly canBeOff: boolean };
  readonly levels?: readonly string[];
  /** A call of the current turn must come back with its signature. */
  readonly signsCalls?: true;
  /** Takes one candidate, and no turn of the model at the end. */
  readonly strict?: true;
}

const rows: readonly ModelRow[] = [
  { models: /^gemini-2\.0-flash/, outputTokensMax: 8_192 },
  { models: /^gemini-2\.5-pro/, outputTokensMax: 65_536, budget: { least: 128, most: 32_768, canBeOff: false } },
  { models: /^gemini-2\.5-flash$/, outputTokensMax: 65_536, budget: { least: 1, most: 24_576, canBeOff: true } },
  {
    models: /^gemini-3-pro/,
    outputTokensMax: 65_536,
    budget: { least: 1, most: 65_536, canBeOff: false },
    levels: ['low', 'high'],
    signsCalls: true,
  },
  {
    models: /^gemini-3\.[78]-flash$/,
    outputTokensMax: 65_536,
    budget: { least: 1, most: 65_536, canBeOff: false },
    levels: ['low', 'medium', 'high'],
    signsCalls: true,
    strict: true,
  },
];

const fields: ReadonlySet<string> = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
  'serviceTier',
  'labels',
]);

const configFields: ReadonlySet<string> = new Set([
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'speechConfig',
  'thinkingConfig',
  'mediaResolution',
]);

/** Of `parameters`; a JSON Schema is in `parametersJsonSchema`. */
const schemaFields: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
  'default',
]);

export const geminiRules: Rules = (_wire, model, body) => {
  const row = ruleFor(rows, model);
  knownNames(body, fields, '');
  checkConfig(objectOf(body.generationConfig), row);
  checkTools(body);
  checkTurns(body, row);
  if (row.strict === true) checkStrict(body);
};

function checkStrict(body: Json): void {
  if (given(objectOf(body.generationConfig).candidateCount)) refuse('candidateCount is not supported for this model.');
  if (objectOf(listOf(body.contents).at(-1)).role === 'model')
    refuse('Please ensure that the conversation ends with a user turn.');
}

function knownNames(holder: Json, known: ReadonlySet<string>, place: string): void {
  for (const name of Object.keys(holder)) {
    const where = place === '' ? '' : ` at '${place}'`;
    if (!known.has(name)) refuse(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`);
  }
}

function checkConfig(config: Json, row: ModelRow): void {
  knownNames(config, configFields, 'generation_config');
  const limit = config.maxOutputTokens;
  if (typeof limit === 'number' && limit > row.outputTokensMax) {
    const range = `the supported range is from 1 (inclusive) to ${row.outputTokensMax + 1} (exclusive)`;
    refuse(`Unable to submit request because it has a maxOutputTokens value of ${limit} but ${range}.`);
  }
  if (listOf(config.stopSequences).length > 5) refuse('Only 5 stop sequences are supported.');
  if (typeof config.temperature === 'number' && config.temperature > 2)
    refuse('temperature must be in the range [0.0, 2.0].');
  if (given(config.thinkingConfig)) checkThinking(objectOf(config.thinkingConfig), row);
}

function checkThinking({ thinkingBudget: budget, thinkingLevel: level, includeThoughts }: Json, row: ModelRow): void {
  if (row.budget === undefined) refuse('thinking_config is not supported.');
  if (given(budget) && given(level)) refuse('You can only set only one of thinking budget and thinking level.');
  if (given(level)) {
    if (row.levels === undefined) refuse('Thinking level is not supported for this model.');
    const word = String(level).toLowerCase();
    if (!row.levels.includes(word)) refuse(`Thinking level ${word.toUpperCase()} is not supported for this model.`);
  }
  if (budget === 0 && !row.budget.canBeOff) refuse('Budget 0 is invalid. This model only works in thinking mode.');
  if (budget === 0 && includeThoughts === true) {
    refuse(
      'Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is enabled.',
    );
  }
  if (typeof budget !== 'number' || budget <= 0) return;
  const { least, most } = row.budget;
  if (budget < least || budget > most) {
    refuse(`The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`);
  }
}

function checkTools(body: Json): void {
  for (const [index, tool] of listOf(body.tools).entries()) {
    for (const [place, entry] of listOf(objectOf(tool).functionDeclarations).entries()) {
      const declaration = objectOf(entry);
      const path = `tools[${index}].function_declarations[${place}]`;
      if (!/^[a-zA-Z_][\w.:-]{0,127}$/.test(String(declaration.name))) {
        refuse(`${path}.name: Invalid function name. Must start with a letter or an underscore.`);
      }
      const declared = new Set([
        'name',
        'description',
        'parameters',
        'parametersJsonSchema',
        'response',
        'responseJsonSchema',
        'behavior',
      ]);
      knownNames(declaration, declared, path);
      if (given(declaration.parameters)) checkSchema(objectOf(declaration.parameters), `${path}.parameters`);
    }
  }
}

function checkSchema(schema: Json, path: string): void {
  knownNames(schema, schemaFields, path);
  for (const [index, [, property]] of Object.entries(objectOf(schema.properties)).entries()) {
    checkSchema(objectOf(property), `${path}.properties[${index}].value`);
  }
  if (given(schema.items)) checkSchema(objectOf(schema.items), `${path}.items`);
  if (String(schema.type).toLowerCase() === 'array' && !given(schema.items)) refuse(`${path}.items: missing field.`);
  for (const [index, choice] of listOf(schema.anyOf).entries())
    checkSchema(objectOf(choice), `${path}.any_of[${index}]`);
}

function checkTurns(body: Json, row: ModelRow): void {
  const contents = listOf(body.contents).map(objectOf);
  if (contents.length === 0) refuse('GenerateContentRequest.contents: contents is not specified');
  let calls = 0;
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== undefined && role !== 'user' && role !== 'model') refuse('Please use a valid role: user, model.');
    const said = listOf(parts).map(objectOf);
    if (said.length === 0) refuse(`GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`);
    const results = said.filter((part) => given(part.functionResponse)).length;
    if (calls !== results) {
      refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
    const called = said.filter((part) => given(part.functionCall));
    calls = called.length;
    const isLast = index >= contents.length - 2;
    const isUnsigned = called.length > 0 && !given(called[0]?.thoughtSignature);
    if (row.signsCalls === true && isLast && isUnsigned) {
      refuse('Function call is missing a thought_signature in functionCall parts.');
    }
  }
}
