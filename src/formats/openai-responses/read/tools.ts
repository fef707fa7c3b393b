/** Reads the declared tools and the choice among them; tools that the provider runs keep their own shape. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type {
  HostedTool,
  JsonSchema,
  ToolChoice,
  ToolDeclaration,
  WebSearch,
} from '../../../conversation/text-request.ts';
import { readDomains, readLocation, readWord, searchOf, take } from '../../web-search.ts';
import { formatName, list, text } from '../wire.ts';

/** The unique name of a tool by its namespace and its name in it; undefined where no such tool is declared. */
export type NameFinder = (namespace: string, name: string) => string | undefined;

/** For replies: by the tools as they were declared. */
export function nameFinder(tools: ReadonlyMap<string, ToolDeclaration> | undefined): NameFinder {
  return (group, name) => {
    for (const { name: unique, namespace } of tools?.values() ?? []) {
      if (namespace?.name === group && namespace.toolName === name) return unique;
    }
    return undefined;
  };
}

/**
 * The declared tools under unique names. The format groups some in namespaces, within which they are named, and lets items of
 * the conversation bring further ones.
 */
export class DeclaredTools {
  readonly hosted: HostedTool[] = [];
  readonly #functions = new Map<string, ToolDeclaration>();
  /** The unique name by the namespace and the name in it. */
  readonly #grouped = new Map<string, string>();
  readonly #plain: ReadonlySet<string>;
  #searchName = 'tool_search';
  readonly #losses: LossList;

  constructor(tree: Tree, losses: LossList) {
    this.#losses = losses;
    const brought: [readonly unknown[], string][] = [];
    for (const [index, item] of list(tree['input']).entries()) {
      if (isObject(item) && bringsTools(item)) brought.push([list(item['tools']), `input[${index}].tools`]);
    }
    const declared = list(tree['tools']);
    this.#plain = new Set([declared, ...brought.map(([tools]) => tools)].flatMap(plainNames));
    this.#declare(declared, 'tools', false);
    for (const [tools, path] of brought) this.#declare(tools, path, true);
  }

