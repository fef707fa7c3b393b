import { expect, test } from 'bun:test';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../settings/config.ts';
import { ConfigurationReload } from './reload.ts';

function build(first: string) {
  let text: string | undefined = first;
  let identity = '1';
  let applyFault: Error | undefined;
  const applied: Config[] = [];
  const lines: string[] = [];
  const load = () =>
    loadConfig({ environment: { WEIR_DISCOVERY_LOCAL: 'false' }, readFile: () => text, workingFolder: '/' });
  const say = (level: string) => (message: string, details?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(details ?? {})}`);
  const reload = new ConfigurationReload({
    given: load(),
    load,
    identity: async () => identity,
    async apply(config) {
      if (applyFault !== undefined) throw applyFault;
      applied.push(config);
    },
    logger: { info: say('info'), warn: say('warn'), error: say('error') },
  });
  return {
    reload,
    applied,
    lines,
    write(next: string | undefined, id: string) {
      text = next;
      identity = id;
    },
    failWith: (error: Error | undefined) => {
      applyFault = error;
    },
  };
}

test('a file is read when it has changed and is the same at two looks', async () => {
  const { reload, applied, lines, write } = build('tokens: { rpm: 5 }');
  await reload.poll();
  await reload.poll();
  expect(applied).toHaveLength(0);
  write('tokens: { rpm: 6 }', '2');
  await reload.poll();
  write('tokens: { rpm: 7 }', '3');
  await reload.poll();
  expect(applied).toHaveLength(0);
  await reload.poll();
  await reload.poll();
  expect(applied.map(({ tokens }) => tokens.rpm)).toEqual([7]);
  expect(lines).toEqual(['info The configuration was read again. {"changed":"tokens.rpm"}']);
});

test('a change between the start and the first look is found', async () => {
  const { reload, applied, write } = build('tokens: { rpm: 5 }');
  write('tokens: { rpm: 6 }', '2');
  await reload.poll();
  await reload.poll();
  await reload.poll();
  expect(applied.map(({ tokens }) => tokens.rpm)).toEqual([6]);
});

test('settings that need a start are named until they are as they were at start', async () => {
  const { reload, lines, write } = build('server: { port: 80 }');
  write('server: { port: 81 }\negress: { proxy: "http://user:first@p.example" }', '2');
  await reload.reload();
  expect(lines.at(-1)).toEndWith('{"settings":"server.port, egress.proxy"}');
  write('server: { port: 81 }\negress: { proxy: "http://user:second@p.example" }', '3');
  await reload.reload();
  expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(2);
  expect(lines.join()).not.toContain('second');
  write('server: { port: 80 }', '4');
  await reload.reload();
  expect(lines.at(-1)).toStartWith('info');
});

test('a mistake and a file that is gone are said with their place, and the next good file removes the fault', async () => {
  const { reload, applied, lines, write } = build('log: { level: info }');
  write('log:\n  level: loud', '2');
  await reload.reload();
  expect(reload.fault).toStartWith('log.level (weir.yaml, line 2): found "loud"');
  write(undefined, '3');
  await reload.reload();
  expect(reload.fault).toContain('is gone');
  expect(applied).toHaveLength(0);
  expect(lines.every((line) => line.startsWith('error'))).toBe(true);
  write('log: { level: warn }', '4');
  await reload.reload();
  expect(reload.fault).toBeUndefined();
});

test('what cannot be put into effect now is tried at each look, and said once', async () => {
  const { reload, applied, lines, write, failWith } = build('tokens: { rpm: 5 }');
  await reload.poll();
  failWith(new Error('no database'));
  write('tokens: { rpm: 6 }', '2');
  for (let look = 0; look < 4; look += 1) await reload.poll();
  expect([reload.fault, lines.length]).toEqual(['no database', 1]);
  failWith(undefined);
  await reload.poll();
  await reload.poll();
  expect([reload.fault, applied.length]).toEqual([undefined, 1]);
});
