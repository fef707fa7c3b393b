/** Reads a stream of server-sent events piece by piece, wherever the network cut it. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** As it came, without the empty line that ends it. */
  readonly raw: string;
}

interface ServerEventReader {
  push(text: string): readonly ServerEvent[];
}

/** Our own gateway ends lines with LF alone; CR is taken as well, because proxies stand between. */
const blockEnd = /\r\n\r\n|\n\n|\r\r/;

export function createServerEventReader(): ServerEventReader {
  let rest = '';
  return {
    push(text) {
      rest += text;
      const events: ServerEvent[] = [];
      for (;;) {
        const end = blockEnd.exec(rest);
        if (end === null) return events;
        const raw = rest.slice(0, end.index);
        rest = rest.slice(end.index + end[0].length);
        const event = readBlock(raw);
        if (event !== undefined) events.push(event);
      }
    },
  };
}

function readBlock(raw: string): ServerEvent | undefined {
  let event = '';
  const data: string[] = [];
  for (const line of raw.split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) event = line.slice(6).trim();
  }
  // Comments keep the connection alive and say nothing.
  return data.length === 0 ? undefined : { event, data: data.join('\n'), raw };
}
