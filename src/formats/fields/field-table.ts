/**
 * What the documented fields of a request can do. Each format has a table of them; a field that is in none is unknown, and
 * only what becomes of it is decided elsewhere.
 */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';

/**
 * `plain`: a text, a number or a list of them that names no model and has no price of its own. `opaque`: the caller's own
 * content of any shape, such as a schema. `routing`: chooses what serves the request.
 * `model`: names a model that runs beside the one that is asked. `tools`: a list of tools, read by `RequestFields.hostedIn`.
 * `tool:NAME`: turns on a tool that the provider runs. A table: the fields of an object, or of each object of a list.
 */
export type Field = 'plain' | 'opaque' | 'routing' | 'model' | 'tools' | `tool:${string}` | FieldTable;

export interface FieldTable {
  readonly [name: string]: Field;
  readonly [carried]?: Carried;
}

/** Under it a table says which of its fields the neutral conversation has; where it does not, all of them. */
export const carried: unique symbol = Symbol('carried');

/** What of an object the neutral conversation has. Undefined: the object is kept whole, or its loss is named whole. */
export type Carried = (table: FieldTable, object: Tree) => CarriedFields | undefined;

export interface CarriedFields {
  /** Each with the table of what is in it, or `false` where nothing is to be looked for. Without a prototype. */
  readonly rows: Readonly<Record<string, FieldTable | false>>;
  /** The reader keeps all other fields for its own format; a writer of another one reports them. */
  readonly keepsOthers: boolean;
  /** Other fields that count nothing are not missed. */
  readonly counts?: boolean;
  /** The fields of the latest such object, by their places: comparing a name is cheaper than looking it up. */
  readonly latest: { readonly name: string; readonly row: FieldTable | false }[];
}

/** The row of every name that has none of its own, in tables that have it. */
export const anyOther = '*';

/** A tool that the provider runs. */
export interface HostedTool {
  /** By which terms and prices know it, whatever the format calls it: `web_search`. */
  readonly name: string;
  /** The member of the entry that turns it on, in formats where an entry can be several tools. */
  readonly key?: string;
}

/** What bounds a tool that the provider runs. */
export interface ToolBounds {
  /** How often it may be used; undefined where nothing says so. */
  readonly usesMax: number | undefined;
  /** What a model that it runs may write each time. */
  readonly outputTokensMax: number | undefined;
}

/** What a format knows of the fields of its requests. */
export interface RequestFields {
  readonly table: FieldTable;
  /** The tools of one entry that the provider runs; empty where the caller runs it. */
  hostedIn(tool: Tree): readonly HostedTool[];
  /** Tools that cost nothing beyond the tokens that the provider reports. */
  readonly withoutFee: ReadonlySet<string>;
}

/** Decides on what a walk meets: the value to send instead, the same value, or undefined to leave the field out. */
export interface FieldVisitor {
  unknown(path: () => string, value: unknown): unknown;
  routing(path: () => string, value: unknown): unknown;
  /** `within` where a tool of the provider runs the model. */
  model(path: () => string, value: unknown, within?: ToolBounds): unknown;
  tool(path: () => string, tool: HostedTool, value: unknown, bounds: ToolBounds): unknown;
}

/** Names of the fields of tables, made once: words of every row that has one. */
export function fieldsOf<Kind extends Field>(kind: Kind, ...lists: readonly string[]): Record<string, Kind> {
  return Object.fromEntries(lists.flatMap((list) => list.split(' ')).map((name) => [name, kind]));
}

/** Marks of prompt caches. */
export const cacheControl: FieldTable = fieldsOf('plain', 'type ttl');

const grammar: FieldTable = fieldsOf('plain', 'definition syntax');
const toolFormat: FieldTable = { ...fieldsOf('plain', 'type definition syntax'), grammar };
const container: FieldTable = {
  ...fieldsOf('plain', 'type id container_id file_ids memory_limit'),
  ...fieldsOf('opaque', 'network_policy skills'),
};

const declarations: FieldTable = {
  ...fieldsOf('plain', 'name description behavior'),
  ...fieldsOf('opaque', 'parameters parametersJsonSchema parameters_json_schema response responseJsonSchema'),
  ...fieldsOf('opaque', 'response_json_schema'),
};

const ownToolFields: FieldTable = {
  ...fieldsOf(
    'plain',
    'type name description strict defer_loading allowed_callers eager_input_streaming max_characters enable_zoom',
    'display_width display_height display_width_px display_height_px display_number execution async',
  ),
  ...fieldsOf(
    'opaque',
    'parameters parametersJsonSchema input_schema output_schema input_examples configs annotations',
  ),
  function: {
    ...fieldsOf('plain', 'name description strict'),
    ...fieldsOf('opaque', 'parameters'),
    cache_control: cacheControl,
  },
  custom: { ...fieldsOf('plain', 'name description'), format: toolFormat },
  format: toolFormat,
  tools: 'tools',
  cache_control: cacheControl,
  environment: container,
  functionDeclarations: declarations,
  function_declarations: declarations,
  ...fieldsOf('opaque', 'computerUse computer_use'),
};

