/**
 * `npm run release:verify -- FOLDER --key=PUBLIC.pem` checks a downloaded release: the manifest's signature, then every
 * file. `--unsigned` checks the files alone.
 */

import { resolve } from 'node:path';
import { fingerprint, problemsOf, readPublicKey } from './manifest.ts';

const words = process.argv.slice(2);
const folder = words.find((word) => !word.startsWith('--'));
const keyFile = words.find((word) => word.startsWith('--key='))?.slice('--key='.length);
const isUnsigned = words.includes('--unsigned');

if (folder === undefined || (keyFile === undefined) !== isUnsigned) {
  console.error('Usage: npm run release:verify -- FOLDER --key=PUBLIC.pem    or    FOLDER --unsigned');
  process.exit(2);
}
const key = keyFile === undefined ? undefined : readPublicKey(keyFile);
const problems = problemsOf(resolve(folder), key);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('Every file is as the manifest lists it.');
console.log(
  key === undefined ? 'Who made it was not checked: no key was given.' : `Signed with the key ${fingerprint(key)}.`,
);
