/** The film thread: one film at a time, a bounded line before it, and every fault an error that says what happened. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { encodePng } from '../pictures/png/encode.ts';
import { emptyPicture } from '../pictures/raster/picture.ts';
import type { FilmPlan } from './film.ts';
import { createFilmThread, type FilmThread, type FilmThreadOptions } from './film-thread.ts';

/** Films share the processor with everything else that is tested. */
setDefaultTimeout(30_000);

const none = new Uint8Array(0);
const short: FilmPlan = {
  prompt: 'a boat',
  negativePrompt: '',
  seed: 1,
  width: 64,
  height: 36,
  fps: 10,
  frames: 10,
  first: none,
  last: none,
};
const long: FilmPlan = { ...short, width: 640, height: 360, frames: 600 };
const ignore = (): void => undefined;
const forever = new AbortController().signal;

let thread: FilmThread;
const start = (options: FilmThreadOptions = {}): FilmThread => {
  thread = createFilmThread(options);
  return thread;
};
afterEach(() => thread.stop());

function workerThat(does: string): string {
  return URL.createObjectURL(new Blob([does], { type: 'application/javascript' }));
}

/** The reason of a promise that must not keep its word. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

test('films come out in turn, the same one the same each time', async () => {
  const { render } = bound(start());
  const [one, other] = await Promise.all([render(short), render(short)]);
  expect(one.length).toBeGreaterThan(500);
  expect(Buffer.compare(one, other)).toBe(0);
});

const bound = (of: FilmThread) => ({ render: (plan: FilmPlan, signal = forever) => of.render(plan, ignore, signal) });

test('beyond the line nobody is taken, and a withdrawn film makes room', async () => {
  const { render } = bound(start({ waitingMax: 2 }));
  const controllers = Array.from({ length: 3 }, () => new AbortController());
  const films = controllers.map(({ signal }) => failure(render(long, signal)));
  expect(thread.hasRoom()).toBe(false);
  expect(await failure(render(short))).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '5' } });
  controllers[1]?.abort(new Error('not any more'));
  expect(thread.hasRoom()).toBe(true);
  expect(await films[1]).toMatchObject({ message: 'not any more' });
  const after = render(short);
  controllers[0]?.abort(new Error('stopped'));
  controllers[2]?.abort(new Error('stopped too'));
  // It would take many seconds, were the long one not stopped on its way.
  expect((await after).length).toBeGreaterThan(500);
  expect(await films[0]).toMatchObject({ message: 'stopped' });
  expect(await films[2]).toMatchObject({ message: 'stopped too' });
});

test('says how far it is', async () => {
  const percents: number[] = [];
  const controller = new AbortController();
  const film = start().render(
    long,
    (percent) => {
      percents.push(percent);
      if (percents.length === 3) controller.abort(new Error('seen'));
    },
    controller.signal,
  );
  expect(await failure(film)).toMatchObject({ message: 'seen' });
  expect(percents).toEqual([...percents].sort((one, other) => one - other));
});

test('a signal that came before', async () => {
  expect(await failure(bound(start()).render(short, AbortSignal.abort(new Error('gone'))))).toMatchObject({
    message: 'gone',
  });
});

test('a picture is made small while a film is drawn', async () => {
  const controller = new AbortController();
  const film = failure(bound(start()).render(long, controller.signal));
  const png = Buffer.from(encodePng(emptyPicture(640, 480), {})).toString('base64');
  const small = await thread.shrink(`data:image/png;base64,${png}`, 'image');
  expect(small).toMatchObject({ width: 640, height: 480 });
  expect(small.file.length).toBeLessThanOrEqual(1_200);
  controller.abort(new Error('enough'));
  expect(await film).toMatchObject({ message: 'enough' });
});

test('any noise becomes small enough', async () => {
  const picture = emptyPicture(500, 500);
  for (let at = 0; at < picture.pixels.length; at += 4) {
    picture.pixels.set([(at * 7_919) % 251, (at * 104_729) % 241, (at * 1_299_709) % 239, 255], at);
  }
  const png = Buffer.from(encodePng(picture, {})).toString('base64');
  const { file } = await start().shrink(`data:image/png;base64,${png}`, 'image');
  expect(file.length).toBeLessThanOrEqual(1_200);
});

test.each([
  ['https://pictures.example/a.png', 'fetches nothing'],
  ['data:image/png;base64,iVBORw0KGgo=', 'PNG is cut short'],
  [`data:image/jpeg;base64,${btoa('\xff\xd8\xff\xe0 no picture')}`, 'picture'],
  [`data:image/png;base64,${btoa('words')}`, 'PNG, JPEG, WebP'],
  ['data:image/png;base64,', 'PNG, JPEG, WebP'],
])('%s is refused', async (address, words) => {
  expect(await failure(start().shrink(address, 'last_frame'))).toMatchObject({
    status: 400,
    param: 'last_frame',
    message: expect.stringContaining(words),
  });
});

test('a thread that cannot start is an error, each time', async () => {
  const { render } = bound(start({ workerUrl: 'file:///nowhere/film-worker.ts' }));
  for (const plan of [short, short]) {
    expect(await failure(render(plan))).toMatchObject({ code: 'provider_unavailable', status: 503 });
  }
});

test('a thread that dies takes its film with it, and the next one lives', async () => {
  const { render } = bound(start({ workerUrl: workerThat('self.onmessage = () => { throw new Error("broken") }') }));
  const films = [render(short), render(short)].map(failure);
  for (const film of films) expect(await film).toMatchObject({ code: 'provider_unavailable' });
  expect(thread.hasRoom()).toBe(true);
});

test('a thread that says nothing is ended', async () => {
  const { render } = bound(start({ workerUrl: workerThat('self.onmessage = () => {}'), silenceMsMax: 20 }));
  expect(await failure(render(short))).toMatchObject({ code: 'upstream_timeout' });
});

test('an encoder that breaks is an error of the film alone', async () => {
  const broken = workerThat(
    'self.onmessage = ({data}) => postMessage({job: data.job, kind: "failure", error: {code: "internal_error", message: "abort(7)", param: ""}})',
  );
  expect(await failure(bound(start({ workerUrl: broken })).render(short))).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('abort(7)'),
  });
});

test('an idle thread ends, and a new one is started for the next film', async () => {
  const { render } = bound(start({ idleMs: 1 }));
  const first = await render(short);
  await Bun.sleep(20);
  expect(Buffer.compare(await render(short), first)).toBe(0);
});

test('stopping tells everybody', async () => {
  const { render } = bound(start());
  const films = [render(long), render(long)].map(failure);
  thread.stop();
  for (const film of films) expect(await film).toMatchObject({ code: 'shutting_down' });
});