  get functions(): readonly ToolDeclaration[] {
    return [...this.#functions.values()];
  }

  /** Also for a call of a tool that is no longer declared. */
  readonly nameOf = (namespace: string, name: string): string =>
    this.#grouped.get(groupedKey(namespace, name)) ?? joinedName(namespace, name);

  /** The unique names of all tools of a namespace. */
  namesIn(namespace: string): readonly string[] {
    return this.functions.flatMap((tool) => (tool.namespace?.name === namespace ? [tool.name] : []));
  }

  #declare(tools: readonly unknown[], path: string, placed: boolean): void {
    const place = placed ? { placedIn: formatName } : {};
    for (const [index, tool] of tools.entries()) {
      const at = `${path}[${index}]`;
      if (!isObject(tool)) {
        this.#losses.add(at, 'is not a tool');
        continue;
      }
      const called = readCalled(tool, at, this.#losses) ?? this.#readSearch(tool);
      if (called !== undefined) this.#add({ ...called, ...place });
      else if (tool['type'] === 'namespace' && typeof tool['name'] === 'string') {
        this.#declareGroup(tool, tool['name'], at, place);
      } else if (isWebSearch(tool['type'])) this.hosted.push({ ...readWebSearch(tool), ...place });
      else this.hosted.push({ kind: 'native', format: formatName, value: tool, ...place });
    }
  }

  #declareGroup(group: Tree, name: string, path: string, place: { readonly placedIn?: string }): void {
    const description = text(group['description']);
    for (const [index, tool] of list(group['tools']).entries()) {
      const at = `${path}.tools[${index}]`;
      const called = isObject(tool) ? readCalled(tool, at, this.#losses) : undefined;
      if (called === undefined) {
        this.#losses.add(at, 'is not a tool that a namespace can hold');
        continue;
      }
      const namespace = { name, toolName: called.name, ...(description === undefined ? {} : { description }) };
      this.#add({ ...called, ...place, name: this.#uniqueName(name, called.name), namespace });
    }
  }

  /** Only where the client runs it; a provider's own search is one of its hosted tools. */
  #readSearch(tool: Tree): ToolDeclaration | undefined {
    const { description, parameters } = tool;
    if (tool['type'] !== 'tool_search' || tool['execution'] !== 'client') return undefined;
    while (this.#plain.has(this.#searchName)) this.#searchName += '_2';
    return {
      name: this.#searchName,
      ...(typeof description === 'string' ? { description } : {}),
      ...(isObject(parameters) ? { parameters } : {}),
      searches: true,
    };
  }

  get searchName(): string {
    return this.#searchName;
  }

  /** The result of a search, as text. */
  foundIn(item: Tree): string {
    const names = list(item['tools']).flatMap((tool) => (isObject(tool) ? this.#namesOf(tool) : []));
    return names.length === 0
      ? 'No tool was found.'
      : `These tools were found and can be called now: ${names.join(', ')}`;
  }

  #namesOf(tool: Tree): readonly string[] {
    const name = text(tool['name']);
    if (name === undefined) return [];
    if (tool['type'] !== 'namespace') return [name];
    return list(tool['tools']).flatMap((inner) => {
      const own = isObject(inner) ? text(inner['name']) : undefined;
      return own === undefined ? [] : [this.nameOf(name, own)];
    });
  }

  /** A declaration in an item replaces an earlier one. */
  #add(tool: ToolDeclaration): void {
    this.#functions.set(tool.name, tool);
  }

  #uniqueName(namespace: string, name: string): string {
    const key = groupedKey(namespace, name);
    const known = this.#grouped.get(key);
    if (known !== undefined) return known;
    const joined = joinedName(namespace, name);
    let unique = joined;
    for (let number = 2; this.#plain.has(unique) || this.#functions.has(unique); number++)
      unique = `${joined}_${number}`;
    this.#grouped.set(key, unique);
    return unique;
  }
}

export const additionalTools = 'additional_tools';

/** Further tools are in items of their own, and in results of the client's search. */
function bringsTools(item: Tree): boolean {
  return item['type'] === additionalTools || isSearchItem(item, 'tool_search_output');
}

/** Of a search that the client runs: only those have an id that call and result share. */
export function isSearchItem(item: Tree, type: 'tool_search_call' | 'tool_search_output'): boolean {
  return item['type'] === type && item['execution'] === 'client' && typeof item['call_id'] === 'string';
}

function plainNames(tools: readonly unknown[]): string[] {
  return tools.flatMap((tool) => (isObject(tool) && tool['type'] !== 'namespace' ? (text(tool['name']) ?? []) : []));
}

function groupedKey(namespace: string, name: string): string {
  return `${namespace}\0${name}`;
}

const nameCharactersMax = 64;

/** If a name is too long for any format, the namespace is shortened: the tool's own name matters more. */
function joinedName(namespace: string, name: string): string {
  const group = namespace.replace(/_+$/, '');
  const room = Math.max(nameCharactersMax - name.length - 2, 8);
  return `${group.slice(0, room)}__${name}`;
}

/** A tool that the caller runs and that is called by its name; undefined where it is another kind. */
function readCalled(tool: Tree, path: string, losses: LossList): ToolDeclaration | undefined {
  const name = text(tool['name']);
  if (name === undefined) return undefined;
  if (tool['type'] === 'function') return readFunction(tool, name, path, losses);
  return tool['type'] === 'custom' ? readFreeform(tool, name, path, losses) : undefined;
}

const functionFields: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'parameters', 'strict', 'defer_loading'],
]);

function readFunction(tool: Tree, name: string, path: string, losses: LossList): ToolDeclaration {
  const { description, parameters, strict } = tool;
  const schema = typeof parameters === 'boolean' || isObject(parameters) ? (parameters as JsonSchema) : undefined;
  if (schema === undefined && parameters !== undefined && parameters !== null) {
    losses.add(`${path}.parameters`, 'is not a schema');
  }
  const extras = otherFields(tool, functionFields);
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(schema === undefined ? {} : { parameters: schema }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(tool['defer_loading'] === true ? { deferredIn: formatName } : {}),
    ...(extras === undefined ? {} : { extras: { format: formatName, fields: extras } }),
  };
}

