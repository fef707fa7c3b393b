/** The license texts of everything that an executable has inside, as their licenses ask for. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './facts.ts';
import type { ShippedPackage } from './shipped-packages.ts';

const licenseFile = /^(?:licen[sc]e|copying|notice)(?:[.-].*)?$/i;
const runtimeNotice =
  'Bun is MIT licensed. It contains JavaScriptCore and WebKit (LGPL-2) and other libraries; their licenses and how to ' +
  'link it with another JavaScriptCore: https://bun.com/docs/project/licensing';

export function thirdPartyNotices(packages: readonly ShippedPackage[]): string {
  // The runtimes of all platforms are one program: the package `bun` names it.
  const named = packages.filter(({ part }) => part !== 'runtime');
  const sections = named.map((one) => {
    const texts = one.name === 'bun' ? [runtimeNotice] : licenseTexts(join(project, one.folder));
    const text = texts.length > 0 ? texts.join('\n\n') : `The package has no license file; it says ${one.license}.`;
    return `${one.name} ${one.version} (${one.license})\n\n${text.trim()}\n`;
  });
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `This file lists what Weir contains of others, and their licenses.\n${line}${sections.join(line)}`;
}

function licenseTexts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => licenseFile.test(name));
  return files.toSorted().map((name) => readFileSync(join(folder, name), 'utf8').replace(/\r\n/g, '\n'));
}
