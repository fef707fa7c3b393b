/** Runs a script in a process of its own and tells how much memory it took: what other tests left to the collector does not count. */

export interface AloneResult<Told> {
  readonly told: Told;
  readonly grownBytes: number;
}

/** The body of `run` is a module's: `warmUp` happens before the measured part, `work` evaluates to what is told. */
export async function memoryAlone<Told>(parts: {
  readonly imports: string;
  readonly warmUp: string;
  readonly work: string;
}): Promise<AloneResult<Told>> {
  const script = `
    ${parts.imports}
    ${parts.warmUp}
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let highest = before;
    const watch = setInterval(() => { highest = Math.max(highest, process.memoryUsage.rss()); }, 2);
    const told = await (async () => { ${parts.work} })();
    clearInterval(watch);
    highest = Math.max(highest, process.memoryUsage.rss());
    console.log(JSON.stringify({ told, grownBytes: highest - before }));
    process.exit(0);
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  return JSON.parse(await new Response(child.stdout).text()) as AloneResult<Told>;
}
