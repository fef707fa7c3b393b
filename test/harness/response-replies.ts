/** Replies of `/responses` as the original service writes them, for scripted providers: every documented field, every event of a stream. */

type Tree = Readonly<Record<string, unknown>>;

/** What every response has, whatever was asked. */
const defaults: Tree = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'm',
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
};

export function responseReply(fields: Tree): Tree {
  return { ...defaults, ...fields };
}

export function responseUsage(input: number, output: number, cached = 0): Tree {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

export function messageItem(text: string, id = 'msg_1', annotations: readonly object[] = []): Tree {
  return { type: 'message', id, status: 'completed', role: 'assistant', content: [textPart(text, annotations)] };
}

export function textPart(text: string, annotations: readonly object[] = []): Tree {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

/** The events that lead to the reply, each text as one delta. */
export function responseEvents(reply: Tree): Tree[] {
  const items = reply['output'] as readonly Tree[];
  const begun = { ...reply, status: 'in_progress', output: [], usage: null };
  const events: Tree[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    { type: 'response.completed', response: reply },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function itemEvents(item: Tree, index: number): Tree[] {
  const parts = item['type'] === 'message' ? (item['content'] as readonly Tree[]) : [];
  const begun = item['type'] === 'message' ? { ...item, status: 'in_progress', content: [] } : item;
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...parts.flatMap((part, at) => partEvents(part, { item_id: item['id'], output_index: index, content_index: at })),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function partEvents(part: Tree, place: Tree): Tree[] {
  const { text } = part;
  return [
    { type: 'response.content_part.added', ...place, part: textPart('') },
    { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
  ];
}
