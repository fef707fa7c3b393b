/**
 * A provider of videos on the official library's wire that keeps its own invoice: each order, each poll and each video.
 */

export interface ProviderTask {
  readonly id: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly createdAtMs: number;
  readonly doneAtMs: number;
  /** How it ends. */
  readonly outcome: 'completed' | 'failed';
  /** When each question came. */
  readonly asked: number[];
  /** When the file was requested. */
  readonly fetched: number[];
}

export interface VideoProvider {
  readonly url: string;
  readonly tasks: ReadonlyMap<string, ProviderTask>;
  /** Prompts of orders that came, in their order. */
  stop(): void;
}

export interface VideoScript {
  /** How long the video takes. */
  workMs(prompt: string): number;
  outcome(prompt: string): ProviderTask['outcome'];
  /** A status that the next question is answered with instead; nothing lets it be answered. */
  trouble?(prompt: string, question: number): number | undefined;
}

/** The smallest file that begins as a video does. */
const file = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from('ftypmp42\0\0\0\0mp42isom'),
  Buffer.alloc(4_096, 7),
]);

export function startVideoProvider(script: VideoScript): VideoProvider {
  const tasks = new Map<string, ProviderTask>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith('/models')) return Response.json({ object: 'list', data: [] });
      if (request.method === 'POST') return order(await request.formData());
      const [, , id = '', tail] = pathname.split('/').slice(1);
      const task = tasks.get(id);
      if (task === undefined) return Response.json({ error: { message: 'unknown' } }, { status: 404 });
      return tail === 'content' ? content(task) : answer(task);
    },
  });

  function order(form: FormData): Response {
    const prompt = String(form.get('prompt'));
    const nowMs = performance.now();
    const task: ProviderTask = {
      id: `vid_${crypto.randomUUID()}`,
      prompt,
      seconds: Number(form.get('seconds') ?? 4),
      createdAtMs: nowMs,
      doneAtMs: nowMs + script.workMs(prompt),
      outcome: script.outcome(prompt),
      asked: [],
      fetched: [],
    };
    tasks.set(task.id, task);
    return Response.json({ id: task.id, object: 'video', status: 'queued' });
  }

  function answer(task: ProviderTask): Response {
    task.asked.push(performance.now());
    const status = script.trouble?.(task.prompt, task.asked.length);
    if (status !== undefined) return Response.json({ error: { message: 'trouble' } }, { status });
    const { id, seconds, outcome } = task;
    if (performance.now() < task.doneAtMs) return Response.json({ id, status: 'in_progress', progress: 50 });
    if (outcome === 'failed')
      return Response.json({ id, status: 'failed', error: { code: 'x', message: 'It broke.' } });
    return Response.json({ id, status: 'completed', seconds: String(seconds), size: '1280x720' });
  }

  function content(task: ProviderTask): Response {
    task.fetched.push(performance.now());
    return new Response(file, { headers: { 'content-type': 'video/mp4' } });
  }

  return { url: `http://127.0.0.1:${server.port}`, tasks, stop: () => void server.stop(true) };
}
