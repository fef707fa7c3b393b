/** Server-sent events that have all arrived: their JSON, for replies that could not be passed on piece by piece. */

export const eventStream = 'text/event-stream; charset=utf-8';

export function isEventStream(contentType: string): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType);
}

/** Every event's data; what is no JSON, such as an end mark, is left out. */
export function eventData(text: string): unknown[] {
  return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((block) => {
    const lines = block.split(/\r\n|\n|\r/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
    if (lines.length === 0) return [];
    try {
      return [JSON.parse(lines.join('\n')) as unknown];
    } catch {
      return [];
    }
  });
}
