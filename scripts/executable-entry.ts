/**
 * The entry point of the built executable: it has no launcher, so it raises Bun's limit of 256 outgoing requests
 * itself.
 */

const variable = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const outgoingRequestsMax = '65535';

// Bun reads the variable only at process start, so the process replaces itself once, keeping its id.
if (process.env[variable] === undefined && process.execve !== undefined && process.platform !== 'win32') {
  const words = [process.execPath, ...process.argv.slice(2)];
  process.execve(process.execPath, words, { ...process.env, [variable]: outgoingRequestsMax });
}

await import('../src/main.ts');

export {};
