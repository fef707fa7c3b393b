/** Reads what was typed and pasted into the settings: numbers, tools in any of the usual shapes, a schema; and says what cannot be read. */

import type { CheckedParameters, ToolSpec } from '../../formats/format-adapter.ts';
import { type Fields, fieldsOf, textOf } from '../../formats/read-values.ts';
import { type ParameterName, type Parameters, parameterNames, type Settings } from '../conversation.ts';

export interface CheckedSettings {
  readonly system: string;
  readonly parameters: CheckedParameters;
  readonly tools: readonly ToolSpec[];
  readonly schema?: object;
}

/** What can be set beside the system prompt. */
export type SettingName = ParameterName | 'tools' | 'schema';

interface SettingsReading {
  readonly checked: CheckedSettings;
  readonly faults: readonly SettingName[];
}

/** `taken` are those that the format can say and the model takes; the others stay behind, whatever is written in them. */
export function readSettings(settings: Settings, taken: ReadonlySet<SettingName>): SettingsReading {
  const faults: SettingName[] = [];
  const tools = taken.has('tools') ? readTools(settings.toolsText) : [];
  const schema = taken.has('schema') ? readSchema(settings.schemaText) : undefined;
  if (tools === undefined) faults.push('tools');
  if (schema === 'unreadable') faults.push('schema');
  const parameters = readParameters(settings.parameters, taken, faults);
  return {
    checked: {
      system: settings.system.trim(),
      parameters,
      tools: tools ?? [],
      ...(typeof schema === 'object' && { schema }),
    },
    faults,
  };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly isWhole?: boolean;
}

/** Wide on purpose: where exactly a model's limits lie, its provider says best. */
export const parameterBounds: Readonly<Record<Exclude<ParameterName, 'stop' | 'effort'>, Bounds>> = {
  temperature: { least: 0, most: 2 },
  topP: { least: 0, most: 1 },
  topK: { least: 1, most: 1_000, isWhole: true },
  maxTokens: { least: 1, most: 10_000_000, isWhole: true },
  seed: { least: -2_147_483_648, most: 2_147_483_647, isWhole: true },
  presencePenalty: { least: -2, most: 2 },
  frequencyPenalty: { least: -2, most: 2 },
};

function readParameters(given: Parameters, taken: ReadonlySet<SettingName>, faults: SettingName[]): CheckedParameters {
  const read: Fields = {};
  for (const name of parameterNames) {
    const text = given[name]?.trim() ?? '';
    if (text === '' || !taken.has(name)) continue;
    if (name === 'effort') read[name] = text;
    else if (name === 'stop') read[name] = (given[name] ?? '').split('\n').filter((line) => line !== '');
    else {
      const value = Number(text);
      const { least, most, isWhole } = parameterBounds[name];
      const fits = value >= least && value <= most && (isWhole !== true || Number.isInteger(value));
      if (fits) read[name] = value;
      else faults.push(name);
    }
  }
  return read as CheckedParameters;
}

/** Nothing where it cannot be read; an empty text is an empty list. */
export function readTools(text: string): readonly ToolSpec[] | undefined {
  if (text.trim() === '') return [];
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const tools = flattened(value).map(toolOf);
  const known = tools.filter((tool) => tool !== undefined);
  return known.length === tools.length && known.length > 0 ? known : undefined;
}

/** One, a list, or the object that some formats put around the list. */
function flattened(value: object): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap((entry) => flattened(fieldsOf(entry)));
  const fields = fieldsOf(value);
  const inner = fields['tools'] ?? fields['functionDeclarations'] ?? fields['function_declarations'];
  return Array.isArray(inner) ? flattened(inner) : [fields];
}

const schemaNames = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema', 'schema'] as const;

function toolOf(entry: Fields): ToolSpec | undefined {
  const fields = entry['function'] === undefined ? entry : fieldsOf(entry['function']);
  const holder = schemaNames.find((name) => typeof fields[name] === 'object' && fields[name] !== null);
  // A schema by itself is a tool whose title is its name.
  const isSchema = holder === undefined && (fields['properties'] !== undefined || fields['$schema'] !== undefined);
  const name = nameOf(textOf(fields['name']) || textOf(fields['title']) || (isSchema ? 'tool' : ''));
  if (name === '') return undefined;
  const description = textOf(fields['description']);
  const schema =
    holder !== undefined ? fieldsOf(fields[holder]) : isSchema ? fields : { type: 'object', properties: {} };
  return { name, ...(description !== '' && { description }), schema };
}

/** What every format allows in a name. */
const nameOf = (name: string) =>
  name
    .trim()
    .replaceAll(/[^\w-]+/g, '_')
    .slice(0, 64);

function readSchema(text: string): object | 'unreadable' | undefined {
  if (text.trim() === '') return undefined;
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'unreadable';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
