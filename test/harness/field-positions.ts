/** One request of each format with every kind of object that it has, and every place in it where a further field can be. */

type Tree = Readonly<Record<string, unknown>>;

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const place = { type: 'approximate', approximate: { city: 'Oslo' } };

const chat = (model: string): Tree => ({
  model,
  max_tokens: 20,
  stream_options: undefined,
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
  prediction: { type: 'content', content: [{ type: 'text', text: 'x' }] },
  tool_choice: { type: 'function', function: { name: 'f' } },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'x' },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
  web_search_options: { user_location: place },
  provider: { order: ['a'] },
});

const responses = (model: string): Tree => ({
  model,
  max_output_tokens: 20,
  store: false,
  text: { format: { type: 'json_schema', name: 'n', schema } },
  reasoning: { effort: 'low' },
  tool_choice: { type: 'function', name: 'f' },
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'x' },
  ],
  tools: [
    { type: 'function', name: 'f', parameters: schema },
    { type: 'web_search', user_location: { type: 'approximate', city: 'Oslo' } },
  ],
});

const messages = (model: string): Tree => ({
  model,
  max_tokens: 20,
  system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
  thinking: { type: 'disabled' },
  output_config: { format: { type: 'json_schema', schema } },
  tool_choice: { type: 'auto' },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] } },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'x' }] }] },
  ],
  tools: [
    { name: 'f', input_schema: schema },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
  ],
});

const generate = (): Tree => ({
  contents: [
    { role: 'user', parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: pixel } }] },
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
  ],
  systemInstruction: { parts: [{ text: 'x' }] },
  generationConfig: { maxOutputTokens: 20, thinkingConfig: { thinkingBudget: 0 } },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }, { googleSearch: {} }],
});

const completions = (model: string): Tree => ({ model, prompt: 'x', max_tokens: 20 });

export const fullRequests = { chat, responses, messages, generate, completions } as const;

/** What is the caller's own, of any shape: tools' schemas and arguments, and what they answered. */
const opaque = /\b(schema|parameters|parametersJsonSchema|input_schema|args|response|approximate)\b|\.input\b|^$/;

/** The body with the value at one place more: in each object of it, under this name. */
export function* bodiesWith(body: Tree, name: string, value: unknown): Generator<readonly [path: string, Tree]> {
  for (const path of objectsIn(body, [])) {
    const said = path.join('.');
    if (said !== '' && opaque.test(said)) continue;
    const copy = structuredClone(body) as Record<string, unknown>;
    let holder: Record<string, unknown> = copy;
    for (const step of path) holder = holder[step] as Record<string, unknown>;
    holder[name] = value;
    yield [said === '' ? name : `${said}.${name}`, copy];
  }
}

function* objectsIn(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield path;
  for (const [name, each] of Object.entries(value)) yield* objectsIn(each, [...path, name]);
}