const place: FieldTable = {
  ...fieldsOf('plain', 'type city country region timezone latitude longitude'),
  approximate: fieldsOf('plain', 'type city country region timezone'),
};

/** Of tools that a provider runs. */
const hostedToolFields: FieldTable = {
  ...fieldsOf(
    'plain',
    'type id name description display_name max_uses max_calls max_tokens max_results max_num_results allowed_domains',
    'blocked_domains defer_loading strict allowed_callers search_context_size search_content_types',
    'external_web_access return_token_budget vector_store_ids memory_limit file_ids background input_fidelity',
    'moderation output_compression output_format partial_images quality size action server_label server_url',
    'server_description connector_id authorization tunnel_id execution enable_image_understanding',
    'enable_image_search enable_video_understanding allowed_x_handles excluded_x_handles from_date to_date',
    'excluded_domains max_content_tokens response_inclusion use_cache',
    'mcp_server_name enabled mode engine search_prompt excludeDomains exclude_domains blockingConfidence',
    'blocking_confidence enableWidget enable_widget fileSearchStoreNames file_search_store_names topK top_k',
    'metadataFilter metadata_filter disableAttribution disable_attribution source url authorization_token apiKey api_key',
    'enableDataRetention enable_data_retention enableZeroDataRetention enable_zero_data_retention complexity',
    'frame_count frame_duration_ms',
  ),
  ...fieldsOf(
    'opaque',
    'filters headers network_policy output_schema input_schema configs default_config url_sources tools pdf search',
    'timeRangeFilter time_range_filter authConfig auth_config vertexRagStore vertex_rag_store vertexAiSearch',
    'vertex_ai_search externalApi external_api dynamicRetrievalConfig dynamic_retrieval_config customConfigs',
    'streamableHttpTransport streamable_http_transport custom_configs searchTypes search_types groundingTypes grounding_types',
  ),
  container,
  environment: container,
  user_location: place,
  tool_configuration: fieldsOf('plain', 'enabled allowed_tools'),
  // Another model draws it.
  svg: { model: 'model', reasoning: fieldsOf('plain', 'effort') },
  ranking_options: { ...fieldsOf('plain', 'ranker score_threshold'), ...fieldsOf('opaque', 'hybrid_search') },
  input_image_mask: fieldsOf('plain', 'image_url file_id'),
  require_approval: 'opaque',
  allowed_tools: 'opaque',
  caching: cacheControl,
  cache_control: cacheControl,
  citations: fieldsOf('plain', 'enabled'),
  model: 'model',
};

/**
 * The tree with what the visitor decided; the same tree where it changed nothing. Fields that the table knows as plain are not
 * looked into, so a walk costs a look-up for each field of the request's own structure.
 */
export function visitFields(tree: Tree, fields: RequestFields, visitor: FieldVisitor): Tree {
  const left = new Walk(tree, fields, visitor).object(tree, fields.table);
  return left === tree ? tree : withoutChoice(tree, left);
}

/** The body's own lists of tools: what an entry is may depend on which of two members a provider reads. */
export function toolListsIn(tree: Tree, { table }: RequestFields): readonly string[] {
  const lists: string[] = [];
  for (const name in tree) if (Object.hasOwn(table, name) && table[name] === 'tools') lists.push(name);
  return lists;
}

/** A choice among tools that were left out would be refused; so would one of none. */
function withoutChoice(before: Tree, after: Tree): Tree {
  const { tools } = after;
  if (before['tools'] === tools) return after;
  const { tool_choice: choice, parallel_tool_calls: _, toolConfig: _config, tool_config: _snake, ...others } = after;
  if (tools === undefined) return others;
  if (!isObject(choice)) return after;
  const left = new Set(Array.isArray(tools) ? tools : []);
  const gone = (Array.isArray(before['tools']) ? before['tools'] : []).filter((tool) => !left.has(tool));
  const said = JSON.stringify(choice);
  const names = gone.flatMap((tool) => (isObject(tool) ? [tool['type'], tool['name']] : []));
  if (!names.some((name) => typeof name === 'string' && said.includes(JSON.stringify(name)))) return after;
  const { tool_choice: _choice, ...rest } = after;
  return rest;
}

function boundsOf(tool: unknown, root: Tree): ToolBounds {
  const { max_uses: uses, max_calls: calls, max_tokens: tokens } = isObject(tool) ? tool : noFields;
  return { usesMax: countOf(uses ?? calls ?? root['max_tool_calls']), outputTokensMax: countOf(tokens) };
}

