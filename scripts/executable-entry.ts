/** Where the built executable begins: it has no launcher before it, so it raises Bun's cap of 256 outgoing requests itself. */

const variable = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const outgoingRequestsMax = '65535';

// Bun reads the variable when the process begins and never again, so the process replaces itself, keeping its id, once.
if (process.env[variable] === undefined && process.execve !== undefined && process.platform !== 'win32') {
  const words = [process.execPath, ...process.argv.slice(2)];
  process.execve(process.execPath, words, { ...process.env, [variable]: outgoingRequestsMax });
}

await import('../src/main.ts');

export {};
