/** Runs the scripted provider as a process of its own: prints its port, lives until its standard input closes. */

import { FakeUpstream } from './server.ts';

const [models, port] = process.argv.slice(2);
const upstream = await FakeUpstream.start({
  ...(models !== undefined && { models: models.split(',') }),
  ...(port !== undefined && { port: Number(port) }),
});
process.stdout.write(`${upstream.port}\n`);
// The parent's death closes the pipe, so that a killed test run leaves nothing behind.
for await (const _ of process.stdin);
upstream.stop();
process.exit(0);
