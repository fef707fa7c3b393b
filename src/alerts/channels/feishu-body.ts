/**
 * Feishu and Lark, custom bot: a message card, signed where the bot has a secret.
 * https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot (read 2026-11-17).
 */

import { createHmac } from 'node:crypto';
import { cut, hiddenText, itemTitle, type Message, severityOf, shownItems, titleOf } from './message.ts';

/** A message may have 20 KB. */
const titleLengthMax = 150;
const detailLengthMax = 350;

const templates = { info: 'blue', warning: 'orange', critical: 'red', resolved: 'green' } as const;

/** The key is the time and the secret, the signed text is empty. */
export function feishuSignature(timestamp: string, secret: string): string {
  return createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64');
}

export function feishuBody(message: Message, secret: string | undefined, nowMs: number): string {
  const { shown, hidden } = shownItems(message);
  const timestamp = String(Math.floor(nowMs / 1_000));
  const plain = (content: string) => ({ tag: 'div', text: { tag: 'plain_text', content } });
  return JSON.stringify({
    ...(secret !== undefined && { timestamp, sign: feishuSignature(timestamp, secret) }),
    msg_type: 'interactive',
    card: {
      config: { wide_screen_mode: true },
      header: {
        title: { tag: 'plain_text', content: cut(titleOf(message), titleLengthMax) },
        template: templates[severityOf(message)],
      },
      elements: [
        ...shown.map((item) =>
          plain(`${cut(itemTitle(item), titleLengthMax)}\n${cut(item.alert.detail, detailLengthMax)}`),
        ),
        ...(hidden > 0 ? [plain(hiddenText(hidden))] : []),
        ...(message.url === undefined ? [] : [openButton(message.url)]),
        { tag: 'note', elements: [{ tag: 'plain_text', content: new Date(message.atMs).toISOString() }] },
      ],
    },
  });
}

function openButton(url: string) {
  const text = { tag: 'plain_text', content: 'Open the console' };
  return { tag: 'action', actions: [{ tag: 'button', text, type: 'default', url }] };
}

/** It answers with status 200 also where it refuses: the code in the body says so. */
export function feishuRefusal(reply: string): string | undefined {
  try {
    const { code, StatusCode, msg } = JSON.parse(reply) as { code?: unknown; StatusCode?: unknown; msg?: unknown };
    const given = code ?? StatusCode ?? 0;
    return given === 0 ? undefined : `code ${String(given)}${typeof msg === 'string' ? `: ${msg}` : ''}`;
  } catch {
    return undefined;
  }
}