const freeformFields: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format', 'defer_loading']);

function readFreeform(tool: Tree, name: string, path: string, losses: LossList): ToolDeclaration {
  const { description, format } = tool;
  const grammar = isObject(format) && format['type'] === 'grammar' ? format : {};
  if (isObject(format) && format['type'] !== 'grammar' && format['type'] !== 'text') {
    losses.add(`${path}.format`, 'is a kind of input that no other format supports');
  }
  const extras = otherFields(tool, freeformFields);
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    freeform: {
      ...defined('syntax', text(grammar['syntax'])),
      ...defined('definition', text(grammar['definition'])),
    },
    ...(tool['defer_loading'] === true ? { deferredIn: formatName } : {}),
    ...(extras === undefined ? {} : { extras: { format: formatName, fields: extras } }),
  };
}

function isWebSearch(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('web_search');
}

const plainSearchFields: ReadonlySet<string> = new Set(['type']);

function readWebSearch(tool: Tree): HostedTool {
  const others = tool['type'] === 'web_search' ? (otherFields(tool, plainSearchFields) ?? {}) : { ...tool };
  const filters = isObject(others['filters']) ? { ...others['filters'] } : {};
  const allowedDomains = take(filters, 'allowed_domains', readDomains);
  if (Object.keys(filters).length > 0) others['filters'] = filters;
  else if (isObject(others['filters'])) delete others['filters'];
  const search: WebSearch = {
    ...defined('allowedDomains', allowedDomains),
    ...defined('location', take(others, 'user_location', readLocation)),
    ...defined('contextSize', take(others, 'search_context_size', readWord)),
  };
  return searchOf(search, formatName, others);
}

/** Fields that have no neutral name. A null means nothing, unless the field is unknown. */
export function otherFields(
  tree: Tree,
  known: { has(name: string): boolean },
  nullable?: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let entries: [string, unknown][] | undefined;
  for (const name of Object.keys(tree)) {
    const value = tree[name];
    if (known.has(name) || value === undefined) continue;
    if (value === null && (nullable === undefined || nullable.has(name))) continue;
    entries ??= [];
    entries.push([name, value]);
  }
  // Not by assignment: a field may be called `__proto__`.
  return entries === undefined ? undefined : Object.fromEntries(entries);
}

export interface Choice {
  readonly choice: ToolChoice;
  /** The choice as it came, where the neutral one does not say all of it. */
  readonly native?: Tree;
}

const auto: Choice = { choice: { kind: 'auto' } };

export function readToolChoice(value: unknown, tools: DeclaredTools, losses: LossList): Choice {
  if (value === undefined || value === null || value === 'auto') return auto;
  if (value === 'none') return { choice: { kind: 'none' } };
  if (value === 'required') return { choice: { kind: 'required' } };
  if (!isObject(value)) {
    losses.add('tool_choice', 'is no choice of this format');
    return auto;
  }
  const [name] = chosenNames(value, tools) ?? [];
  if (name !== undefined && value['type'] !== 'namespace') return { choice: { kind: 'tool', name } };
  if (value['type'] === 'allowed_tools') return readAllowed(value, tools);
  return { ...auto, native: value };
}

/** Undefined where something else is chosen than tools that are called by name. */
function chosenNames(value: Tree, tools: DeclaredTools): readonly string[] | undefined {
  const name = text(value['name']);
  if (name === undefined) return undefined;
  if (value['type'] === 'namespace') return tools.namesIn(name);
  if (value['type'] !== 'function' && value['type'] !== 'custom') return undefined;
  const namespace = text(value['namespace']);
  return [namespace === undefined ? name : tools.nameOf(namespace, name)];
}

function readAllowed(value: Tree, tools: DeclaredTools): Choice {
  const names: string[] = [];
  let others = false;
  for (const tool of list(value['tools'])) {
    const chosen = isObject(tool) ? chosenNames(tool, tools) : undefined;
    if (chosen === undefined) others = true;
    else names.push(...chosen);
  }
  const choice: ToolChoice = { kind: 'allowed', names, required: value['mode'] === 'required' };
  return others ? { choice, native: value } : { choice };
}
