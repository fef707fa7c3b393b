/** What the server says in English, in Chinese where it is known, and otherwise as it is. */

import type { Words } from '../en.ts';
import { adminKeyRules } from './server/admin-key-rules.ts';
import { directoryRules } from './server/directory-rules.ts';
import { errors } from './server/errors.ts';
import { factorRules } from './server/factor-rules.ts';
import { meanings } from './server/meanings.ts';
import { endings, hintRules, kindRules, reasonRules, sentenceRules } from './server/rules.ts';

type Rules = typeof kindRules;

function translated(text: string, rules: Rules): string | undefined {
  const rule = rules.find(([pattern]) => pattern.test(text));
  return rule === undefined ? undefined : text.replace(...rule);
}

function kind(text: string): string | undefined {
  const ending = endings.find(([pattern]) => pattern.test(text));
  if (ending === undefined) return translated(text, kindRules);
  const known = translated(text.replace(ending[0], ''), kindRules);
  return known === undefined ? undefined : known + ending[1];
}

function sentence(text: string): string | undefined {
  const rules = [...sentenceRules, ...factorRules, ...adminKeyRules, ...directoryRules, ...hintRules, ...reasonRules];
  const known = translated(text, rules) ?? kind(text);
  if (known !== undefined) return known;
  const rule = text.startsWith('must be ') ? kind(text.slice('must be '.length)) : undefined;
  if (rule !== undefined) return `必须是${/^[!-~]/.test(rule) ? ' ' : ''}${rule}`;
  const [, found = '', allowed = '', hint] = /^found (.+); allowed: (.+?)(?:; did you mean (.+)\?)?$/.exec(text) ?? [];
  if (found === '') return undefined;
  const shown = found === 'nothing' ? '空' : found;
  return `当前为 ${shown}；应为${kind(allowed) ?? ` ${allowed}`}${hint === undefined ? '' : `；是否为 ${hint}？`}`;
}

/** A refusal may begin with the name of its field. */
function text(message: string): string | undefined {
  const known = sentence(message);
  if (known !== undefined) return known;
  const [, field = '', rule = ''] = /^([\w.[\]/*-]+): (.+)$/.exec(message) ?? [];
  const inner = rule === '' ? undefined : sentence(rule);
  return inner === undefined ? undefined : `${field}：${inner}`;
}

export const server: Words['server'] = {
  text: (message) => text(`${message}`) ?? `${message}`,
  error(code, message) {
    const known = text(`${message}`);
    if (known !== undefined) return known;
    return Object.hasOwn(errors, code) ? `${errors[code]}（${message}）` : `${message}`;
  },
  meaning: (key, meaning) => meanings[key] ?? `${meaning}`,
};
