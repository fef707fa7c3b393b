/** The platforms that a release has executables for. */

export interface ReleaseTarget {
  /** As in the names of files. */
  readonly name: string;
  readonly target: Bun.Build.CompileTarget;
  /** The package of Bun's program, below `@oven/`. The x64 one finds out itself whether the processor has AVX2. */
  readonly runtime: string;
  /** Debian's name of the architecture, where there is a Debian package. */
  readonly debian?: string;
}

export const releaseTargets: readonly ReleaseTarget[] = [
  { name: 'linux-x64', target: 'bun-linux-x64', runtime: 'bun-linux-x64', debian: 'amd64' },
  { name: 'linux-arm64', target: 'bun-linux-arm64', runtime: 'bun-linux-aarch64', debian: 'arm64' },
  { name: 'linux-x64-musl', target: 'bun-linux-x64-musl', runtime: 'bun-linux-x64-musl' },
  { name: 'linux-arm64-musl', target: 'bun-linux-arm64-musl', runtime: 'bun-linux-aarch64-musl' },
  { name: 'macos-x64', target: 'bun-darwin-x64', runtime: 'bun-darwin-x64' },
  { name: 'macos-arm64', target: 'bun-darwin-arm64', runtime: 'bun-darwin-aarch64' },
];