const noFields: Tree = {};

class Walk {
  readonly #root: Tree;
  readonly #fields: RequestFields;
  readonly #visitor: FieldVisitor;
  readonly #trail: (string | number)[] = [];
  readonly #path = (): string => pathOf(this.#trail);

  /** Of the tool whose fields are visited. */
  #within: ToolBounds | undefined;

  constructor(root: Tree, fields: RequestFields, visitor: FieldVisitor) {
    this.#root = root;
    this.#fields = fields;
    this.#visitor = visitor;
  }

  object(tree: Tree, table: FieldTable): Tree {
    let changed: Record<string, unknown> | undefined;
    for (const name in tree) {
      const value = tree[name];
      if (value === undefined || value === null) continue;
      // A name such as `constructor` is no row.
      const known = Object.hasOwn(table, name) ? table[name] : table[anyOther];
      if (known === 'opaque' || (known === 'plain' && isPlain(value))) continue;
      // An object where the format has none is as unknown as a field.
      const field = known === 'plain' ? undefined : known;
      this.#trail.push(name);
      const kept = this.#visit(field, value);
      this.#trail.pop();
      if (kept === value) continue;
      changed ??= { ...tree };
      if (kept === undefined) delete changed[name];
      else changed[name] = kept;
    }
    return changed ?? tree;
  }

  #visit(field: Field | undefined, value: unknown): unknown {
    switch (field) {
      case undefined:
        return this.#visitor.unknown(this.#path, value);
      case 'plain':
      case 'opaque':
        return value;
      case 'routing':
        return this.#visitor.routing(this.#path, value);
      case 'model':
        return this.#visitor.model(this.#path, value, this.#within);
      case 'tools':
        return isObject(value) ? this.#tool(value) : this.#list(value, (tool) => this.#tool(tool));
      default:
        if (typeof field === 'string') {
          if (value === false) return value;
          const kept = this.#visitor.tool(this.#path, { name: field.slice(5) }, value, boundsOf(value, this.#root));
          const inside = (each: Tree): Tree => this.object(each, hostedToolFields);
          return isObject(kept) ? inside(kept) : this.#list(kept, inside);
        }
        return isObject(value) ? this.object(value, field) : this.#list(value, (each) => this.object(each, field));
    }
  }

  /** A list without the entries that were left out; undefined where none is left. Other values are content. */
  #list(value: unknown, visit: (each: Tree) => Tree | undefined): unknown {
    if (!Array.isArray(value)) return value;
    let kept: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      let left: unknown = each;
      if (typeof each === 'object' && each !== null) {
        this.#trail.push(index);
        left = isObject(each) ? visit(each) : this.#visitor.unknown(this.#path, each);
        this.#trail.pop();
      }
      if (left !== each) kept ??= value.slice(0, index);
      if (left !== undefined) kept?.push(left);
    }
    if (kept === undefined) return value;
    return kept.length === 0 ? undefined : kept;
  }

  /** The settings of a tool that is a member of its entry; some have a list of them. */
  #inside(key: string, settings: unknown): unknown {
    const inside = (each: Tree): Tree => this.object(each, hostedToolFields);
    this.#trail.push(key);
    const left = isObject(settings) ? inside(settings) : this.#list(settings, inside);
    this.#trail.pop();
    return left;
  }

  #tool(tool: Tree): Tree | undefined {
    const hosted = this.#fields.hostedIn(tool);
    const bounds = boundsOf(tool, this.#root);
    let left: Tree = tool;
    for (const each of hosted) {
      const value = each.key === undefined ? left : left[each.key];
      const kept = this.#visitor.tool(this.#path, each, value, bounds);
      if (each.key === undefined) {
        if (kept === value) continue;
        return undefined;
      }
      const judged = this.#inside(each.key, kept);
      if (judged === value) continue;
      const { [each.key]: _, ...others } = left;
      left = judged === undefined ? others : { ...others, [each.key]: judged };
    }
    if (hosted.length === 0) return this.object(left, ownToolFields);
    if (Object.keys(left).length === 0) return undefined;
    if (hosted[0]?.key !== undefined) {
      // Its tools were judged above.
      const judged = Object.fromEntries(hosted.map(({ key = '' }) => [key, 'opaque' as const]));
      return this.object(left, { ...ownToolFields, ...judged });
    }
    this.#within = bounds;
    left = this.object(left, hostedToolFields);
    this.#within = undefined;
    return left;
  }
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object') return true;
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
}

/** `messages[0].content`, as errors and losses name it. */
export function pathOf(trail: readonly (string | number)[]): string {
  let path = '';
  for (const step of trail) path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
  return path;
}
