/** What a worker writes to standard error, line by line: its log, and what the runtime says when it crashes. */

export async function passLines(stream: ReadableStream<Uint8Array>, write: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) write(line);
  }
  if (rest !== '') write(rest);
}
