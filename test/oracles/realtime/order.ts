/** OpenAI Realtime API: the order of a session's events. https://platform.openai.com/docs/guides/realtime-conversations (read 2026-11-16) */

interface ServerEvent {
  readonly type: string;
  readonly event_id?: string;
  readonly response?: { readonly id?: string; readonly status?: string };
  readonly response_id?: string;
  readonly item?: { readonly id?: string };
  readonly item_id?: string;
  readonly content_index?: number;
}

/**
 * The first rule that a session breaks: `session.created` comes first and each event has an id of its own; a response is created once,
 * its items and parts are added before they grow and are done, nothing of it comes after `response.done`, which closes all of it.
 */
export function orderFault(events: readonly object[]): string | undefined {
  const seen = new Set<string>();
  const responses = new Map<string, Set<string>>();
  const over = new Set<string>();
  for (const [at, event] of (events as readonly ServerEvent[]).entries()) {
    if (at === 0 && event.type !== 'session.created' && event.type !== 'error') return `${event.type} comes first`;
    if (event.event_id !== undefined) {
      if (seen.has(event.event_id)) return `the id ${event.event_id} comes twice`;
      seen.add(event.event_id);
    }
    const id = event.response?.id ?? event.response_id;
    if (id === undefined || !event.type.startsWith('response.')) continue;
    const fault = responseFault(event, id, responses, over);
    if (fault !== undefined) return `${event.type}: ${fault}`;
  }
  return undefined;
}

function responseFault(
  event: ServerEvent,
  id: string,
  responses: Map<string, Set<string>>,
  over: Set<string>,
): string | undefined {
  if (event.type === 'response.created') {
    if (responses.has(id)) return `${id} is created twice`;
    responses.set(id, new Set());
    return undefined;
  }
  const open = responses.get(id);
  if (open === undefined) return `${id} was not created`;
  if (over.has(id)) return `${id} is over`;
  if (event.type === 'response.done') {
    over.add(id);
    return open.size === 0 ? undefined : `${[...open].join(', ')} of ${id} is still open`;
  }
  return placeFault(event, open);
}

/** Items and parts are named by their ids and indexes; an event of either belongs between its `added` and its `done`. */
function placeFault({ type, item, item_id: itemId, content_index: content }: ServerEvent, open: Set<string>) {
  const name = item?.id ?? itemId ?? '';
  const place = content === undefined ? name : `${name}/${content}`;
  if (type.endsWith('.added')) {
    if (open.has(place)) return `${place} is added twice`;
    if (content !== undefined && !open.has(name)) return `${name} was not added`;
    open.add(place);
    return undefined;
  }
  if (!open.has(place)) return `${place} is not open`;
  if (type === 'response.output_item.done' || type === 'response.content_part.done') open.delete(place);
  return undefined;
}
