/** Runs a script in its own process and measures the memory it took, without what other tests left to the collector. */

export interface AloneResult<Result> {
  readonly result: Result;
  readonly grownBytes: number;
}

/** The parts are statements of a module: `warmUp` runs before the measured part, `work` returns the result. */
export async function memoryAlone<Result>(parts: {
  readonly imports: string;
  readonly warmUp: string;
  readonly work: string;
}): Promise<AloneResult<Result>> {
  const script = `
    ${parts.imports}
    ${parts.warmUp}
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let highest = before;
    const watch = setInterval(() => { highest = Math.max(highest, process.memoryUsage.rss()); }, 2);
    const result = await (async () => { ${parts.work} })();
    clearInterval(watch);
    highest = Math.max(highest, process.memoryUsage.rss());
    console.log(JSON.stringify({ result, grownBytes: highest - before }));
    process.exit(0);
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  return JSON.parse(await new Response(child.stdout).text()) as AloneResult<Result>;
}
